/** The node's one nft table; family `inet` holds IPv4 and IPv6 rules together. */
export const nftFamily = "inet";
export const nftTableName = "vlan_router";
