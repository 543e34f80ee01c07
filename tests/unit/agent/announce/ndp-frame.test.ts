import assert from "node:assert/strict";
import { test } from "node:test";
import {
  gatewaySolicitation,
  linkLocalSolicitation,
  readAdvertisement,
  readNeighbour,
  unsolicitedAdvertisement,
} from "../../../../agent-image/agent/announce/ndp-frame.js";

const mac = "02:e4:0a:00:07:0b";
const address = "2001:db8:1::10";

/** What Linux 6.18 sends itself, as tcpdump showed it. */
const ofLinux = {
  /** With ndisc_notify=1, when an address comes on an interface that is set up. */
  advertisement:
    "333300000001 02e40a00070b 86dd" +
    "60000000 0020 3a ff 20010db8000100000000000000000010 ff020000000000000000000000000001" +
    "88 00 e71c 20000000 20010db8000100000000000000000010 02 01 02e40a00070b",
  /** For `ping -I 2001:db8:1::10 2001:db8:1::1`. */
  solicitation:
    "3333ff000001 02e40a00070b 86dd" +
    "60000000 0020 3a ff 20010db8000100000000000000000010 ff0200000000000000000001ff000001" +
    "87 00 0a2a 00000000 20010db8000100000000000000000001 01 01 02e40a00070b",
  /** A router's answer to it. */
  answer:
    "02e40a00070b 02e40a000713 86dd" +
    "60000000 0020 3a ff 20010db8000100000000000000000001 20010db8000100000000000000000010" +
    "88 00 f86b e0000000 20010db8000100000000000000000001 02 01 02e40a000713",
};

test("D7: an unsolicited advertisement is the kernel's own, octet by octet (RFC 4861 section 7.2.6)", () => {
  assert.equal(unsolicitedAdvertisement(mac, address).toString("hex"), ofLinux.advertisement.replaceAll(" ", ""));
});

test("D7: a solicitation of the gateway is the kernel's own for that source (RFC 4861 section 4.3)", () => {
  const frame = gatewaySolicitation(mac, address, "2001:db8:1::1");
  assert.equal(frame.toString("hex"), ofLinux.solicitation.replaceAll(" ", ""));
});

test("a solicitation that claims nothing comes from the link-local address of the MAC (RFC 4291 appendix A)", () => {
  assert.equal(linkLocalSolicitation(mac, "fe80::1").toString("hex", 22, 38), "fe8000000000000000e40afffe00070b");
});

test("what is no MAC or IPv6 address is refused with its value", () => {
  assert.throws(() => unsolicitedAdvertisement("02:e4", address), /"02:e4" is not a MAC address/);
  assert.throws(() => unsolicitedAdvertisement(mac, "203.0.113.10"), /"203\.0\.113\.10" is not an IPv6 address/);
  assert.throws(() => gatewaySolicitation(mac, address, "fe80::1%eth0"), /"fe80::1%eth0" is not an IPv6 address/);
});

const bytes = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");

test("an advertisement names the address that it answers for, with its option and without (RFC 4861 section 4.4)", () => {
  assert.equal(readAdvertisement(bytes(ofLinux.answer)), "2001:db8:1::1");
  assert.equal(readAdvertisement(bytes(ofLinux.answer).subarray(0, 78)), "2001:db8:1::1");
});

for (const [what, frame] of [
  ["a solicitation", ofLinux.solicitation],
  ["one that a router passed on (hop limit 254)", ofLinux.answer.replace(" 3a ff ", " 3a fe ")],
  ["one with another code", ofLinux.answer.replace("88 00 ", "88 01 ")],
  ["another protocol than ICMPv6", ofLinux.answer.replace(" 3a ff ", " 11 ff ")],
  ["another EtherType", ofLinux.answer.replace("86dd", "0806")],
  ["one that ends in its target", ofLinux.answer.slice(0, -24)],
  ["nothing", ""],
] as const) {
  test(`no answer: ${what} (RFC 4861 section 7.1.2)`, () => {
    assert.equal(readAdvertisement(bytes(frame)), undefined);
  });
}

/** The two ways to say that an address is one's own, and the MAC that is meant where the frame came from another. */
const passedOn = (frame: string) => frame.replace("02e40a000713 86dd", "02e40a0000ff 86dd");
for (const [what, frame, sender] of [
  ["an answer", ofLinux.answer, { address: "2001:db8:1::1", mac: "02:e4:0a:00:07:13" }],
  ["an unsolicited advertisement", ofLinux.advertisement, { address, mac }],
  ["a solicitation with the address as source", ofLinux.solicitation, { address, mac }],
  ["a proxy's answer", passedOn(ofLinux.answer), { address: "2001:db8:1::1", mac: "02:e4:0a:00:07:13" }],
  [
    "an answer without option: the frame's",
    passedOn(ofLinux.answer).slice(0, -16),
    { address: "2001:db8:1::1", mac: "02:e4:0a:00:00:ff" },
  ],
  [
    "the MAC behind another option (nonce, RFC 3971 section 5.3.2)",
    ofLinux.solicitation.replace(" 01 01 ", " 0e01123456789abc 01 01 "),
    { address, mac },
  ],
  ["an option of no length: the frame's", ofLinux.solicitation.replace(" 01 01 ", " 01 00 "), { address, mac }],
] as const) {
  test(`who speaks for an address: ${what}`, () => {
    assert.deepEqual(readNeighbour(bytes(frame)), sender);
  });
}

for (const [what, frame] of [
  [
    "a question whether anybody has the address (RFC 4862 section 5.4)",
    ofLinux.solicitation.replace("20010db8000100000000000000000010", "0".repeat(32)),
  ],
  ["a router solicitation", ofLinux.solicitation.replace("87 00 ", "85 00 ")],
  ["a solicitation that a router passed on", ofLinux.solicitation.replace(" 3a ff ", " 3a fe ")],
  ["one that ends in its target", ofLinux.solicitation.slice(0, -24)],
  ["ARP", "ffffffffffff 02e40a00070b 0806 0001 0800 06 04 0001"],
] as const) {
  test(`nobody speaks for an address: ${what}`, () => {
    assert.equal(readNeighbour(bytes(frame)), undefined);
  });
}
