/**
 * MetalLB's own controller and speakers move the addresses of several kinds of Services, and each is announced by one node, the one
 * to which a client's packets go. What it costs a client is measured by `npm run bench:failover`.
 */
import assert from "node:assert/strict";
import { isIPv4 } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startApiServer } from "../../lab/cluster/control-plane.js";
import { announcingNode, evictSpeaker, kubectl, restoreSpeaker, startNode, stopNode } from "../../lab/cluster/index.js";
import { type Lab, labDown, waitFor } from "../../lab/index.js";
import { locateToolchain } from "../../lab/toolchain/index.js";
import { type NodeName, nodeNames, publicService } from "../../lab/topology.js";
import {
  addressLabUp,
  announcers,
  bringBack,
  cordon,
  deleteNode,
  excludeNode,
  includeNode,
  killSpeaker,
  publicAddresses,
  uncordon,
  untilOwned,
} from "../support/address-lab.js";

const labName = "address-moves";
/** Milliseconds: longer than a speaker needs to be ready again, and than two that both announce after a healed link. */
const rest = 15_000;

let lab: Lab;
type Owners = ReadonlyMap<string, NodeName>;

before(async () => {
  await labDown(labName);
  lab = await addressLabUp(labName);
});
after(() => labDown(labName));

/** The node whose interface the gateway sends to. */
async function reached(address: string): Promise<NodeName | undefined> {
  await lab.exec("client", ["ping", "-c", "1", "-W", "1", address], { check: false });
  const { stdout } = await lab.exec("gateway", ["ip", "neigh", "show", address, "dev", "segment228"]);
  for (const node of nodeNames) {
    const mac = (await lab.exec(node, ["cat", "/sys/class/net/vxlan228/address"], { check: false })).stdout.trim();
    if (mac !== "" && stdout.includes(mac)) return node;
  }
  return undefined;
}

const get = async (address: string, port: number): Promise<boolean> => {
  const host = isIPv4(address) ? address : `[${address}]`;
  return (await lab.exec("client", ["curl", "-s", "-m", "2", `http://${host}:${port}/`], { check: false })).code === 0;
};

/** Every address has one owner, and packets go there. */
async function settled(): Promise<Owners> {
  const owners = await untilOwned(lab);
  for (const [address, node] of owners) {
    await waitFor(`the gateway to send ${address} to ${node}`, async () => (await reached(address)) === node, {
      timeout: 30_000,
    });
  }
  return owners;
}

async function answers(): Promise<void> {
  for (const [address, port] of [
    [publicService.address, publicService.port],
    ["203.0.113.40", 80],
    ["203.0.113.30", 8001],
    ["203.0.113.30", 8002],
    ["203.0.113.50", 80],
  ] as const) {
    await waitFor(`an answer from ${address}:${port}`, () => get(address, port), { timeout: 30_000 });
  }
}

const ownerOf = (owners: Owners, address: string = publicService.address): NodeName => owners.get(address) as NodeName;
const ownedBy = (owners: Owners, node: NodeName): readonly string[] =>
  publicAddresses.map(({ address }) => address).filter((address) => owners.get(address) === node);

test("each address has one owner that MetalLB named, packets go there, and Services answer from outside", async () => {
  const owners = await settled();
  for (const { services, address } of publicAddresses) {
    for (const name of services) {
      assert.equal(
        await announcingNode(lab, { namespace: "default", name }),
        owners.get(address),
        `${name} ${address}`,
      );
    }
  }
  await answers();
});

test("the speaker leaves its node: everything that the node owned moves, of both families, and comes to rest", async () => {
  const node = ownerOf(await settled());
  await evictSpeaker(lab, node);
  const owners = await settled();
  assert.deepEqual(ownedBy(owners, node), []);
  await answers();
  await restoreSpeaker(lab, node);
  await sleep(rest);
  await settled();
  await answers();
});

test("a speaker is killed in place: its addresses stay or move, and have one owner all the time that counts", async () => {
  const node = ownerOf(await settled());
  await killSpeaker(lab, node);
  await sleep(rest);
  await settled();
  await answers();
});

test("a node is cordoned: nothing moves, for MetalLB does not look at it; taken out of service by its label everything does", async () => {
  const before = await settled();
  const node = ownerOf(before);
  await cordon(lab, node);
  await sleep(rest);
  assert.deepEqual(await settled(), before);
  await excludeNode(lab, node);
  await waitFor(`${node} to own nothing`, async () => ownedBy(await untilOwned(lab), node).length === 0);
  await settled();
  await answers();
  await includeNode(lab, node);
  await uncordon(lab, node);
  await sleep(rest);
  await settled();
});

test("a node is powered off: others have its addresses; it comes back, and each has one owner again", async () => {
  const node = ownerOf(await settled());
  await stopNode(lab, node);
  await waitFor(`${node} to be no owner`, async () => ownedBy(await untilOwned(lab), node).length === 0, {
    timeout: 60_000,
  });
  await settled();
  await startNode(lab, node);
  await sleep(2 * rest);
  await settled();
  await answers();
});

test("a node's object is deleted: what it owned has one owner before its pods are gone, and after", async () => {
  const node = ownerOf(await settled());
  await deleteNode(lab, node);
  // The controllers take the pods of a node that is gone after 40 s.
  await sleep(60_000);
  await settled();
  await bringBack(lab, node);
  await sleep(rest);
  await settled();
  await answers();
});

test("the API server is away and comes back: nothing moves, nothing is withdrawn meanwhile", async () => {
  const before = await settled();
  await lab.stopDaemon("kube-apiserver");
  const until = performance.now() + 30_000;
  while (performance.now() < until) {
    for (const [address, node] of before) assert.deepEqual(await announcers(lab, address), [node], address);
    await sleep(500);
  }
  await startApiServer(lab, locateToolchain());
  await sleep(2 * rest);
  assert.deepEqual(await settled(), before);
  await answers();
});

test("a Service goes, and one loses its address to another: the shared address stays as long as one of the two has it", async () => {
  const owner = ownerOf(await settled(), "203.0.113.30");
  await kubectl(lab, ["delete", "service", "shared-a"]);
  await sleep(5_000);
  assert.deepEqual(await announcers(lab, "203.0.113.30"), [owner]);
  assert.ok(await get("203.0.113.30", 8002));
  await kubectl(lab, ["delete", "service", "shared-b"]);
  await waitFor("the shared address to be nobody's", async () => (await announcers(lab, "203.0.113.30")).length === 0);
});
