import { formatAddress, parseAddress } from "../../../model/address/address.js";
import { linkLocalAddress } from "../../../model/address/link-local.js";
import { macFromBytes, macToBytes } from "../bgp/codec/mac-address.js";

/**
 * Ethernet frames with Neighbor Discovery (RFC 4861) that tell a segment where an IPv6 address is. An advertisement changes
 * an entry that a neighbour has and makes none (RFC 4861 section 7.2.5; Linux without accept_untracked_na too); a
 * solicitation of the gateway with the address as source makes one there (section 7.2.3).
 */

const etherTypeIpv6 = 0x86dd;
const nextHeaderIcmpv6 = 58;
/** A receiver drops what a router could have passed on (RFC 4861 section 7.1). */
const hopLimit = 255;
const typeSolicitation = 135;
const typeAdvertisement = 136;
/** Override alone: a link-layer address that is new, of no router, and that nobody asked for (RFC 4861 section 7.2.6). */
const flagOverride = 0x20000000;
const sourceOffset = 22;
const targetOffset = 62;
const optionsOffset = targetOffset + 16;
const unspecified = "::";
const optionSourceLinkLayer = 1;
const optionTargetLinkLayer = 2;

const allNodes = ipv6Bytes("ff02::1");
/** The group of those whose address ends with the same 24 bits (RFC 4291 section 2.7.1). */
const solicitedNodePrefix = ipv6Bytes("ff02::1:ff00:0").subarray(0, 13);

/** Unsolicited Neighbor Advertisement to all nodes (RFC 4861 section 7.2.6). */
export function unsolicitedAdvertisement(mac: string, address: string): Buffer {
  const target = ipv6Bytes(address);
  return ndpFrame(mac, target, allNodes, typeAdvertisement, flagOverride, target, optionTargetLinkLayer);
}

/** An ordinary Neighbor Solicitation for the gateway with an address of the node as source. */
export function gatewaySolicitation(mac: string, address: string, gateway: string): Buffer {
  const target = ipv6Bytes(gateway);
  const group = Buffer.concat([solicitedNodePrefix, target.subarray(13)]);
  return ndpFrame(mac, ipv6Bytes(address), group, typeSolicitation, 0, target, optionSourceLinkLayer);
}

/**
 * A Neighbor Solicitation that claims no address: from the link-local one of the MAC. Without a source it would be duplicate
 * address detection, which is answered to the whole segment (RFC 4861 section 7.2.4).
 */
export function linkLocalSolicitation(mac: string, gateway: string): Buffer {
  return gatewaySolicitation(mac, linkLocalAddress(mac), gateway);
}

/**
 * The address for which a Neighbor Advertisement answers; undefined for any other frame, and for one that a host must not
 * take (RFC 4861 section 7.1.2).
 */
export function readAdvertisement(frame: Buffer): string | undefined {
  return isNeighbourDiscovery(frame, typeAdvertisement) ? ipv6Text(frame, targetOffset) : undefined;
}

/** A host that speaks for an address, and the MAC that it names. */
export interface NeighbourSender {
  readonly mac: string;
  readonly address: string;
}

/**
 * Who says that an address is his: by an advertisement for it, or by a solicitation with it as source; undefined for any other
 * frame. A solicitation without a source asks whether anybody has the address (RFC 4862 section 5.4), and says nothing yet.
 */
export function readNeighbour(frame: Buffer): NeighbourSender | undefined {
  if (isNeighbourDiscovery(frame, typeAdvertisement)) {
    return { address: ipv6Text(frame, targetOffset), mac: linkLayerOf(frame, optionTargetLinkLayer) };
  }
  if (!isNeighbourDiscovery(frame, typeSolicitation)) {
    return undefined;
  }
  const address = ipv6Text(frame, sourceOffset);
  return address === unspecified ? undefined : { address, mac: linkLayerOf(frame, optionSourceLinkLayer) };
}

/** As far as a host must look before it takes such a message (RFC 4861 sections 7.1.1 and 7.1.2). */
function isNeighbourDiscovery(frame: Buffer, type: number): boolean {
  return (
    frame.length >= optionsOffset &&
    frame.readUInt16BE(12) === etherTypeIpv6 &&
    frame.readUInt8(20) === nextHeaderIcmpv6 &&
    frame.readUInt8(21) === hopLimit &&
    frame.readUInt8(54) === type &&
    frame.readUInt8(55) === 0
  );
}

/** The MAC of an option, else that of the frame: an answer to one host may leave the option out (RFC 4861 section 4.4). */
function linkLayerOf(frame: Buffer, option: number): string {
  let at = optionsOffset;
  while (at + 8 <= frame.length && frame.readUInt8(at + 1) > 0) {
    if (frame.readUInt8(at) === option) {
      return macFromBytes(frame.subarray(at + 2, at + 8));
    }
    at += frame.readUInt8(at + 1) * 8;
  }
  return macFromBytes(frame.subarray(6, 12));
}

function ipv6Text(frame: Buffer, at: number): string {
  return formatAddress({ family: 6, value: BigInt(`0x${frame.toString("hex", at, at + 16)}`) });
}

/*
 * Ethernet: destination 6, source 6, type 2. IPv6: version, traffic class and flow label 4, payload length 2, next header 1,
 * hop limit 1, source 16, destination 16. ICMPv6: type 1, code 1, checksum 2, flags 4, target 16, option type 1, its length
 * in units of eight octets 1, link-layer address 6.
 */
function ndpFrame(
  senderMac: string,
  source: Buffer,
  group: Buffer,
  type: number,
  flags: number,
  target: Buffer,
  option: number,
): Buffer {
  const sender = macToBytes(senderMac);
  const frame = Buffer.alloc(86);
  // RFC 2464 section 7: the last four octets of a group address are those of its MAC.
  Buffer.from([0x33, 0x33, ...group.subarray(12)]).copy(frame, 0);
  sender.copy(frame, 6);
  frame.writeUInt16BE(etherTypeIpv6, 12);
  frame.writeUInt8(6 << 4, 14);
  frame.writeUInt16BE(32, 18);
  frame.writeUInt8(nextHeaderIcmpv6, 20);
  frame.writeUInt8(hopLimit, 21);
  source.copy(frame, sourceOffset);
  group.copy(frame, 38);
  frame.writeUInt8(type, 54);
  frame.writeUInt32BE(flags, 58);
  target.copy(frame, targetOffset);
  frame.writeUInt8(option, optionsOffset);
  frame.writeUInt8(1, optionsOffset + 1);
  sender.copy(frame, optionsOffset + 2);
  frame.writeUInt16BE(checksum(frame), 56);
  return frame;
}

/** RFC 4443 section 2.3, over the pseudo-header of RFC 8200 section 8.1. */
function checksum(frame: Buffer): number {
  let sum = frame.readUInt16BE(18) + nextHeaderIcmpv6;
  for (let at = sourceOffset; at < frame.length; at += 2) {
    sum += frame.readUInt16BE(at);
  }
  while (sum > 0xffff) {
    sum = (sum & 0xffff) + (sum >>> 16);
  }
  return ~sum & 0xffff;
}

function ipv6Bytes(text: string): Buffer {
  const address = parseAddress(text);
  if (address?.family !== 6) {
    throw new Error(`"${text}" is not an IPv6 address: Neighbor Discovery carries IPv6 only (RFC 4861)`);
  }
  return Buffer.from(address.value.toString(16).padStart(32, "0"), "hex");
}
