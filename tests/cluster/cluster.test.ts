/** The lab's Kubernetes itself, before anything of ours is deployed on it: what the other files of this suite rely on. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { before, test } from "node:test";
import {
  announcingNode,
  evictSpeaker,
  kubectl,
  kubectlGet,
  restoreSpeaker,
  startNode,
  stopNode,
  waitForRollout,
} from "../../lab/cluster/index.js";
import { type Lab, type NodeName, nodeNames, publicService, waitFor } from "../../lab/index.js";
import { clusterLab } from "../support/cluster-lab.js";

interface List<T> {
  readonly items: readonly T[];
}

interface Pod {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly nodeName: string };
  readonly status: { readonly podIP: string };
}

interface Node {
  readonly metadata: { readonly name: string };
  readonly status: {
    readonly addresses: readonly { readonly type: string; readonly address: string }[];
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
  };
}

interface Service {
  readonly spec: { readonly clusterIP: string };
  readonly status: { readonly loadBalancer: { readonly ingress?: readonly { readonly ip: string }[] } };
}

/** What the workload answers. */
interface Answer {
  readonly pod: string;
  readonly node: string;
  readonly client: string;
}

let lab: Lab;

before(async () => {
  lab = await clusterLab();
});

const echoPods = async () => (await kubectlGet<List<Pod>>(lab, ["pods", `--selector=app=${publicService.name}`])).items;
const echoService = () => kubectlGet<Service>(lab, ["service", publicService.name]);

/** One request from inside a pod. The limit is ours: `wget -T` of Debian 12's static busybox crashes. */
async function ask(pod: Pod, url: string): Promise<Answer> {
  const wget = ["exec", pod.metadata.name, "--", "wget", "-q", "-O", "-", url];
  const text = await kubectl(lab, wget, { timeout: 10_000 });
  return JSON.parse(text) as Answer;
}

async function readiness(node: NodeName): Promise<string | undefined> {
  const { status } = await kubectlGet<Node>(lab, ["node", node]);
  return status.conditions.find(({ type }) => type === "Ready")?.status;
}

test("three nodes are Ready at their underlay addresses", async () => {
  const { items } = await kubectlGet<List<Node>>(lab, ["nodes"]);
  const seen = items.map(({ metadata, status }) => ({
    name: metadata.name,
    address: status.addresses.find(({ type }) => type === "InternalIP")?.address,
    ready: status.conditions.find(({ type }) => type === "Ready")?.status,
  }));
  assert.deepEqual(seen, [
    { name: "n1", address: "10.0.7.11", ready: "True" },
    { name: "n2", address: "10.0.7.12", ready: "True" },
    { name: "n3", address: "10.0.7.13", ready: "True" },
  ]);
});

test("each node is a machine of its own", async () => {
  for (const node of nodeNames) {
    assert.equal((await lab.exec(node, ["hostname"])).stdout, `${node}\n`);
    assert.equal((await lab.exec(node, ["cat", "/proc/1/comm"])).stdout, "pause\n");
    assert.match((await lab.exec(node, ["ls", "/sys/class/net"])).stdout, /^eth0$/m);
    // What the kubelet wants to write is shown to it and kept from the machine.
    assert.match((await lab.exec(node, ["cat", "/proc/self/mountinfo"])).stdout, / \/proc\/sys\/kernel\/panic /);
  }
});

test("pods on different nodes reach each other, each seen with its own address", async () => {
  const pods = await echoPods();
  assert.deepEqual(pods.map(({ spec }) => spec.nodeName).sort(), ["n1", "n2", "n3"]);
  for (const from of pods) {
    for (const to of pods.filter((pod) => pod !== from)) {
      assert.deepEqual(await ask(from, `http://${to.status.podIP}:8080/`), {
        pod: to.metadata.name,
        node: to.spec.nodeName,
        client: from.status.podIP,
      });
    }
  }
});

test("pods reach the service network: a Service with endpoints on every node, and the API server", async () => {
  const pods = await echoPods();
  const { clusterIP } = (await echoService()).spec;
  for (const pod of pods) {
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask(pod, `http://${clusterIP}/`)));
    for (const { pod: name } of answers)
      assert.ok(
        pods.some(({ metadata }) => metadata.name === name),
        name,
      );

    const program =
      'require("node:https").get("https://10.96.0.1/readyz", { rejectUnauthorized: false }, (r) => r.pipe(process.stdout))';
    assert.equal(await kubectl(lab, ["exec", pod.metadata.name, "--", "node", "--eval", program]), "ok");
  }
});

test("logs and exec work on every node", async () => {
  for (const { metadata, spec } of await echoPods()) {
    assert.equal(await kubectl(lab, ["logs", metadata.name]), "listening on port 8080\n");
    const output = await kubectl(lab, [
      "exec",
      metadata.name,
      "--",
      "sh",
      "-c",
      "echo $NODE_NAME; ip -brief link show lo",
    ]);
    // The real `ip`, which has no `-brief` in busybox.
    assert.match(output, new RegExp(`^${spec.nodeName}\nlo +UNKNOWN +00:00:00:00:00:00`));
  }
});

test("MetalLB gives the Service its address and says which node announces it", async () => {
  const { status } = await echoService();
  assert.deepEqual(
    status.loadBalancer.ingress?.map(({ ip }) => ip),
    ["203.0.113.10"],
  );
  const owner = await waitFor("a ServiceL2Status", () => announcingNode(lab, publicService), { timeout: 10_000 });
  assert.ok(nodeNames.includes(owner));
});

test("without its speaker a node loses the address to another one", async () => {
  const owner = await announcingNode(lab, publicService);
  assert.ok(owner !== undefined);
  await evictSpeaker(lab, owner);
  try {
    const heir = await waitFor(
      `another node than ${owner} to announce`,
      async () => {
        const now = await announcingNode(lab, publicService);
        return now !== owner && now;
      },
      { timeout: 20_000, interval: 200 },
    );
    assert.notEqual(heir, owner);
  } finally {
    await restoreSpeaker(lab, owner);
  }
});

test("a node is powered off and on again", async () => {
  const interfacesBefore = (await lab.exec("n3", ["ip", "-brief", "link"])).stdout;
  assert.match(interfacesBefore, /^veth/m);

  await stopNode(lab, "n3");
  assert.equal(existsSync(lab.pidFile("n3")), false);
  const ping = ["ping", "-c", "1", "-W", "1", "10.0.7.13"];
  assert.equal((await lab.exec("n1", ping, { check: false })).code, 1, "a node without power answers");
  await waitFor("the API server to see it", async () => (await readiness("n3")) === "Unknown", {
    timeout: 60_000,
    interval: 500,
  });

  await startNode(lab, "n3");
  assert.equal(await readiness("n3"), "True");
  assert.equal((await lab.exec("n1", ping, { check: false })).code, 0);
  await waitFor("its pod to answer", async () => {
    const pod = (await echoPods()).find(({ spec }) => spec.nodeName === "n3");
    if (pod === undefined) return false;
    const answer = await lab.exec("n1", ["curl", "--silent", "--max-time", "1", `http://${pod.status.podIP}:8080/`], {
      check: false,
    });
    return answer.code === 0 && (JSON.parse(answer.stdout) as Answer).node === "n3";
  });
  await waitForRollout(lab, "metallb-system", "daemonset/speaker", 60);
  await waitForRollout(lab, publicService.namespace, `deployment/${publicService.name}`, 60);
});
