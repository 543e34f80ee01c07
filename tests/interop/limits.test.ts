import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../lab/index.js";
import type { SpeakerPlan } from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startFabric } from "./bgp-fabric.js";
import { fabricPlan } from "./fabric-plan.js";
import { addLeafSegment, FrrRouter, plugHost, unplugHost } from "./frr-router.js";
import { GobgpDaemon } from "./gobgp-daemon.js";
import { MessageCapture } from "./message-capture.js";
import { inFabric, RemoteSpeaker } from "./remote-speaker.js";

/** More routes and more MACs than are taken, from leaves that really have them. */

const routeLimit = 20;
const macLimit = 8;

interface Leaf {
  /** Of a host with this number, from 1 on. */
  readonly add: (...hosts: readonly number[]) => Promise<void>;
  readonly remove: (...hosts: readonly number[]) => Promise<void>;
}

const mac = (number: number) => `02:00:00:00:99:${number.toString(16).padStart(2, "0")}`;
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

let fabric: TestNamespaces;
let speaker: RemoteSpeaker;
let capture: MessageCapture;

before(async () => {
  fabric = await startFabric({ n1: 20, frr: 30, gobgp: 31 });
  capture = await MessageCapture.start(fabric, "n1");
  speaker = new RemoteSpeaker(inFabric(fabric), "n1");
});

after(async () => {
  await speaker?.kill();
  await fabric?.end();
});

async function frrLeaf(): Promise<Leaf> {
  await addLeafSegment(fabric, "frr", 228, "10.0.7.30");
  await FrrRouter.start(
    fabric,
    "frr",
    `router bgp 65001
 bgp router-id 10.0.7.30
 no bgp default ipv4-unicast
 neighbor 10.0.7.20 remote-as 65001
 neighbor 10.0.7.20 passive
 address-family l2vpn evpn
  neighbor 10.0.7.20 activate
  advertise-all-vni
 exit-address-family
`,
  );
  return {
    add: async (...hosts) => {
      for (const host of hosts) await plugHost(fabric, "frr", 228, mac(host));
    },
    remove: async (...hosts) => {
      for (const host of hosts) await unplugHost(fabric, "frr", 228, mac(host));
    },
  };
}

async function gobgpLeaf(): Promise<Leaf> {
  const daemon = await GobgpDaemon.start(fabric, "gobgp", "v4", {
    asn: 65001,
    routerId: "10.0.7.31",
    holdTime: 9,
    neighbours: [{ address: "10.0.7.20", asn: 65001 }],
  });
  const communities = ["rd", "10.0.7.31:228", "rt", "65001:228", "encap", "vxlan", "nexthop", "10.0.7.31"];
  const route = (host: number) => ["macadv", mac(host), "0.0.0.0", "etag", "0", "label", "228", ...communities];
  const pmsi = ["pmsi", "ingress-repl", "228", "10.0.7.31"];
  await daemon.announce([
    "multicast",
    "10.0.7.31",
    "etag",
    "0",
    ...communities.slice(0, -2),
    ...pmsi,
    ...communities.slice(-2),
  ]);
  return {
    add: (...hosts) => daemon.announce(...hosts.map(route)),
    remove: (...hosts) => daemon.withdraw(...hosts.map(route)),
  };
}

for (const { name, host, start } of [
  { name: "FRR", host: 30, start: frrLeaf },
  { name: "GoBGP", host: 31, start: gobgpLeaf },
]) {
  describe(`a leaf of ${name}`, () => {
    const network = `limited-${host}`;
    const plan = fabricPlan(`10.0.7.${host}`);
    let leaf: Leaf;

    const speak = (limits: Partial<SpeakerPlan>) =>
      speaker.setNetworks([{ network, plan: { ...plan, maxRoutes: routeLimit, maxMacs: 150_000, ...limits } }]);
    const session = async () => (await speaker.sessions(network))[0];
    const reasons = async () =>
      (await speaker.notices(network)).map(({ reason }) => reason).filter((reason) => /Limit/.test(reason));
    const untilReasons = (...wanted: readonly string[]) =>
      waitFor(`the conditions ${wanted.join()}`, async () => (await reasons()).join() === wanted.join(), {
        timeout: 30_000,
      });
    const untilHosts = (count: number) =>
      speaker.untilForwarding(network, `${count} hosts`, ({ hosts }) => hosts.length === count, 30_000);

    before(async () => {
      leaf = await start();
      await speak({});
      await speaker.initialStateKnown();
      await waitFor("the session", async () => (await session())?.state === "Established", { timeout: 60_000 });
    });

    test("three quarters of the routes are a warning, and nothing else", async () => {
      await leaf.add(...numbers(1, 10));
      await untilHosts(10);
      assert.deepEqual(await reasons(), []);
      await leaf.add(...numbers(11, 15));
      await untilReasons("RoutesNearLimit");
      assert.equal((await session())?.state, "Established");
    });

    test("one above the limit: the session ends, the peer knows why, what it told stays, and it is left alone", async () => {
      await leaf.add(...numbers(16, routeLimit));
      await waitFor("the end", async () => (await session())?.state === "Idle", { timeout: 30_000 });
      assert.deepEqual(await reasons(), ["RouteLimitReached"]);
      assert.match((await session())?.lastError ?? "", /^the peer sent more than 20 routes/);
      // RFC 4486 section 4, within a Hard Reset or not: Cease 6/1 with AFI, SAFI and the limit.
      await capture.until(
        "the NOTIFICATION",
        `ip.dst == 10.0.7.${host} && bgp.type == 3 && frame contains 06:01:00:19:46:00:00:00:14`,
      );
      assert.ok(((await speaker.forwarding(network))?.hosts.length ?? 0) >= routeLimit - 1);
      await sleep(5000);
      assert.equal((await session())?.state, "Idle");
    });

    test("a limit that is raised brings the session back at once, with all that the peer has", async () => {
      await speak({ maxRoutes: 100 });
      await waitFor("the session", async () => (await session())?.state === "Established", { timeout: 30_000 });
      await untilHosts(routeLimit);
      await untilReasons();
    });

    test("of more MACs than the kernel gets the later ones wait, which is told, and follow when others go", async () => {
      await leaf.remove(...numbers(1, routeLimit));
      await untilHosts(0);
      await speak({ maxRoutes: 100, maxMacs: macLimit });
      await leaf.add(...numbers(1, 5));
      await untilHosts(5);
      assert.deepEqual(await reasons(), []);
      await leaf.add(6);
      await untilReasons("MacsNearLimit");
      await leaf.add(...numbers(7, 12));
      await untilReasons("MacLimitReached");
      await untilHosts(macLimit);
      await leaf.remove(...numbers(1, 6));
      await untilReasons("MacsNearLimit");
      await speaker.untilForwarding(
        network,
        "the MACs that waited",
        ({ hosts }) => hosts.map((entry) => entry.mac).join() === numbers(7, 12).map(mac).join(),
        30_000,
      );
    });
  });
}
