import assert from "node:assert/strict";
import { test } from "node:test";
import { startAnnouncer } from "../../../../agent-image/agent/announce/announcer.js";
import { framesOf } from "../../../../agent-image/agent/announce/frames.js";
import type { Announcement } from "../../../../agent-image/agent/announce/schedule.js";

const vip: Announcement = {
  device: "vxlan228",
  mac: "02:e4:0a:00:07:0b",
  family: 4,
  address: "203.0.113.10",
  gateway: "203.0.113.1",
  interval: 60,
  periodic: true,
  repeated: false,
};

function announce(owned: readonly Announcement[], refuse?: string) {
  const sent: { readonly device: string; readonly frame: Buffer }[] = [];
  const errors: string[] = [];
  const sender = {
    send: (device: string, frame: Buffer) => {
      if (refuse === device) throw new Error(`cannot send on ${device}: ENETDOWN`);
      sent.push({ device, frame });
    },
    close: () => undefined,
  };
  const announcer = startAnnouncer(sender, (error) => errors.push(error.message));
  announcer.set(owned);
  announcer.close();
  return { sent, errors };
}

test("D10: a takeover sends the announcement and the question to the gateway at once, on the network's interface alone", () => {
  const { sent } = announce([vip]);
  // By their targets: the address itself, then the gateway (RFC 826: the last four octets of 28, before the padding).
  assert.deepEqual(
    sent.map(({ device, frame }) => [device, [...frame.subarray(38, 42)].join(".")]),
    [
      ["vxlan228", "203.0.113.10"],
      ["vxlan228", "203.0.113.1"],
    ],
  );
});

test("an interface that refuses frames does not keep others silent", () => {
  const { sent, errors } = announce([vip, { ...vip, device: "vlan220", address: "198.51.100.7" }], "vxlan228");
  assert.deepEqual([...new Set(sent.map(({ device }) => device))], ["vlan220"]);
  assert.deepEqual(errors, ["cannot send on vxlan228: ENETDOWN"]);
});

test("D6: a thousand addresses at once send no more than the node's budget of 200 frames at once", () => {
  const owned = Array.from({ length: 1000 }, (_, index) => ({
    ...vip,
    address: `203.0.${113 + (index >> 8)}.${index & 255}`,
  }));
  const { sent } = announce(owned);
  assert.ok(sent.length >= 198 && sent.length <= 202, `${sent.length} frames`);
});

test("a step without an announcement is the question to the gateway alone, in either family", () => {
  const targets = (announcement: Announcement, from: number) =>
    framesOf({ announcement, form: "none" }).map((frame) => frame.subarray(from, from + 4).toString("hex"));
  assert.deepEqual(targets(vip, 38), ["cb007101"]);
  const ipv6 = { ...vip, family: 6, address: "2001:db8:1::10", gateway: "2001:db8:1::1" } as const;
  // The last four octets of a solicitation's target (RFC 4861 section 4.3).
  assert.deepEqual(targets(ipv6, 74), ["00000001"]);
});
