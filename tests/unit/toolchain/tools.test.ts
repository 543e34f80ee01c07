import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { repositoryRoot } from "../../../lab/bootstrap/repository.mjs";
import { pulumiKubernetesVersion, tools } from "../../../lab/toolchain/tools.js";

test("the lab's programs are all there, each once", () => {
  assert.deepEqual(tools.map(({ name }) => name).sort(), [
    "etcd",
    "gobgp-v3",
    "gobgp-v4",
    "gobgpd-v3",
    "gobgpd-v4",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-proxy",
    "kube-scheduler",
    "kubectl",
    "kubelet",
    "metallb-controller",
    "metallb-speaker",
    "pause",
    "pulumi",
    "pulumi-language-nodejs",
    "pulumi-resource-kubernetes",
  ]);
});

test("the Kubernetes plugin has the version of the npm package that it serves", () => {
  const { devDependencies } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
  assert.equal(pulumiKubernetesVersion, devDependencies["@pulumi/kubernetes"]);
});

test("a program that lies beside another one is asked after it", () => {
  const names = tools.map(({ name }) => name);
  for (const { name, installed } of tools) {
    if (installed.kind !== "beside") continue;
    assert.ok(names.indexOf(installed.program) < names.indexOf(name), `${name} comes before ${installed.program}`);
  }
});
