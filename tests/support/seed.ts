/** The configuration file that the design and the README show, as it stands. */
export const seed = `podNetworks: [10.244.0.0/16, 10.96.0.0/16]
networks:
  - type: vxlan
    vxlan:
      vni: 228
      nodeNet: 10.0.7.0/24
      bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19, 10.0.7.20] }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1, arpAnnouncer: true }
  - type: vlan
    vlan: { parent: bond0, id: 220 }
    routing: { cidr: 198.51.100.0/24, gateway: 198.51.100.1 }
`;
