/**
 * The agent's image in the life of a cluster, with kubelets, containerd and the DaemonSet that the component makes: updates, a
 * build that fails, and nodes that restart, go, come and are drained, while a client outside calls the public Service. The steps
 * build on each other and run in order.
 */
import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { kubectl, kubectlGet, loadImage, startNode, stopNode, waitForRollout } from "../../lab/cluster/index.js";
import { createProgress, type Lab, labDown, labUp, waitFor } from "../../lab/index.js";
import { kernelSnapshot, kernelSnapshots } from "../../lab/observe/kernel-snapshot.js";
import { configureLabStack, firstNetwork, labStack, vxlanNetwork } from "../../lab/pulumi/lab-stack.js";
import type { Stack } from "../../lab/pulumi/stack.js";
import { locateToolchain } from "../../lab/toolchain/index.js";
import { type NodeName, nodeNames, publicService } from "../../lab/topology.js";
import { measureLoss } from "../../lab/traffic/measure-loss.js";
import { succeeds } from "../engine/succeeds.js";
import { announcers, bringBack, deleteNode, uncordon } from "../support/address-lab.js";
import { failingBuild, otherBuild } from "../support/agent-builds.js";
import { agentInLab } from "../support/cluster-lab.js";
import { agentPods, unreadyDuring, untilSessions } from "../support/lab-agents.js";

const labName = "life";
/** Milliseconds of traffic that show whether an event is over. */
const rest = 5_000;
const workload = `deployment/${publicService.name}`;

let lab: Lab;
let stack: Stack;
let image: string;
let otherImage: string;
let failingImage: string;

before(async () => {
  await labDown(labName);
  lab = await labUp(labName, createProgress());
  image = await agentInLab(lab);
  const [other, failing] = [await otherBuild(), await failingBuild()];
  for (const build of [other, failing]) await loadImage(lab, build);
  [otherImage, failingImage] = [other.reference, failing.reference];
  stack = await labStack(lab, locateToolchain());
  await update(otherImage);
  await untilCalm();
});
after(() => labDown(labName));

const configure = (reference: string, timeoutSeconds = 300) =>
  configureLabStack(stack, lab, { image: reference, networks: [vxlanNetwork(firstNetwork)], timeoutSeconds });

async function update(reference: string): Promise<void> {
  await configure(reference);
  await succeeds(stack.up());
}

async function untilAnswered(): Promise<void> {
  const argv = ["curl", "--silent", "--max-time", "2", `http://${publicService.address}/`];
  await waitFor(
    "the Service to answer a client",
    async () => (await lab.exec("client", argv, { check: false })).code === 0,
    { timeout: 90_000 },
  );
}

async function owner(): Promise<NodeName> {
  return waitFor(
    `one node to announce ${publicService.address}`,
    async () => {
      const [node, ...others] = await announcers(lab, publicService.address);
      return others.length === 0 && node;
    },
    { timeout: 90_000 },
  );
}

/** Runs `event` under a client's traffic and says what it cost. */
async function underTraffic<T>(t: TestContext, what: string, event: () => Promise<T>): Promise<T> {
  const { loss, value } = await measureLoss(lab, publicService, async () => {
    const result = await event();
    await sleep(rest);
    return result;
  });
  const { attempts, lost, longestHole } = loss;
  t.diagnostic(`${what}: ${lost} of ${attempts} connections lost, longest hole ${longestHole} ms`);
  assert.ok(attempts > 100, JSON.stringify(loss));
  return value;
}

/** The event is over for a client: hardly a connection is lost any more. A loaded machine alone makes one late now and then. */
async function untilCalm(): Promise<void> {
  await untilAnswered();
  await waitFor(
    "the client's connections to be answered",
    async () => {
      const { attempts, lost } = (await measureLoss(lab, publicService, () => sleep(rest))).loss;
      return attempts > 100 && lost < attempts / 20;
    },
    { timeout: 60_000 },
  );
}

/** The cluster is as the program says, by the engine's own look at it. */
async function untilAsDeclared(): Promise<void> {
  await untilSessions(lab);
  await untilCalm();
  let seen = "";
  await waitFor(
    "a preview without change",
    async () => {
      const { code, stdout } = await stack.preview("--refresh", "--diff", "--expect-no-changes");
      seen = stdout;
      return code === 0;
    },
    { timeout: 120_000, interval: 2_000 },
  ).catch((error: Error) => {
    throw new Error(`${error.message}:\n${seen}`);
  });
}

