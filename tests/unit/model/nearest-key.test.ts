import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { nearestKey } from "../../../model/configuration/nearest-key.js";

const keys = ["bgp", "mtu", "nodeInterface", "nodeNet", "port", "remotes", "vni"];

describe("the key that was meant", () => {
  const near: readonly (readonly [written: string, meant: string])[] = [
    ["nodenet", "nodeNet"],
    ["nodeNte", "nodeNet"],
    ["nodNet", "nodeNet"],
    ["node_net", "nodeNet"],
    ["nodeInterfcae", "nodeInterface"],
    ["prot", "port"],
    ["remote", "remotes"],
    ["vn", "vni"],
    ["vnii", "vni"],
  ];
  for (const [written, meant] of near)
    test(`${written}: ${meant}`, () => assert.equal(nearestKey(written, keys), meant));
});

describe("a far key is not named", () => {
  for (const written of ["gobgpport", "id", "parent", "x", "", "routeTarget", "localAddress"]) {
    test(JSON.stringify(written), () => assert.equal(nearestKey(written, keys), undefined));
  }
});

test("of two that are as near the first in the alphabet is named, whatever their order", () => {
  assert.equal(nearestKey("pert", ["port", "part"]), "part");
  assert.equal(nearestKey("pert", ["part", "port"]), "part");
});
