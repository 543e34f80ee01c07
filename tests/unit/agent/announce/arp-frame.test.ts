import assert from "node:assert/strict";
import { test } from "node:test";
import {
  announcementReply,
  announcementRequest,
  gatewayRequest,
  readReply,
  readSender,
} from "../../../../agent-image/agent/announce/arp-frame.js";

const ethernet = [
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff], // destination: broadcast
  [0x02, 0xe4, 0x0a, 0x00, 0x07, 0x0b], // source
  [0x08, 0x06], // EtherType ARP
];
const fixed = [
  [0x00, 0x01], // hardware type: Ethernet
  [0x08, 0x00], // protocol type: IPv4
  [0x06], // hardware address length
  [0x04], // protocol address length
];
const padding = new Array<number>(18).fill(0);

function bytes(...parts: readonly (readonly number[])[]): string {
  return Buffer.from(parts.flat()).toString("hex");
}

test("D7: an announcement in request form has sender and target address alike (RFC 5227 section 2.3)", () => {
  const expected = bytes(
    ...ethernet,
    ...fixed,
    [0x00, 0x01], // operation: request
    [0x02, 0xe4, 0x0a, 0x00, 0x07, 0x0b], // sender hardware
    [203, 0, 113, 10], // sender protocol
    [0x00, 0x00, 0x00, 0x00, 0x00, 0x00], // target hardware: unknown
    [203, 0, 113, 10], // target protocol
    padding,
  );
  assert.equal(announcementRequest("02:e4:0a:00:07:0b", "203.0.113.10").toString("hex"), expected);
});

test("D7: an announcement in reply form names the new hardware address twice (RFC 5944 section 4.6)", () => {
  const expected = bytes(
    ...ethernet,
    ...fixed,
    [0x00, 0x02], // operation: reply
    [0x02, 0xe4, 0x0a, 0x00, 0x07, 0x0b], // sender hardware
    [203, 0, 113, 10], // sender protocol
    [0x02, 0xe4, 0x0a, 0x00, 0x07, 0x0b], // target hardware: the same
    [203, 0, 113, 10], // target protocol
    padding,
  );
  assert.equal(announcementReply("02:E4:0A:00:07:0B", "203.0.113.10").toString("hex"), expected);
});

test("D7: a request for the gateway has the owned address as sender (RFC 826)", () => {
  const expected = bytes(
    ...ethernet,
    ...fixed,
    [0x00, 0x01], // operation: request
    [0x02, 0xe4, 0x0a, 0x00, 0x07, 0x0b], // sender hardware
    [203, 0, 113, 10], // sender protocol: the owned address
    [0x00, 0x00, 0x00, 0x00, 0x00, 0x00], // target hardware: asked for
    [203, 0, 113, 1], // target protocol: the gateway
    padding,
  );
  assert.equal(gatewayRequest("02:e4:0a:00:07:0b", "203.0.113.10", "203.0.113.1").toString("hex"), expected);
});

test("what is no MAC or IPv4 address is refused with its value", () => {
  assert.throws(() => announcementRequest("02:e4:0a", "203.0.113.10"), /"02:e4:0a" is not a MAC address/);
  assert.throws(() => announcementRequest("02:e4:0a:00:07:0b", "2001:db8::1"), /"2001:db8::1" is not an IPv4 address/);
  assert.throws(() => announcementRequest("02:e4:0a:00:07:0b", "203.0.113.300"), /is not an IPv4 address/);
});

test("an answer says who has which address; questions and other frames do not", () => {
  // A gateway's answer to 02:e4:0a:00:07:0b, as tcpdump shows it.
  const reply =
    "02e40a00070b" +
    "0200000002fe" +
    "0806" +
    "0001080006040002" +
    "0200000002fe" +
    "cb007101" +
    "02e40a00070b" +
    "00000000";
  assert.deepEqual(readReply(Buffer.from(reply, "hex")), {
    operation: "reply",
    mac: "02:00:00:00:02:fe",
    address: "203.0.113.1",
  });
  const question = reply.replace("0001080006040002", "0001080006040001");
  assert.equal(readReply(Buffer.from(question, "hex")), undefined);
  assert.equal(readSender(Buffer.from(question, "hex"))?.operation, "request");
  assert.equal(readReply(Buffer.from(reply.replace("0806", "0800"), "hex")), undefined);
  assert.equal(readReply(Buffer.from(reply.slice(0, 60), "hex")), undefined);
});
