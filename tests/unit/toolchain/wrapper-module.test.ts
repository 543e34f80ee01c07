import assert from "node:assert/strict";
import { test } from "node:test";
import { folderReplacements, wrapperModule } from "../../../lab/toolchain/wrapper-module.js";

test("a wrapper requires the module and repeats its replace lines", () => {
  const text = wrapperModule({ path: "github.com/pulumi/pulumi/pkg/v3", version: "v3.274.1" }, [
    { from: "github.com/atotto/clipboard", to: { path: "github.com/tgummerer/clipboard", version: "v0.0.0-1" } },
  ]);
  assert.equal(
    text,
    `module toolchain-wrapper

go 1.26.6

require github.com/pulumi/pulumi/pkg/v3 v3.274.1

replace github.com/atotto/clipboard => github.com/tgummerer/clipboard v0.0.0-1
`,
  );
});

test("a program of the standard library alone requires nothing", () => {
  assert.equal(wrapperModule(undefined, []), "module toolchain-wrapper\n\ngo 1.26.6\n");
});

// Cut from the go.mod of k8s.io/kubernetes, with the other forms of a replace line that Go knows.
const goMod = `module k8s.io/kubernetes

go 1.26.0

require (
	k8s.io/api v0.0.0
	k8s.io/kube-openapi v0.0.0-20260317180543-43fb72c5454a
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/apiextensions-apiserver => ./staging/src/k8s.io/apiextensions-apiserver
	example.com/fork => example.com/other v1.2.3
)

replace k8s.io/cli-runtime => ../staging/src/k8s.io/cli-runtime
`;

test("modules that stand for folders of the repository get their published version; other replacements are not touched", () => {
  const replacement = (path: string) => ({ from: path, to: { path, version: "v0.36.3" } });
  assert.deepEqual(folderReplacements(goMod, { kind: "published-folders", version: "v0.36.3" }), [
    replacement("k8s.io/api"),
    replacement("k8s.io/apiextensions-apiserver"),
    replacement("k8s.io/cli-runtime"),
  ]);
});
