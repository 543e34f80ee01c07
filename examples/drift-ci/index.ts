import * as pulumi from "@pulumi/pulumi";
import { PublicNetwork, VlanRouter } from "pulumi-vlan-router";

const config = new pulumi.Config();

const router = new VlanRouter("router", {
  image: config.require("image"),
  podNetworks: ["10.244.0.0/16", "10.96.0.0/16"],
});

const customers = new PublicNetwork("customers", {
  router,
  name: "customers",
  type: "vxlan",
  vxlan: {
    vni: 228,
    nodeNet: "10.0.7.0/24",
    bgp: { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19", "10.0.7.20"], holdTime: 9 },
  },
  routing: { cidr: "203.0.113.0/24", gateway: "203.0.113.1", arpAnnouncer: true },
  // How long `pulumi up` waits for the nodes, in seconds.
  timeoutSeconds: config.getNumber("timeoutSeconds"),
});

export const { routingTable, nodes, ready } = customers;