test("an update to another build takes one node after the other, and leaves the kernel of each as it was", async (t) => {
  await untilSessions(lab);
  const expected = await kernelSnapshots(lab);
  const { unready } = await underTraffic(t, "update to another build", async () => {
    const seen = await unreadyDuring(lab, () => update(image));
    await untilSessions(lab);
    return seen;
  });
  assert.equal(unready.length, 1, `without a ready agent at once: ${unready.join(", ")}`);
  for (const [node, pod] of await agentPods(lab)) assert.equal(pod.image, image, node);
  assert.deepEqual(await kernelSnapshots(lab), expected);
  await untilCalm();
});

test("a build that fails reaches one node, which the update names; the next update repairs it", async (t) => {
  const [former, expected] = [await agentPods(lab), await kernelSnapshots(lab)];
  await configure(failingImage, 45);
  const holder = await owner();
  const { value, unready } = await underTraffic(t, `a build that fails, while ${holder} has the address`, () =>
    unreadyDuring(lab, () => stack.up()),
  );
  assert.notEqual(value.code, 0, value.stdout);
  const [node] = unready;
  assert.ok(node !== undefined && unready.length === 1, `without a ready agent at once: ${unready.join(", ")}`);
  assert.match(value.stdout, new RegExp(`does not run on every node after 45 s[\\s\\S]*\\b${node}\\b`));

  const pods = await agentPods(lab);
  assert.equal(pods.get(node)?.image, failingImage);
  assert.ok((pods.get(node)?.restarts ?? 0) > 0, "its container was never started again");
  for (const other of nodeNames.filter((name) => name !== node)) {
    assert.deepEqual(pods.get(other), former.get(other), other);
  }
  assert.deepEqual(await kernelSnapshot(lab, node), expected[node]);

  await underTraffic(t, `repair of ${node}, to which it came`, async () => {
    await update(image);
    await waitForRollout(lab, "vlan-router", "daemonset/agent", 120);
  });
  for (const [name, pod] of await agentPods(lab)) assert.deepEqual([pod.image, pod.ready], [image, true], name);
  await untilSessions(lab);
  await untilCalm();
  assert.deepEqual(await kernelSnapshots(lab), expected);
});

test("the node that has the address restarts with an empty kernel, and carries the network again", async (t) => {
  const node = await owner();
  await underTraffic(t, `restart of ${node}, which had the address`, async () => {
    await bringBack(lab, node);
    await untilSessions(lab);
  });
  await untilAsDeclared();
});

test("a node is removed and one is added: the others carry on, and the new one gets everything without an update", async (t) => {
  const node = await owner();
  await underTraffic(t, `removal of ${node}, which had the address`, async () => {
    await deleteNode(lab, node);
    await stopNode(lab, node);
    await waitFor("another node to announce the address", async () => (await owner()) !== node, { timeout: 90_000 });
    await untilSessions(
      lab,
      nodeNames.filter((name) => name !== node),
    );
  });
  await waitFor(
    "its report to go",
    async () => {
      const { items } = await kubectlGet<{ items: readonly { metadata: { name: string } }[] }>(lab, ["routernodes"]);
      return !items.some(({ metadata }) => metadata.name === node);
    },
    { timeout: 90_000 },
  );
  await underTraffic(t, `addition of ${node}`, async () => {
    await startNode(lab, node);
    await waitForRollout(lab, "vlan-router", "daemonset/agent", 120);
    await untilSessions(lab);
  });
  await untilAsDeclared();
});

test("a node is drained: its workload goes, its agent stays and carries the address", async (t) => {
  const node = await owner();
  const former = await agentPods(lab);
  await underTraffic(t, `drain of ${node}, which had the address`, async () => {
    await kubectl(lab, ["drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=60s"]);
    const { items } = await kubectlGet<{ items: readonly unknown[] }>(lab, [
      "pods",
      `--selector=app=${publicService.name}`,
      `--field-selector=spec.nodeName=${node}`,
    ]);
    assert.deepEqual(items, []);
  });
  assert.deepEqual(await agentPods(lab), former);
  assert.equal(await owner(), node);
  await uncordon(lab, node);
  await waitForRollout(lab, publicService.namespace, workload, 60);
  await untilAsDeclared();
});
