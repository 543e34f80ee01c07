import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ReceivedRoute } from "../../../agent-image/agent/bgp/rib/received-route.js";
import type { ForwardingChanges } from "../../../agent-image/agent/evpn/forwarding-state.js";
import { NetworkRib } from "../../../agent-image/agent/evpn/network-rib.js";
import { flood, host } from "./received-routes.js";

const own = { vni: 228, vtep: "10.0.7.11", mac: "02:00:00:00:00:11" };

/** Few of each, so that routes meet; in the order of their text. The own MAC and VTEP are among them, and a VTEP that nobody can send to. */
const macs = ["02:00:00:00:00:0a", "02:00:00:00:00:0b", "02:00:00:00:00:0c", own.mac] as const;
const addresses = [undefined, "2001:db8::10", "203.0.113.10", "203.0.113.20"] as const;
const vteps = ["10.0.7.9", "10.0.7.10", "10.0.7.19", own.vtep, "127.0.0.1"] as const;

const hosts = fc
  .record({
    mac: fc.constantFrom(...macs),
    ip: fc.constantFrom(...addresses),
    vtep: fc.constantFrom(...vteps),
    sequence: fc.integer({ min: 0, max: 3 }),
    sticky: fc.boolean(),
    stale: fc.boolean(),
    label: fc.constantFrom(228, 228, 228, 999),
    tunnelTypes: fc.constantFrom([8], [], [10]),
  })
  .map(({ ip, ...rest }) => host({ ...rest, ...(ip === undefined ? {} : { ip }) }));
const floods = fc
  .record({ originator: fc.constantFrom(...vteps), endpoint: fc.constantFrom(undefined, ...vteps) })
  .map(({ originator, endpoint }) => flood(originator, endpoint));

type Step =
  | { readonly kind: "add"; readonly route: ReceivedRoute }
  /** A route that is there, by its position modulo their number. */
  | { readonly kind: "remove"; readonly position: number }
  | { readonly kind: "own"; readonly addresses: readonly string[] }
  /** The kernel is told. */
  | { readonly kind: "take" };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: hosts.map((route) => ({ kind: "add", route }) as const) },
    { weight: 2, arbitrary: floods.map((route) => ({ kind: "add", route }) as const) },
    { weight: 5, arbitrary: fc.nat().map((position) => ({ kind: "remove", position }) as const) },
    {
      weight: 1,
      arbitrary: fc
        .subarray(["203.0.113.10", "2001:db8::10"])
        .map((owned) => ({ kind: "own", addresses: owned }) as const),
    },
    { weight: 2, arbitrary: fc.constant({ kind: "take" } as const) },
  ),
  { maxLength: 60 },
);

/** The rules of RFC 7432 section 15 and RFC 8365, said once more from the text and without an index: all routes, each time. */
function recomputed(routes: readonly ReceivedRoute[], ownAddresses: readonly string[]) {
  const reachable = (address: string) => address !== own.vtep && address !== "127.0.0.1";
  const vxlan = routes.filter(({ traits: { tunnelTypes } }) => tunnelTypes.length === 0 || tunnelTypes.includes(8));
  const claims = vxlan.flatMap(({ route, nextHop, traits, stale }) =>
    route.kind === "mac-ip" && route.label === 228 && route.mac !== own.mac && reachable(nextHop)
      ? [{ mac: route.mac, ip: route.ip, vtep: nextHop, ...traits, stale }]
      : [],
  );
  const lastByte = (address: string) => Number(address.split(".")[3]);
  const ranked = claims.toSorted((a, b) => {
    if (a.stale !== b.stale) return a.stale ? 1 : -1;
    if (a.sticky !== b.sticky) return a.sticky ? -1 : 1;
    if (a.sequence !== b.sequence) return b.sequence - a.sequence;
    if (a.vtep !== b.vtep) return lastByte(a.vtep) - lastByte(b.vtep);
    return a.mac < b.mac ? -1 : Number(a.mac > b.mac);
  });
  const bestOf = (which: (claim: (typeof ranked)[number]) => boolean) => ranked.find(which);
  const floodTo = vxlan.flatMap(({ traits }) => traits.flood?.endpoint ?? []).filter(reachable);
  return {
    flood: [...new Set(floodTo)].sort(),
    hosts: macs.flatMap((mac) => {
      const best = bestOf((claim) => claim.mac === mac);
      return best === undefined ? [] : [{ mac, vtep: best.vtep }];
    }),
    neighbours: addresses.flatMap((address) => {
      const best = bestOf(({ ip }) => address !== undefined && ip === address);
      return address === undefined || best === undefined || ownAddresses.includes(address)
        ? []
        : [{ address, mac: best.mac }];
    }),
  };
}

/** What somebody holds who only hears of changes. */
class Follower {
  readonly #flood = new Set<string>();
  readonly #hosts = new Map<string, string>();

  hear({ flood: changes, hosts: moved }: ForwardingChanges): void {
    for (const { vtep, wanted } of changes) {
      assert.equal(this.#flood.has(vtep), !wanted, "no change that is none");
      if (wanted) this.#flood.add(vtep);
      else this.#flood.delete(vtep);
    }
    for (const { mac, vtep } of moved) {
      assert.notEqual(this.#hosts.get(mac), vtep, "no change that is none");
      if (vtep === undefined) this.#hosts.delete(mac);
      else this.#hosts.set(mac, vtep);
    }
  }

  get state() {
    const byMac = [...this.#hosts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return { flood: [...this.#flood].sort(), hosts: byMac.map(([mac, vtep]) => ({ mac, vtep })) };
  }
}

test("after any routes that come, go and are replaced, all is as if it had been computed from those that are there", () => {
  fc.assert(
    fc.property(steps, (list) => {
      const rib = new NetworkRib(own);
      const follower = new Follower();
      const present: ReceivedRoute[] = [];
      let owned: readonly string[] = [];
      for (const step of list) {
        switch (step.kind) {
          case "add":
            present.push(step.route);
            rib.add(step.route);
            break;
          case "remove": {
            const [gone] = present.splice(step.position % Math.max(1, present.length), 1);
            if (gone !== undefined) rib.remove(gone);
            break;
          }
          case "own":
            owned = step.addresses;
            rib.setOwnAddresses(owned);
            break;
          case "take": {
            follower.hear(rib.takeChanges());
            const { flood: vtepsNow, hosts: hostsNow } = recomputed(present, owned);
            assert.deepEqual(follower.state, { flood: vtepsNow, hosts: hostsNow });
          }
        }
      }
      assert.deepEqual(rib.forwarding(), recomputed(present, owned));
    }),
    { numRuns: 1000 },
  );
});
