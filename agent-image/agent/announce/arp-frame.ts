import { macFromBytes, macToBytes } from "../bgp/codec/mac-address.js";

/**
 * Ethernet frames with ARP (RFC 826) that tell a segment where an IPv4 address is.
 *
 * Receivers differ in which form they accept: some ignore gratuitous replies, some gratuitous requests
 * (kube-vip/kube-vip#82), and a Linux gateway with arp_accept=0 creates an entry from neither, only from a request for
 * its own address (measured). So all three forms exist.
 */

const etherTypeArp = 0x0806;
const hardwareEthernet = 1;
const protocolIpv4 = 0x0800;
const operationRequest = 1;
const operationReply = 2;

const broadcast = Buffer.alloc(6, 0xff);
const unknownHardware = Buffer.alloc(6, 0);

/** An Ethernet frame without FCS has at least 60 bytes (IEEE 802.3); virtual interfaces do not pad. */
const minimumFrameLength = 60;

/** ARP Announcement: request with sender and target address alike, target hardware zero (RFC 5227 section 2.3). */
export function announcementRequest(mac: string, address: string): Buffer {
  return arpFrame(operationRequest, mac, address, unknownHardware, address);
}

/** Gratuitous reply: the target hardware address is the new one as well (RFC 5944 section 4.6). */
export function announcementReply(mac: string, address: string): Buffer {
  return arpFrame(operationReply, mac, address, macToBytes(mac), address);
}

/** An ordinary request for the gateway with the owned address as sender: creates or updates the gateway's entry. */
export function gatewayRequest(mac: string, address: string, gateway: string): Buffer {
  return arpFrame(operationRequest, mac, address, unknownHardware, gateway);
}

/** What an ARP frame says of its sender. */
export interface ArpSender {
  readonly operation: ArpOperation;
  readonly mac: string;
  /** `0.0.0.0` in a probe (RFC 5227 section 2.1.1). */
  readonly address: string;
}

export type ArpOperation = "request" | "reply";

/** Who sent an ARP frame; undefined for any other frame. */
export function readSender(frame: Buffer): ArpSender | undefined {
  if (
    frame.length < 42 ||
    frame.readUInt16BE(12) !== etherTypeArp ||
    frame.readUInt16BE(16) !== protocolIpv4 ||
    ![operationRequest, operationReply].includes(frame.readUInt16BE(20))
  ) {
    return undefined;
  }
  const operation = frame.readUInt16BE(20) === operationReply ? "reply" : "request";
  return { operation, mac: macFromBytes(frame.subarray(22, 28)), address: frame.subarray(28, 32).join(".") };
}

/** Who answered an ARP request; undefined for any other frame. */
export function readReply(frame: Buffer): ArpSender | undefined {
  const sender = readSender(frame);
  return sender?.operation === "reply" ? sender : undefined;
}

/*
 * Ethernet: destination 6, source 6, type 2. ARP: hardware type 2, protocol type 2, hardware length 1, protocol
 * length 1, operation 2, sender hardware 6, sender protocol 4, target hardware 6, target protocol 4. Zero padding.
 */
function arpFrame(
  operation: number,
  senderMac: string,
  senderAddress: string,
  targetMac: Buffer,
  targetAddress: string,
): Buffer {
  const sender = macToBytes(senderMac);
  const frame = Buffer.alloc(minimumFrameLength);
  broadcast.copy(frame, 0);
  sender.copy(frame, 6);
  frame.writeUInt16BE(etherTypeArp, 12);
  frame.writeUInt16BE(hardwareEthernet, 14);
  frame.writeUInt16BE(protocolIpv4, 16);
  frame.writeUInt8(sender.length, 18);
  frame.writeUInt8(4, 19);
  frame.writeUInt16BE(operation, 20);
  sender.copy(frame, 22);
  ipv4Bytes(senderAddress).copy(frame, 28);
  targetMac.copy(frame, 32);
  ipv4Bytes(targetAddress).copy(frame, 38);
  return frame;
}

function ipv4Bytes(address: string): Buffer {
  const octets = address.split(".").map((octet) => (/^\d{1,3}$/.test(octet) ? Number(octet) : 256));
  if (octets.length !== 4 || octets.some((octet) => octet > 255)) {
    throw new Error(`"${address}" is not an IPv4 address: ARP carries IPv4 only (RFC 826)`);
  }
  return Buffer.from(octets);
}
