import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { TestNamespaces } from "../support/namespace.js";
import { configuration } from "./base-node.js";
import { NODE, POD, REMOTE_POD, request, serve, startPublicSegment, takeCount, VIP, VTEPS } from "./public-segment.js";
import { RemoteReconciler } from "./remote-reconciler.js";

const yaml = (returnPath: string) => `
podNetworks: [10.244.0.0/16, 10.96.0.0/16]
networks:
  - type: vxlan
    vxlan:
      vni: 228
      nodeNet: 10.0.7.0/24
      bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19, 10.0.7.20] }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1, returnPath: ${returnPath} }
`;

type ServiceKind = "local address" | "pod" | "pod, masqueraded" | "remote pod, masqueraded" | "host network";
const kinds: readonly ServiceKind[] = [
  "local address",
  "pod",
  "pod, masqueraded",
  "remote pod, masqueraded",
  "host network",
];

const backend: Readonly<Record<Exclude<ServiceKind, "local address">, string>> = {
  pod: `${POD}:80`,
  "pod, masqueraded": `${POD}:80`,
  "remote pod, masqueraded": `${REMOTE_POD}:80`,
  "host network": `${NODE}:8080`,
};

/** What kube-proxy writes in nftables mode, reduced to one Service; masquerading is externalTrafficPolicy Cluster. */
function serviceProxy(kind: Exclude<ServiceKind, "local address">): string {
  const masquerade = kind.endsWith("masqueraded") ? "meta mark & 0x4000 == 0x4000 masquerade" : "";
  const translate = `ip daddr ${VIP} tcp dport 80 meta mark set meta mark or 0x4000 dnat ip to ${backend[kind]}`;
  return `
table inet kube_proxy {
  chain prerouting { type nat hook prerouting priority dstnat;
    ${translate}
  }
  chain postrouting { type nat hook postrouting priority srcnat;
    ${masquerade}
  }
}
`;
}

/** Counts packets with the public source address by the door by which they leave. */
const DOORS = `
table inet doors {
  counter right {}
  counter wrong {}
  chain postrouting { type filter hook postrouting priority 300;
    oifname "vxlan228" ip saddr ${VIP} counter name right
    oifname "eth0" ip saddr ${VIP} counter name wrong
  }
}
`;

interface Expectation {
  readonly title: string;
  readonly returnPath: "mark" | "source";
  readonly rpFilterAll: 0 | 1;
  /** Kinds for which the client gets an answer; for all others the reply leaves by the wrong door. */
  readonly works: readonly ServiceKind[];
}

const matrix: readonly Expectation[] = [
  { title: "with reply marks", returnPath: "mark", rpFilterAll: 0, works: kinds },
  { title: "with marks both ways under strict rp_filter", returnPath: "mark", rpFilterAll: 1, works: kinds },
  // What made marks necessary; it also shows that the tests above could fail.
  { title: "with source rules alone", returnPath: "source", rpFilterAll: 0, works: ["local address"] },
];

for (const { title, returnPath, rpFilterAll, works } of matrix) {
  describe(`return path ${title}`, () => {
    let net: TestNamespaces;
    let reconciler: RemoteReconciler;

    before(async () => {
      net = await startPublicSegment();
      await net.sysctl("n1", `net.ipv4.conf.all.rp_filter=${rpFilterAll}`);
      reconciler = RemoteReconciler.start(net, "n1");
      const plan = await reconciler.plan(configuration(yaml(returnPath)));
      const result = await reconciler.reconcile(plan);
      assert.deepEqual([result.node.errors, result.networks[0]?.errors, plan.unplanned], [[], [], []]);
      await reconciler.applyForwarding("vxlan228", { flood: VTEPS, hosts: [], neighbours: [] });
      await net.nft("n1", DOORS);
      // The address is on no interface; MetalLB would answer for it.
      const { stdout: mac } = await net.exec("n1", ["cat", "/sys/class/net/vxlan228/address"]);
      await net.ip("gateway", `neigh replace ${VIP} lladdr ${mac.trim()} dev public nud permanent`);
      await serve(net, "pod", "80", "pod");
      await serve(net, "remote-pod", "80", "remote pod");
      await serve(net, "n1", `${NODE}:8080`, "host network");
    });
    after(async () => {
      await reconciler?.end();
      await net?.end();
    });

    for (const kind of kinds) {
      it(`${kind}: ${works.includes(kind) ? "answers the client by the right door" : "replies by the wrong door"}`, async () => {
        if (kind === "local address") {
          await net.ip("n1", `address add ${VIP}/32 dev lo`);
          await serve(net, "n1", `${VIP}:80`, kind);
        } else {
          await net.nft("n1", serviceProxy(kind));
        }
        const answer = await request(net, "client", VIP);
        const right = await takeCount(net, "n1", "doors", "right");
        const wrong = await takeCount(net, "n1", "doors", "wrong");
        console.log(
          `${title}, ${kind}: ${answer ?? "no answer"}; replies by vxlan228 ${right}, by the default gateway ${wrong}`,
        );
        // The pod that calls the public address itself must get its answer too, by neither door.
        const answerToPod = await request(net, "caller", VIP);
        if (kind === "local address") await net.ip("n1", `address del ${VIP}/32 dev lo`);
        else await net.exec("n1", ["nft", "delete", "table", "inet", "kube_proxy"]);

        const expected = kind.replace(", masqueraded", "");
        assert.equal(answerToPod, expected);
        if (works.includes(kind)) {
          assert.equal(answer, expected);
          assert.ok(right >= 4, `SYN-ACK, ACK, data and FIN: ${right}`);
          assert.equal(wrong, 0);
        } else {
          assert.equal(answer, undefined);
          assert.equal(right, 0);
          assert.ok(wrong > 0);
        }
      });
    }

    it("pods reach each other as before", async () => {
      assert.equal(await request(net, "caller", POD), "pod");
      assert.equal(await request(net, "caller", REMOTE_POD), "remote pod");
    });
  });
}
