/**
 * The examples as they stand in the repository, on the real engine. A program that the engine does not find makes an empty
 * stack without an error, so the resources are counted. `drift-ci` runs from the tarball in package-install.test.ts.
 */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parse } from "yaml";
import { seed } from "../support/seed.js";
import { EngineCluster, engineImage } from "./engine-cluster.js";
import { repositoryRoot } from "./package-project.js";
import { deployedTypes, stateOf, typesOf } from "./stack-state.js";

const examples = join(repositoryRoot, "examples");

let cluster: EngineCluster;

before(async () => {
  cluster = await EngineCluster.start();
});

after(() => cluster.end());

test("each example is a package of its own that depends on this one, and says how to use it", async () => {
  const names = (await readdir(examples)).toSorted();
  assert.deepEqual(names, ["drift-ci", "from-yaml", "public-networks"]);
  for (const name of names) {
    const read = (file: string) => readFile(join(examples, name, file), "utf8");
    const manifest = JSON.parse(await read("package.json")) as {
      readonly name: string;
      readonly main: string;
      readonly dependencies: Readonly<Record<string, string>>;
    };
    assert.deepEqual(
      [manifest.name, manifest.main, manifest.dependencies["pulumi-vlan-router"]],
      [`example-${name}`, "index.ts", "file:../.."],
    );
    assert.match(await read("README.md"), /^# /);
  }
});

test("public-networks previews both networks of the seed from stack configuration", async () => {
  const stack = await cluster.stack(repositoryRoot, "public-networks");
  const { podNetworks, networks } = parse(seed) as { readonly podNetworks: unknown; readonly networks: unknown };
  await stack.configure(
    {
      "public-networks:image": engineImage,
      "public-networks:podNetworks": podNetworks,
      "public-networks:networks": networks,
    },
    { "vlan-router:kubeconfig": cluster.api.adminKubeconfig() },
  );
  const { code, stdout, stderr } = await stack.preview("--json");
  assert.equal(code, 0, stderr);
  const { steps } = JSON.parse(stdout) as {
    readonly steps: readonly { readonly op: string; readonly newState: { readonly type: string } }[];
  };
  const created = steps.filter(({ op }) => op === "create").map(({ newState }) => newState);
  // The engine starts the provider of dynamic resources only when it makes one.
  const { "pulumi:providers:pulumi-nodejs": _, ...planned } = deployedTypes({ networks: 2 });
  assert.deepEqual(typesOf(created), planned);
});

test("from-yaml deploys the file of the seed as it is; nodes that are away do not hold it", async (t) => {
  assert.equal(await readFile(join(examples, "from-yaml", "vlan-router.yaml"), "utf8"), seed);
  const stack = await cluster.stack(join(examples, "from-yaml"), "from-yaml");
  await stack.configure(
    { "from-yaml:image": engineImage },
    { "vlan-router:kubeconfig": cluster.api.adminKubeconfig() },
  );

  await t.test("up", async () => {
    const { code, stdout, stderr } = await cluster.deploy(stack.up("--skip-preview"));
    assert.equal(code, 0, `${stdout}\n${stderr}`);
    assert.deepEqual(typesOf(await stateOf(stack)), deployedTypes({ networks: 2 }));
    const away = { interface: "unknown", sessions: {} };
    assert.deepEqual(await stack.outputs(), {
      agents: [],
      nodes: { vlan220: { n1: away, n2: away }, vxlan228: { n1: away, n2: away } },
    });
  });

  await t.test("destroy", async () => {
    const { code, stdout, stderr } = await stack.destroy("--skip-preview");
    assert.equal(code, 0, `${stdout}\n${stderr}`);
    assert.deepEqual(await stateOf(stack), []);
  });
});
