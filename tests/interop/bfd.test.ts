import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../lab/index.js";
import { ENTRY_WAITING_PARENTS } from "../../lab/isolation/index.js";
import { signalEntered } from "../../lab/processes/index.js";
import type { SessionStatus, SpeakerPlan } from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startFabric } from "./bgp-fabric.js";
import { FrrRouter } from "./frr-router.js";
import { bfdPackets, MessageCapture } from "./message-capture.js";
import { inFabric, RemoteSpeaker } from "./remote-speaker.js";

/** BFD (RFC 5880, 5881, 5883) with FRR's bfdd, for BGP over IPv4, over IPv6 and between loopback addresses. */

const network = "vxlan228";
const node = { ipv4: "10.0.7.11", ipv6: "2001:db8:7::11", loopback: "10.255.0.11" };
const peer = { ipv4: "10.0.7.19", ipv6: "2001:db8:7::19", loopback: "10.255.0.19" };
/** Seconds. */
const holdTime = 9;

const plan: SpeakerPlan = {
  vni: 228,
  vtep: node.ipv4,
  mac: "02:00:00:00:02:28",
  routerId: node.ipv4,
  localAsn: 65001,
  peerAsn: 65001,
  peers: [peer.ipv4],
  holdTime,
  bfd: { minTxInterval: 200, minRxInterval: 250, multiplier: 3 },
  routeDistinguisher: `${node.ipv4}:228`,
  importRouteTargets: ["65001:228"],
  exportRouteTargets: ["65001:228"],
  gobgpPort: 20228,
};

const bgpd = `router bgp 65001
 bgp router-id ${peer.ipv4}
 no bgp default ipv4-unicast
 timers bgp 3 ${holdTime}
${Object.values(node)
  .map(
    (address) => ` neighbor ${address} remote-as 65001
 neighbor ${address} passive
 neighbor ${address} bfd
`,
  )
  .join("")} neighbor ${node.loopback} update-source ${peer.loopback}
 address-family l2vpn evpn
${Object.values(node)
  .map((address) => `  neighbor ${address} activate\n`)
  .join("")} exit-address-family
`;

/** Of `show bfd peers json`. */
interface BfdPeer {
  readonly peer: string;
  readonly multihop: boolean;
  readonly status: string;
  readonly diagnostic: string;
  readonly "remote-diagnostic": string;
  readonly "remote-receive-interval": number;
  readonly "remote-transmit-interval": number;
  readonly "remote-detect-multiplier": number;
}

let fabric: TestNamespaces;
let frr: FrrRouter;
let speaker: RemoteSpeaker;
let capture: MessageCapture;

before(async () => {
  fabric = await startFabric({ n1: 11, peer: 19 });
  for (const [place, own, other, via] of [
    ["n1", node.loopback, peer.loopback, peer.ipv4],
    ["peer", peer.loopback, node.loopback, node.ipv4],
  ] as const) {
    await fabric.ip(place, `address add ${own}/32 dev lo`, `route add ${other}/32 via ${via}`);
  }
  frr = await FrrRouter.start(fabric, "peer", bgpd, "bfd\n");
  capture = await MessageCapture.start(fabric, "n1", bfdPackets);
  speaker = new RemoteSpeaker(inFabric(fabric), "n1");
});

after(async () => {
  await speaker?.kill();
  await fabric?.end();
});

async function session(): Promise<SessionStatus | undefined> {
  return (await speaker.sessions(network))[0];
}

function speak(change: Partial<SpeakerPlan> = {}): Promise<void> {
  return speaker.setNetworks([{ network, plan: { ...plan, ...change } }]);
}

function reached(state: SessionStatus["state"], bfd: SessionStatus["bfd"]): Promise<SessionStatus> {
  return waitFor(
    `BGP ${state} and BFD ${bfd}`,
    async () => {
      const now = await session();
      return now?.state === state && now.bfd === bfd ? now : undefined;
    },
    { timeout: 30_000 },
  );
}

async function bfdPeer(address: string): Promise<BfdPeer | undefined> {
  const peers = JSON.parse(await frr.vtysh("show bfd peers json")) as readonly BfdPeer[];
  return peers.find((found) => found.peer === address);
}

async function peerSays(address: string, expected: Partial<BfdPeer>): Promise<void> {
  let seen: BfdPeer | undefined;
  await waitFor(
    `bfdd: ${JSON.stringify(expected)}`,
    async () => {
      seen = await bfdPeer(address);
      return (
        seen !== undefined && Object.entries(expected).every(([key, value]) => seen?.[key as keyof BfdPeer] === value)
      );
    },
    { timeout: 15_000 },
  ).catch((error: Error) => assert.fail(`${error.message}; it says ${JSON.stringify(seen)}`));
}

function bfdReason(): Promise<string> {
  return waitFor(
    "the condition BfdDown",
    async () => (await speaker.notices(network)).find(({ reason }) => reason === "BfdDown")?.message,
    { timeout: 30_000 },
  );
}

