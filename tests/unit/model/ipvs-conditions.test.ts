import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type NodeFacts, nodeFacts as observedFacts, planNode } from "../../../model/index.js";
import { configurationOf, document, nodeFacts, vxlanNetwork } from "./samples.js";

/** What the kernel does in each of these cases stands in the matrix of tests/vm/guest/return-path-ipvs.ts. */
describe("IPVS", () => {
  const proxied = [...nodeFacts().links, { name: "kube-ipvs0", kind: "dummy", mtu: 1500, up: false }];
  const reasons = (facts: Partial<NodeFacts>, routing = {}) =>
    planNode(configurationOf(document(vxlanNetwork({}, routing))), nodeFacts(facts)).networks[0]?.conditions;
  const notRerouted = {
    reason: "IpvsRepliesNotRerouted",
    message:
      "net.ipv4.vs.snat_reroute is 0: replies of IPVS services at 203.0.113.0/24 leave by the node's default route; run " +
      "sysctl -w net.ipv4.vs.snat_reroute=1 and set it in /etc/sysctl.d",
  };
  const notMasqueraded = {
    reason: "IpvsNotMasqueraded",
    message:
      "net.ipv4.vs.conntrack is 0: nothing that IPVS translates is masqueraded, and pods of other nodes answer clients past " +
      "this node; run sysctl -w net.ipv4.vs.conntrack=1, which the service proxy sets when it starts",
  };

  test("not loaded: nothing to tell", () => assert.equal(reasons({ links: proxied }), undefined));

  test("as kube-proxy sets it up, by source or by mark", () => {
    const ipvs = { conntrack: true, snatReroute: true };
    assert.equal(reasons({ ipvs, links: proxied }), undefined);
    assert.equal(reasons({ ipvs, links: proxied }, { returnPath: "source" }), undefined);
  });

  test("without rerouting replies need their mark", () => {
    const ipvs = { conntrack: true, snatReroute: false };
    assert.equal(reasons({ ipvs }), undefined);
    assert.deepEqual(reasons({ ipvs }, { returnPath: "source" }), [notRerouted]);
  });

  test("and get it only where netfilter knows the connection", () => {
    assert.deepEqual(reasons({ ipvs: { conntrack: false, snatReroute: false } }), [notRerouted]);
  });

  test("without that a service proxy cannot masquerade; a load balancer of its own may do without", () => {
    const ipvs = { conntrack: false, snatReroute: true };
    assert.deepEqual(reasons({ ipvs, links: proxied }), [notMasqueraded]);
    assert.equal(reasons({ ipvs }), undefined);
  });

  test("is loaded where the kernel has its parameters", () => {
    const observed = { links: [], addresses: [], rules: [] };
    const facts = (sysctls: Readonly<Record<string, string>>) => observedFacts({ ...observed, sysctls }, "n1", {}).ipvs;
    assert.deepEqual(facts({ "net.ipv4.vs.conntrack": "1", "net.ipv4.vs.snat_reroute": "0" }), {
      conntrack: true,
      snatReroute: false,
    });
    assert.equal(facts({ "net.ipv4.conf.all.rp_filter": "1" }), undefined);
  });
});
