import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type PlacedRoute, RoutesByTarget } from "../../../agent-image/agent/bgp/rib/routes-by-target.js";

const targets = ["65001:1", "65001:2", "65001:3"] as const;

type Step =
  | { readonly kind: "add"; readonly routeTargets: readonly string[] }
  /** A route that is there, by its position modulo their number. */
  | { readonly kind: "remove"; readonly position: number }
  | { readonly kind: "replace"; readonly position: number; readonly routeTargets: readonly string[] };

const lists = fc.subarray([...targets, "65001:1"]);
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    lists.map((routeTargets) => ({ kind: "add", routeTargets }) as const),
    fc.nat().map((position) => ({ kind: "remove", position }) as const),
    fc.record({ kind: fc.constant("replace" as const), position: fc.nat(), routeTargets: lists }),
  ),
  { maxLength: 40 },
);

function routeWith(number: number, routeTargets: readonly string[]): PlacedRoute {
  return {
    route: {
      kind: "inclusive-multicast",
      routeDistinguisher: "10.0.7.19:2",
      ethernetTag: number,
      originator: "10.0.7.19",
    },
    nextHop: "10.0.7.19",
    traits: {
      routeTargets,
      tunnelTypes: [],
      sequence: 0,
      sticky: false,
      longLivedStale: false,
      notLongLived: false,
      flood: undefined,
    },
    stale: false,
    position: 0,
  };
}

test("routes that come, go and are replaced are found by each of their route targets, once, and by no other", () => {
  fc.assert(
    fc.property(steps, (list) => {
      const index = new RoutesByTarget();
      const present: PlacedRoute[] = [];
      for (const [number, step] of list.entries()) {
        if (step.kind === "add") {
          const route = routeWith(number, step.routeTargets);
          present.push(route);
          index.add(route);
          continue;
        }
        const [before] = present.splice(step.position % Math.max(1, present.length), 1);
        if (before === undefined) continue;
        if (step.kind === "remove") {
          index.remove(before);
        } else {
          const after = routeWith(number, step.routeTargets);
          present.push(after);
          index.replace(before, after);
        }
      }
      const questions: readonly (readonly string[])[] = [...targets.map((target) => [target]), targets.slice(0, 2), []];
      for (const wanted of questions) {
        const carrying = present.filter(({ traits }) => traits.routeTargets.some((target) => wanted.includes(target)));
        const found = index.at(wanted);
        assert.equal(found.length, carrying.length);
        assert.deepEqual(new Set(found), new Set(carrying));
      }
      const carried = new Set(present.flatMap(({ traits }) => traits.routeTargets));
      assert.deepEqual(new Set(index.targets()), carried);
    }),
    { numRuns: 1000 },
  );
});
