import { hex } from "./bytes.js";

/*
 * Each case changes one thing in a good UPDATE, as a real peer was tried with. What FRR 8.4.4 and GoBGP 4.8.0 answer
 * differs, mostly to the worse; the outcome here is that of RFC 7606.
 */
export const good = {
  reachFlags: "90",
  nextHop: "04 0a010001",
  nlri: "02 25 0001 0a000001 00e4 00000000000000000000 00000000 30 020000000005 20 64400005 0000e4",
  origin: "40 01 01 00",
  asPath: "40 02 00",
  localPreference: "40 05 04 00000064",
  communities: "c0 10 10 0002fde9000000e4 030c000000000008",
  more: "",
};

type Change = Partial<typeof good>;

function reach({ reachFlags, nextHop, nlri }: Pick<typeof good, "reachFlags" | "nextHop" | "nlri">): string {
  const value = hex(`0019 46 ${nextHop} 00 ${nlri}`);
  return `${reachFlags} 0e ${value.length.toString(16).padStart(4, "0")} ${value.toString("hex")}`;
}

/** Body of an UPDATE. */
export function update(change: Change): Buffer {
  const parts = { ...good, ...change };
  const { origin, asPath, localPreference, communities, more } = parts;
  const attributes = hex([reach(parts), origin, asPath, localPreference, communities, more].join(""));
  const lengths = Buffer.alloc(4);
  lengths.writeUInt16BE(attributes.length, 2);
  return Buffer.concat([lengths, attributes]);
}

export const mac = "02:00:00:00:00:05";
export const inclusiveMulticast = "03 11 0001 0a000001 00e4 00000000 20 0a000001";
export const prefix = "0001 0a000001 00e4 00000000000000000000 00000000";

interface FaultyChange {
  readonly name: string;
  readonly change: Change;
  /** From an external peer the attribute is left, whatever it holds (RFC 7606 sections 7.5, 7.9, 7.10). */
  readonly internalOnly?: true;
}

export const treatedAsWithdraw: readonly FaultyChange[] = [
  { name: "missing ORIGIN", change: { origin: "" } },
  { name: "missing AS_PATH", change: { asPath: "" } },
  { name: "ORIGIN with the flags of an optional attribute", change: { origin: "c0 01 01 00" } },
  { name: "ORIGIN 5", change: { origin: "40 01 01 05" } },
  { name: "LOCAL_PREF of 3 bytes", internalOnly: true, change: { localPreference: "40 05 03 000064" } },
  { name: "EXTENDED COMMUNITIES of 9 bytes", change: { communities: "c0 10 09 0002fde9000000e4 03" } },
  { name: "EXTENDED COMMUNITIES of 0 bytes", change: { communities: "c0 10 00" } },
  { name: "AS_PATH with segment type 9", change: { asPath: "40 02 06 09 01 0000fde9" } },
  { name: "AS_PATH whose segment runs over", change: { asPath: "40 02 06 02 02 0000fde9" } },
  { name: "AS_PATH with AS 0 (RFC 7607)", change: { asPath: "40 02 06 02 01 00000000" } },
  { name: "reserved PMSI tunnel type", change: { nlri: inclusiveMulticast, more: "c0 16 09 00 ff 0000e4 0a000001" } },
  {
    name: "ingress replication with an identifier of 5 bytes",
    change: { nlri: inclusiveMulticast, more: "c0 16 0a 00 06 0000e4 0a000001 00" },
  },
  { name: "corrupt TUNNEL_ENCAPSULATION (FRRouting/frr#14289)", change: { more: "c0 17 06 0007 0004 01 ff" } },
  { name: "an attribute that runs over the list", change: { more: "c0 10 ff 00 02" } },
  { name: "an attribute header cut off", change: { more: "c0" } },
  { name: "CLUSTER_LIST of 3 bytes", internalOnly: true, change: { more: "80 0a 03 0a0000" } },
  { name: "NEXT_HOP of 2 bytes (osrg/gobgp#3305)", change: { more: "40 03 02 0a00" } },
  { name: "MULTI_EXIT_DISC of 3 bytes", change: { more: "80 04 03 000000" } },
  { name: "COMMUNITIES of 3 bytes", change: { more: "c0 08 03 fde900" } },
  { name: "COMMUNITIES of 0 bytes", change: { more: "c0 08 00" } },
  { name: "ORIGINATOR_ID of 3 bytes", internalOnly: true, change: { more: "80 09 03 0a0000" } },
  { name: "IPV6 EXTENDED COMMUNITIES of 8 bytes", change: { more: "c0 19 08 0002fde9000000e4" } },
  { name: "LARGE_COMMUNITY of 11 bytes (osrg/gobgp#1147)", change: { more: `c0 20 0b ${"00".repeat(11)}` } },
  { name: "LARGE_COMMUNITY of 0 bytes", change: { more: "c0 20 00" } },
  { name: "ONLY_TO_CUSTOMER of 2 bytes", change: { more: "c0 23 02 fde9" } },
  { name: "ATOMIC_AGGREGATE with the flags of an optional attribute", change: { more: "c0 06 00" } },
  { name: "AGGREGATOR with the flags of a well-known attribute", change: { more: "40 07 08 0000fde9 0a000001" } },
  { name: "AS4_PATH with the flags of a well-known attribute", change: { more: "40 11 06 02 01 0000fde9" } },
  ...["d0", "50", "10"].map((flags) => ({
    name: `MP_REACH_NLRI with the flags ${flags}`,
    change: { reachFlags: flags },
  })),
];

