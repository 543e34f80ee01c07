import assert from "node:assert/strict";
import { test } from "node:test";
import { routeTargets } from "../../../model/numbers/route-targets.js";

const session = { peers: ["10.0.7.19"], holdTime: 30 };

test("rfc8365 sets the VXLAN type above the VNI (RFC 8365 section 5.1.2.1)", () => {
  assert.deepEqual(routeTargets({ ...session, myAsn: 65001, peerAsn: 65001, routeTarget: "rfc8365" }, 228), {
    import: ["65001:268435684"],
    export: ["65001:268435684"],
  });
});

test("frr keeps the low 16 bits of a four-byte AS (FRRouting/frr#22949)", () => {
  const asn = 4_200_000_000;
  assert.deepEqual(routeTargets({ ...session, myAsn: asn, peerAsn: asn, routeTarget: "frr" }, 228), {
    import: ["59904:228"],
    export: ["59904:228"],
  });
});

test("importRouteTargets replace what would be derived, and leave the export alone", () => {
  const importRouteTargets = ["65002:228", "65003:228"];
  assert.deepEqual(routeTargets({ ...session, myAsn: 65001, peerAsn: 65002, importRouteTargets }, 228), {
    import: ["65002:228", "65003:228"],
    export: ["65001:228"],
  });
});
