import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { waitFor } from "../../lab/index.js";
import type { SessionStatus, SpeakerPlan } from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startFabric } from "./bgp-fabric.js";
import { GobgpDaemon } from "./gobgp-daemon.js";
import { MessageCapture } from "./message-capture.js";
import { inFabric, RemoteSpeaker } from "./remote-speaker.js";

/** Sessions and VTEPs over IPv6, signed with TCP MD5 (RFC 2385). FRR 8.4 knows no VXLAN over IPv6, so the peer is GoBGP. */

const network = "vxlan228";
const mac = "02:00:00:00:02:28";
const right = "/run/right";
const wrong = "/run/wrong";
const plan: SpeakerPlan = {
  vni: 228,
  vtep: "2001:db8:7::20",
  mac,
  routerId: "192.0.2.20",
  localAsn: 65001,
  peerAsn: 65001,
  peers: ["2001:db8:7::30"],
  holdTime: 9,
  passwordFile: right,
  routeDistinguisher: "192.0.2.20:228",
  importRouteTargets: ["65001:228"],
  exportRouteTargets: ["65001:228"],
  gobgpPort: 20228,
};

let fabric: TestNamespaces;
let gobgp: GobgpDaemon;
let speaker: RemoteSpeaker;
let capture: MessageCapture;

before(async () => {
  fabric = await startFabric({ n1: 20, peer: 30 });
  await fabric.exec("n1", ["sh", "-c", `echo correct-horse-228 > ${right}; echo not-this-one > ${wrong}`]);
  gobgp = await GobgpDaemon.start(fabric, "peer", "v4", {
    asn: 65001,
    routerId: "192.0.2.30",
    holdTime: 9,
    neighbours: [{ address: "2001:db8:7::20", asn: 65001, password: "correct-horse-228" }],
  });
  capture = await MessageCapture.start(fabric, "n1");
  speaker = new RemoteSpeaker(inFabric(fabric), "n1");
});

after(async () => {
  await speaker?.kill();
  await fabric?.end();
});

async function session(): Promise<SessionStatus | undefined> {
  return (await speaker.sessions(network))[0];
}

/** The counter of the peer's kernel, as `nstat` names it. */
async function refusedSignatures(): Promise<number> {
  const { stdout } = await fabric.exec("peer", ["nstat", "-a", "-s", "-z", "TcpExtTCPMD5Failure"]);
  return Number(/^TcpExtTCPMD5Failure\s+(\d+)/m.exec(stdout)?.[1]);
}

test("the wrong password: no session, and the peer's kernel has refused the signature", async () => {
  const before = await refusedSignatures();
  await speaker.setNetworks([{ network, plan: { ...plan, passwordFile: wrong } }]);
  const reason = await waitFor("the refusal", async () => {
    const { state, lastError } = (await session()) ?? {};
    assert.notEqual(state, "Established");
    return lastError;
  });
  assert.equal(
    reason,
    `no answer to the connection within 5 s: the peer is away, or its password for this node is not the one in ${wrong}`,
  );
  assert.ok((await refusedSignatures()) > before);
});

test("the right password: Established, with our routes and their IPv6 next hop at the peer", async () => {
  await speaker.setNetworks([]);
  await speaker.setNetworks([{ network, plan }]);
  await speaker.setAddresses(network, ["2001:db8:113::20"]);
  await speaker.initialStateKnown();
  await waitFor("the session", async () => (await session())?.state === "Established");
  const routes = await waitFor("our three routes", async () => {
    const ours = (await gobgp.rib()).filter(({ rd }) => rd === "192.0.2.20:228");
    return ours.length === 3 && ours;
  });
  assert.deepEqual(
    routes.map(({ routeType, ip, nextHop, label }) => [routeType, ip ?? "none", nextHop, label].join(" ")).sort(),
    ["2 2001:db8:113::20 2001:db8:7::20 228", "2 none 2001:db8:7::20 228", "3 2001:db8:7::20 2001:db8:7::20 228"],
  );
});

test("the peer's routes with an IPv6 VTEP are hosts and flooding behind it, an IPv4 VTEP is none for us", async () => {
  const common = ["etag", "0", "rd", "192.0.2.30:228", "rt", "65001:228", "encap", "vxlan"];
  const host = (of: string, nextHop: string) => [
    ...["macadv", of, "0.0.0.0", "etag", "0", "label", "228"],
    ...[...common.slice(2), "nexthop", nextHop],
  ];
  await gobgp.announce(host("02:00:00:00:99:02", "10.0.7.30"), host("02:00:00:00:99:01", "2001:db8:7::30"), [
    ...["multicast", "2001:db8:7::30", ...common, "pmsi", "ingress-repl", "228", "2001:db8:7::30"],
    ...["nexthop", "2001:db8:7::30"],
  ]);
  await waitFor("flooding", async () => (await speaker.forwarding(network))?.flood.length === 1);
  assert.deepEqual(await speaker.forwarding(network), {
    flood: ["2001:db8:7::30"],
    hosts: [{ mac: "02:00:00:00:99:01", vtep: "2001:db8:7::30" }],
    neighbours: [],
  });
});

test("an independent decoder finds nothing wrong in what we sent over IPv6", async () => {
  await speaker.setNetworks([]);
  const ours = "ipv6.src == 2001:db8:7::20";
  await capture.until("our farewell", `${ours} && bgp.type == 3`);
  await capture.assertWellFormed(ours, ["1", "2", "3", "4"]);
});