export const discarded: readonly FaultyChange[] = [
  { name: "ATOMIC_AGGREGATE with a byte", change: { more: "40 06 01 00" } },
  { name: "AGGREGATOR of 6 bytes where AS numbers have four", change: { more: "c0 07 06 fde9 0a000001" } },
  { name: "AIGP metric of 5 bytes", change: { more: "80 1a 05 01 0005 0000" } },
  { name: "AIGP that runs over its end", change: { more: "80 1a 04 02 00ff 00" } },
  { name: "AIGP with the transitive flag", change: { more: "c0 1a 0b 01 000b 0000000000000001" } },
];

/** The same from an external peer. */
export const external: {
  readonly treatedAsWithdraw: readonly FaultyChange[];
  readonly discarded: readonly FaultyChange[];
} = {
  treatedAsWithdraw: [
    ...treatedAsWithdraw.filter(({ internalOnly }) => !internalOnly),
    // RFC 5065 section 5
    { name: "AS_PATH with a confederation's sequence", change: { asPath: "40 02 06 03 01 0000fde9" } },
    { name: "AS_PATH with a confederation's set", change: { asPath: "40 02 06 04 01 0000fde9" } },
  ],
  discarded: [...discarded, ...treatedAsWithdraw.filter(({ internalOnly }) => internalOnly)],
};

/** With what the NOTIFICATION says; the data in hexadecimal. */
export const reset = [
  { name: "next hop of 5 bytes", body: update({ nextHop: "05 0a01000100" }), code: 3, subcode: 1, data: "" },
  { name: "next hop of 0 bytes", body: update({ nextHop: "00" }), code: 3, subcode: 1, data: "" },
  {
    name: "a route that runs over the attribute",
    body: update({ nlri: good.nlri.replaceAll(" ", "").slice(0, 60) }),
    code: 3,
    subcode: 9,
    data: "",
  },
  {
    name: "MP_REACH_NLRI twice",
    body: update({ more: reach(good) }),
    code: 3,
    subcode: 1,
    data: "",
  },
  {
    name: "unknown well-known attribute",
    body: update({ more: "40 c8 01 01" }),
    code: 3,
    subcode: 2,
    data: "40c80101",
  },
  {
    name: "a fault and no route to withdraw (RFC 7606 section 5.2)",
    body: hex("0000 0004 40 01 20 00"),
    code: 3,
    subcode: 5,
    data: "40012000",
  },
  {
    name: "an attribute list longer than the message",
    body: hex("0000 0010 40 01 01 00"),
    code: 3,
    subcode: 1,
    data: "",
  },
  {
    name: "withdrawn routes longer than the message",
    body: hex("0010 0000"),
    code: 3,
    subcode: 1,
    data: "",
  },
];
