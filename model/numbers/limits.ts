/** VNI is 24 bits and 0 is not a network (RFC 7348 section 5; the kernel itself accepts 0). */
export const vniRange = { minimum: 1, maximum: 16_777_215 } as const;
/** IEEE 802.1Q reserves 0 (priority tag) and 4095. */
export const vlanIdRange = { minimum: 1, maximum: 4094 } as const;
/** The kernel takes table numbers of 32 bits (measured). */
export const tableRange = { minimum: 1, maximum: 4_294_967_295 } as const;
/** RFC 4271 section 4.2 allows 0 (no keepalives) too, but then a dead node's routes would stay for ever. */
export const holdTimeRange = { minimum: 3, maximum: 65_535 } as const;
/** RFC 5082: hops to a BGP peer, itself counted; the range of FRR, with which at least 2 is left of a TTL of 255. */
export const ttlSecurityRange = { minimum: 1, maximum: 254 } as const;
/** Routes or MAC addresses: what a node has memory for, and more. */
export const routeLimitRange = { minimum: 1, maximum: 10_000_000 } as const;
/**
 * Routes of one peer that are kept: three times the hundred thousand of a very large fabric. Beyond that the peer has a fault,
 * and the node's memory is worth more than its routes.
 */
export const defaultRouteLimit = 300_000;
/** MACs of one network that the kernel gets: half of the routes, because a host has one with its address and one without. */
export const defaultMacLimit = defaultRouteLimit / 2;
/** How often our AS may stand in a path; the range of FRR's and Junos' option. */
export const allowOwnAsRange = { minimum: 0, maximum: 10 } as const;
/**
 * Milliseconds between BFD packets. Below 50 the hiccups of a busy node's scheduler would end sessions of peers that are well; at
 * more than a minute the hold time of BGP is sooner.
 */
export const bfdIntervalRange = { minimum: 50, maximum: 60_000 } as const;
/** RFC 5880 section 4.1 allows 1 too, where a single lost packet ends the session; FRR takes as many as this. */
export const bfdMultiplierRange = { minimum: 2, maximum: 255 } as const;
/** RFC 6793; 4294967295 is reserved (RFC 7300). */
export const asnRange = { minimum: 1, maximum: 4_294_967_294 } as const;
export const udpPortRange = { minimum: 1, maximum: 65_535 } as const;
/** Ports under 1024 belong to system services. */
export const gobgpPortRange = { minimum: 1024, maximum: 65_535 } as const;
/** Every IPv4 host takes packets of 576 bytes (RFC 791 section 3.1), so that no peer need send less; 65535 is the largest IP packet. */
export const mtuRange = { minimum: 576, maximum: 65_535 } as const;
/** RFC 8200 section 5: the kernel takes IPv6, and its sysctls, from an interface that carries less (addrconf_notify). */
export const ipv6MinimumMtu = 1280;
/** What hosts and gateways send by default (RFC 894). */
export const ethernetMtu = 1500;
export const announceIntervalRange = { minimum: 1, maximum: 3600 } as const;
/** IFNAMSIZ is 16 with the closing zero byte. */
export const interfaceNameLength = 15;

/** RFC 7348 section 8.2; the kernel's own default is 8472. */
export const defaultVxlanPort = 4789;
/** Seconds until peers drop the routes of a node that died; well above a busy node's scheduling hiccups. */
export const defaultHoldTime = 30;
/** Milliseconds and packets, as in FRR: a dead peer is noticed after 900 ms. */
export const defaultBfdInterval = 300;
export const defaultBfdMultiplier = 3;
/** Seconds; well under the 300 s after which switches forget a port (metallb/metallb#2910). */
export const defaultAnnounceInterval = 60;
/** Seconds; common ageing time of a switch's MAC table. */
export const switchAgeingTime = 300;

/** Outer Ethernet 14, IP 20 or 40, UDP 8, VXLAN 8 bytes (RFC 7348 section 5). */
export const vxlanOverhead = { 4: 50, 6: 70 } as const;