/** Milliseconds until BGP is not Established any more. */
async function untilDown(): Promise<number> {
  const start = performance.now();
  await waitFor("the end of the session", async () => (await session())?.state !== "Established", { interval: 10 });
  return performance.now() - start;
}

/** In the peer's namespace: its packets leave no more, or not as they were. */
async function damage(rule: string): Promise<void> {
  await fabric.nft("peer", `table inet cut {\n chain out {\n type filter hook output priority 0\n ${rule}\n }\n}\n`);
}

function mend(): Promise<void> {
  return fabric.nft("peer", "delete table inet cut");
}

test("BGP is up first, then BFD on both sides, with the intervals of both", async () => {
  await speak();
  await reached("Established", "Up");
  await peerSays(node.ipv4, {
    multihop: false,
    status: "up",
    "remote-transmit-interval": 200,
    "remote-receive-interval": 250,
    "remote-detect-multiplier": 3,
  });
  assert.deepEqual(
    (await speaker.notices(network)).filter(({ reason }) => reason === "BfdDown"),
    [],
  );
});

test("a peer that falls silent: BGP ends far before the hold time, with RFC 9384's reason, and comes back", async (context) => {
  await damage("drop");
  const duration = await untilDown();
  context.diagnostic(`noticed after ${Math.round(duration)} ms; the hold time is ${holdTime} s`);
  assert.ok(duration < (holdTime * 1000) / 3, `took ${duration} ms`);
  assert.equal((await session())?.lastError, "BFD says that the peer is down: its packets stay away");
  await mend();
  await reached("Established", "Up");
});

test("other intervals are agreed on by Poll and Final while both stay Up, and the BGP session stays", async () => {
  const before = await reached("Established", "Up");
  await speak({ bfd: { minTxInterval: 400, minRxInterval: 350, multiplier: 5 } });
  await peerSays(node.ipv4, {
    status: "up",
    "remote-transmit-interval": 400,
    "remote-receive-interval": 350,
    "remote-detect-multiplier": 5,
  });
  const polls = await capture.decoded(
    `ip.src == ${node.ipv4} && bfd.flags.p == 1 && bfd.detect_time_multiplier == 5`,
    "bfd.desired_min_tx_interval",
  );
  assert.ok(polls.length > 0, "P was sent");
  const since = (await capture.decoded(`ip.src == ${node.ipv4} && bfd`, "bfd.flags.p")).at(-1);
  assert.equal(since, "0", "P has ended with F");
  assert.equal((await session())?.since, before.since);
});

test("the peer's Poll is answered: it goes over to its own new interval", async () => {
  await frr.vtysh("configure terminal", "bfd", `peer ${node.ipv4}`, "transmit-interval 600");
  await waitFor("an F for it", async () => {
    const answers = await capture.decoded(`ip.src == ${node.ipv4} && bfd.flags.f == 1`, "frame.number");
    const polls = await capture.decoded(
      `ip.src == ${peer.ipv4} && bfd.flags.p == 1 && bfd.desired_min_tx_interval == 600000`,
      "frame.number",
    );
    return polls.length > 0 && Number(answers.at(-1)) > Number(polls[0]);
  });
  await peerSays(node.ipv4, { status: "up" });
  await reached("Established", "Up");
});

test("packets that have come through a router end a session over one hop (RFC 5881 section 5)", async () => {
  await damage(`udp dport 3784 ip ttl set 254`);
  assert.ok((await untilDown()) < holdTime * 1000);
  await mend();
  await reached("Established", "Up");
});

test("the thread of BFD ends by a mistake: the next one goes on with the session before the peer misses a packet", async () => {
  const before = await reached("Established", "Up");
  // A thread that ends soon after its start is not trusted with the sessions of the one before.
  await sleep(10_000);
  await speaker.endBfdThread();
  await reached("Established", "Up");
  // Longer than the peer's detection time, and than that of the second thread.
  await sleep(3000);
  await peerSays(node.ipv4, { status: "up" });
  assert.equal((await session())?.since, before.since);
  const ports = await capture.decoded(`ip.src == ${node.ipv4} && bfd && frame.time_relative > 1`, "udp.srcport");
  assert.equal(ports.at(-1), ports.at(-30), "RFC 5881 section 4: one source port for each session");
});

test("it ends again at once: the condition says so, peers take their session down, and a new one comes up", async () => {
  await speaker.endBfdThread();
  await waitFor(
    "the condition",
    async () =>
      (await speaker.notices(network)).find(({ reason }) => reason === "BfdDown")?.message ===
      "BFD with 10.0.7.19 cannot run (the thread has ended with code 1) and is tried again; until then its death is noticed " +
        "after the hold time (9 s)",
    { interval: 10 },
  );
  await untilDown();
  await reached("Established", "Up");
});

test("a peer whose operator shuts BFD down keeps its BGP session, and the network says what is missing", async () => {
  const before = await reached("Established", "Up");
  await frr.vtysh("configure terminal", "bfd", `peer ${node.ipv4}`, "shutdown");
  await reached("Established", "Down");
  assert.equal(
    await bfdReason(),
    "10.0.7.19 has BFD shut down (AdminDown): start it there again, or set bgp.bfd to false; until then its death is noticed " +
      "after the hold time (9 s)",
  );
  assert.equal((await session())?.since, before.since);
  await frr.vtysh("configure terminal", "bfd", `peer ${node.ipv4}`, "no shutdown");
  await reached("Established", "Up");
});

