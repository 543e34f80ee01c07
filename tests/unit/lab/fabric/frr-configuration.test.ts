import assert from "node:assert/strict";
import { test } from "node:test";
import { bgpdConfiguration } from "../../../../lab/fabric/frr-configuration.js";

// FRR 8.4.4 took this text without a complaint and brought both reflectors' session up.
const RR2 = `hostname rr2
router bgp 65001
 bgp router-id 10.0.7.20
 bgp cluster-id 10.0.7.19
 bgp log-neighbor-changes
 no bgp default ipv4-unicast
 neighbor NODES peer-group
 neighbor NODES remote-as 65001
 neighbor NODES timers 3 9
 neighbor NODES passive
 bgp listen range 10.0.7.11/32 peer-group NODES
 bgp listen range 10.0.7.12/32 peer-group NODES
 bgp listen range 10.0.7.13/32 peer-group NODES
 neighbor 10.0.7.19 remote-as 65001
 neighbor 10.0.7.19 timers 3 9
 neighbor 10.0.7.19 timers connect 1
 address-family l2vpn evpn
  neighbor NODES activate
  neighbor NODES route-reflector-client
  neighbor 10.0.7.19 activate
  advertise-all-vni
 exit-address-family
`;

test("a reflector listens for the nodes and connects to the other reflector only", () => {
  assert.equal(bgpdConfiguration("rr2"), RR2);
});

test("both reflectors have one cluster id and each its own router id", () => {
  const rr1 = bgpdConfiguration("rr1");
  assert.match(rr1, /^ bgp router-id 10\.0\.7\.19$/m);
  assert.match(rr1, /^ bgp cluster-id 10\.0\.7\.19$/m);
  assert.match(rr1, /^ neighbor 10\.0\.7\.20 remote-as 65001$/m);
});
