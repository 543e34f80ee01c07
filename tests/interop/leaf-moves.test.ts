import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ForwardingState } from "../../agent-image/agent/evpn/forwarding-state.js";
import { waitFor } from "../../lab/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startFabric } from "./bgp-fabric.js";
import { fabricPlan, network } from "./fabric-plan.js";
import { addLeafSegment, FrrRouter, plugHost, unplugHost } from "./frr-router.js";
import { KernelEntries } from "./kernel-entries.js";
import { inFabric, RemoteSpeaker } from "./remote-speaker.js";

/**
 * What moves between the node and a leaf of FRR, and between two leaves. Equal claims go to the lower VTEP address (RFC 7432 section
 * 15.1), so one leaf stands below the node and one above it: only right numbers let both directions work with both.
 */

const ownMac = "02:00:00:00:02:28";
const plan = fabricPlan("10.0.7.11", "10.0.7.30");

const leaves = [
  { place: "lower", vtep: "10.0.7.11", other: "10.0.7.30", address: "203.0.113.11", mac: "02:00:00:00:99:11" },
  { place: "higher", vtep: "10.0.7.30", other: "10.0.7.11", address: "203.0.113.30", mac: "02:00:00:00:99:30" },
] as const;
type Place = (typeof leaves)[number]["place"];

const configuration = (own: string, other: string) => `router bgp 65001
 bgp router-id ${own}
 no bgp default ipv4-unicast
 neighbor 10.0.7.20 remote-as 65001
 neighbor 10.0.7.20 passive
 neighbor ${other} remote-as 65001
 neighbor ${other} timers connect 1
 address-family l2vpn evpn
  neighbor 10.0.7.20 activate
  neighbor ${other} activate
  advertise-all-vni
 exit-address-family
`;

let fabric: TestNamespaces;
let speaker: RemoteSpeaker;
const routers = new Map<Place, FrrRouter>();

before(async () => {
  fabric = await startFabric({ n1: 20, lower: 11, higher: 30 });
  for (const { place, vtep, other } of leaves) {
    await addLeafSegment(fabric, place, 228, vtep);
    routers.set(place, await FrrRouter.start(fabric, place, configuration(vtep, other)));
  }
  speaker = new RemoteSpeaker(inFabric(fabric), "n1");
  await speaker.setNetworks([{ network, plan }]);
  await speaker.initialStateKnown();
  await until("both leaves", ({ flood }) => flood.length === 2);
});

after(async () => {
  await speaker?.kill();
  await fabric?.end();
});

const until = (what: string, holds: (state: ForwardingState) => boolean) =>
  speaker.untilForwarding(network, what, holds, 20_000);

const hostBehind = (mac: string, vtep: string) => (state: ForwardingState) =>
  state.hosts.find((host) => host.mac === mac)?.vtep === vtep;

/** What a leaf's kernel holds when a host has answered for an address there. */
const resolve = (place: Place, address: string, mac: string) =>
  fabric.ip(place, `neigh replace ${address} lladdr ${mac} dev br228 nud reachable`);

/** The MAC that a leaf has for an address, and whether it is behind the leaf itself. */
async function bound(place: Place, address: string): Promise<string | undefined> {
  const cache = JSON.parse((await routers.get(place)?.vtysh("show evpn arp-cache vni 228 json")) ?? "{}") as Readonly<
    Record<string, { readonly mac?: string; readonly type?: string } | number>
  >;
  const entry = cache[address];
  return typeof entry === "object" ? `${entry.type} ${entry.mac}` : undefined;
}

const untilBound = (place: Place, address: string, wanted: string) =>
  waitFor(`${address} as ${wanted} at the ${place} leaf`, async () => (await bound(place, address)) === wanted).catch(
    async (error: Error) => {
      throw new Error(`${error.message}; it has ${await bound(place, address)}`);
    },
  );

/** FRR's reading of our MAC mobility numbers on Type-2 routes, each once; undefined: none. */
async function ownNumbers(place: Place): Promise<readonly (string | undefined)[]> {
  const routes = (await routers.get(place)?.routes()) ?? [];
  const ours = routes.filter(({ rd, routeType }) => rd === "10.0.7.20:228" && routeType === 2);
  return [...new Set(ours.map(({ extendedCommunities }) => /MM:(\d+)/.exec(extendedCommunities)?.[1]))];
}

for (const { place, vtep, address, mac } of leaves) {
  describe(`a leaf with a ${place} VTEP address`, () => {
    before(async () => {
      await plugHost(fabric, place, 228, mac);
      await resolve(place, address, mac);
      await until("its host with its address", (state) =>
        state.neighbours.some((neighbour) => neighbour.address === address && neighbour.mac === mac),
      );
    });

    test("an address that comes to us from there is ours at both leaves, although nobody has withdrawn it", async () => {
      await speaker.setAddresses(network, [address]);
      for (const { place: at } of leaves) await untilBound(at, address, `remote ${ownMac}`);
    });

    test("it goes back: the host answers again, above our number, and our number does not rise against it", async () => {
      const before = await ownNumbers(place);
      await resolve(place, address, mac);
      await untilBound(place, address, `local ${mac}`);
      assert.deepEqual(await ownNumbers(place), before);
      await speaker.setAddresses(network, []);
      await until("the host's claim", (state) =>
        state.neighbours.some((neighbour) => neighbour.address === address && neighbour.mac === mac),
      );
    });

    test("and to us once more", async () => {
      await speaker.setAddresses(network, [address]);
      for (const { place: at } of leaves) await untilBound(at, address, `remote ${ownMac}`);
      await speaker.setAddresses(network, []);
    });

    test("our own MAC behind it is told, and starts no race of numbers", async () => {
      const before = await ownNumbers(place);
      await plugHost(fabric, place, 228, ownMac);
      await waitFor("the condition", async () =>
        (await speaker.notices(network)).some(
          ({ reason, message }) => reason === "DuplicateMac" && message.startsWith(`${vtep} announces our MAC`),
        ),
      );
      await speaker.setAddresses(network, ["203.0.113.99"]);
      await waitFor("our other address", async () =>
        ((await routers.get(place)?.routes()) ?? []).some(({ prefix }) => prefix.includes("203.0.113.99")),
      );
      assert.deepEqual(await ownNumbers(place), before);
      await speaker.setAddresses(network, []);
      await unplugHost(fabric, place, 228, ownMac);
      await waitFor("the end of the condition", async () =>
        (await speaker.notices(network)).every(({ reason }) => reason !== "DuplicateMac"),
      );
    });
  });
}

test("a MAC moves from the lower leaf to the higher and back, and we follow each time", async () => {
  const moving = "02:00:00:00:99:99";
  for (const { place, vtep } of [...leaves, ...leaves]) {
    await plugHost(fabric, place, 228, moving);
    await until(`the MAC behind ${vtep}`, hostBehind(moving, vtep));
    // A leaf that does not know of the claim yet makes an equal one, and equal claims do not follow the host (RFC 7432 section 15.1).
    for (const leaf of leaves.filter((other) => other.place !== place)) {
      await new KernelEntries(fabric, leaf.place).untilSome("vni228", { mac: moving, vtep });
    }
  }
});