test("BFD off here: the peer hears AdminDown, and what BGP sessions it ends for that come back", async (context) => {
  const before = await reached("Established", "Up");
  const { bfd: _off, ...without } = plan;
  await speaker.setNetworks([{ network, plan: without }]);
  await peerSays(node.ipv4, { status: "down", diagnostic: "neighbor signaled session down" });
  const after = await reached("Established", undefined);
  // RFC 5882 section 4.2.2 lets them stand; FRR 8.4 sends Cease, BFD Down.
  context.diagnostic(`FRR has ${after.since === before.since ? "kept" : "ended"} the session`);
  await speak();
  await reached("Established", "Up");
});

test("a peer without BFD: BGP is up all the same, and the network says so after a while", async () => {
  await frr.configure(65001, `no neighbor ${node.ipv4} bfd`);
  await frr.vtysh("configure terminal", "bfd", `no peer ${node.ipv4}`);
  await reached("Established", "Down");
  assert.equal(
    await bfdReason(),
    "10.0.7.19 does not answer BFD on UDP port 3784: enable it there for 10.0.7.11, let the port through, look whether the peer " +
      "takes this node to be through routers (then bgp.bfd.multihop is true), or set bgp.bfd to false; until then its death is " +
      "noticed after the hold time (9 s)",
  );
  await frr.configure(65001, `neighbor ${node.ipv4} bfd`);
  await reached("Established", "Up");
});

test("another program holds the port: BGP is up all the same, the network says so, and BFD begins when the port is free", async () => {
  const listeners = async () => (await fabric.exec("n1", ["ss", "-Hlnu", "sport = :3784"])).stdout;
  await speak({ peers: [] });
  await waitFor("the port, which AdminDown still uses", async () => (await listeners()) === "");
  const script = `require("node:dgram").createSocket("udp4").bind(3784)`;
  const holder = fabric.spawn("n1", [process.execPath, "-e", script], { stdio: "inherit" });
  await waitFor("the other program", async () => (await listeners()) !== "");
  await speak();
  assert.match(
    await bfdReason(),
    /^BFD with 10\.0\.7\.19 cannot run: another program, such as bfdd of FRR, holds UDP port 3784 of 10\.0\.7\.11;/,
  );
  assert.equal((await session())?.state, "Established");
  await signalEntered(holder, ENTRY_WAITING_PARENTS, "SIGTERM");
  await reached("Established", "Up");
});

describe("other pairs of addresses", () => {
  // FRR 8.4 knows no VXLAN over IPv6, so that the tunnels stay where they were.
  test("IPv6", async () => {
    await speak({ source: node.ipv6, peers: [peer.ipv6] });
    await reached("Established", "Up");
    await peerSays(node.ipv6, { status: "up", multihop: false });
    await damage("drop");
    assert.ok((await untilDown()) < (holdTime * 1000) / 3);
    await mend();
    await reached("Established", "Up");
  });

  test("loopback addresses, which no interface has in its prefix: both ends take it for multihop (RFC 5883)", async () => {
    await speak({ source: node.loopback, peers: [peer.loopback] });
    await reached("Established", "Up");
    await peerSays(node.loopback, { status: "up", multihop: true });
    await damage("drop");
    assert.ok((await untilDown()) < (holdTime * 1000) / 3);
    await mend();
    await reached("Established", "Up");
  });
});

test("the agent's end: AdminDown, so that the peer does not take it for a failure", async () => {
  await speaker.close(false);
  await peerSays(node.loopback, { status: "down", diagnostic: "neighbor signaled session down" });
});

test("Wireshark has nothing to say against our packets; TTL and ports are those of RFC 5881 and 5883", async () => {
  const ours = `(ip.src == ${node.ipv4} || ip.src == ${node.loopback} || ipv6.src == ${node.ipv6}) && bfd`;
  const ports = (await capture.decoded(ours, "udp.srcport")).map(Number);
  assert.ok(ports.length > 0 && ports.every((port) => port >= 49_152));
  assert.deepEqual([...new Set(await capture.decoded(`${ours} && ip`, "ip.ttl"))], ["255"]);
  assert.deepEqual([...new Set(await capture.decoded(`${ours} && ipv6`, "ipv6.hlim"))], ["255"]);
  assert.deepEqual(
    [...new Set(await capture.decoded(`${ours} && ip.src == ${node.loopback}`, "udp.dstport"))],
    ["4784"],
  );
  assert.deepEqual(
    [...new Set(await capture.decoded(`${ours} && !(ip.src == ${node.loopback})`, "udp.dstport"))],
    ["3784"],
  );
  await capture.assertWellFormed(ours.replace(" && bfd", ""), ["0x00", "0x01", "0x02", "0x03"]);
});
