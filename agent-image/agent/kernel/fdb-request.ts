import { addressToBytes } from "../bgp/codec/ip-address.js";
import { writeMac } from "../bgp/codec/mac-address.js";

/** linux/rtnetlink.h, linux/netlink.h and linux/neighbour.h */
const [newNeighbour, deleteNeighbour] = [28, 29] as const;
const [request, acknowledge, replace, create, append] = [0x001, 0x004, 0x100, 0x400, 0x800] as const;
const bridgeFamily = 7;
const [reachable, noArp, permanent] = [0x02, 0x40, 0x80] as const;
const [ofInterface, ofBridge, externallyLearned] = [0x02, 0x04, 0x10] as const;
const [destination, linkLayerAddress] = [1, 2] as const;
/** struct nlmsghdr and struct ndmsg */
const headerLength = 16;
const bodyLength = 12;
const attributeHeaderLength = 4;
const macLength = 6;
const macAttributeLength = 12;

const deviceKeyword = " dev ";

const verbs: ReadonlyMap<string, { readonly type: number; readonly flags: number }> = new Map([
  ["replace", { type: newNeighbour, flags: create | replace }],
  ["append", { type: newNeighbour, flags: create | append }],
  ["del", { type: deleteNeighbour, flags: 0 }],
]);

/** The interface that a command `bridge fdb …` of ours names. */
export function fdbDevice(command: string): string {
  const start = command.indexOf(deviceKeyword) + deviceKeyword.length;
  return command.slice(start, command.indexOf(" ", start));
}

/**
 * What iproute2 sends to the kernel for a command `bridge fdb …` of ours: struct nlmsghdr, struct ndmsg, attributes, all in
 * the byte order of the processor, which is little-endian on the platforms that the image is built for.
 *
 * @param index of the interface
 * @param sequence comes back in the kernel's answer
 * @param isAnswered false: the kernel answers only where it fails (netlink(7), NLM_F_ACK)
 * @throws for a command that is not one of those that the model makes
 */
export function fdbRequest(command: string, index: number, sequence: number, isAnswered = true): Buffer {
  const words = command.split(" ");
  const verb = verbs.get(words[2] ?? "");
  const mac = words[3];
  const vtep = wordAfter(words, "dst");
  if (verb === undefined || mac === undefined) throw new Error(`not a command for a forwarding entry: ${command}`);
  const address = vtep === undefined ? undefined : addressToBytes(vtep);
  const addressLength = address === undefined ? 0 : attributeHeaderLength + address.length;
  const message = Buffer.alloc(headerLength + bodyLength + macAttributeLength + addressLength);
  message.writeUInt32LE(message.length, 0);
  message.writeUInt16LE(verb.type, 4);
  message.writeUInt16LE(request | (isAnswered ? acknowledge : 0) | verb.flags, 6);
  message.writeUInt32LE(sequence, 8);
  message.writeUInt8(bridgeFamily, headerLength);
  message.writeInt32LE(index, headerLength + 4);
  message.writeUInt16LE(words.includes("dynamic") ? reachable : noArp | permanent, headerLength + 8);
  message.writeUInt8(
    (words.includes("master") ? ofBridge : ofInterface) | (words.includes("extern_learn") ? externallyLearned : 0),
    headerLength + 10,
  );
  let end = headerLength + bodyLength;
  writeAttributeHeader(message, end, linkLayerAddress, macLength);
  writeMac(mac, message, end + attributeHeaderLength);
  end += macAttributeLength;
  if (address !== undefined) {
    writeAttributeHeader(message, end, destination, address.length);
    address.copy(message, end + attributeHeaderLength);
  }
  return message;
}

/** struct nlattr: length with these four bytes, type; the value follows, filled up to four bytes. */
function writeAttributeHeader(message: Buffer, offset: number, type: number, valueLength: number): void {
  message.writeUInt16LE(attributeHeaderLength + valueLength, offset);
  message.writeUInt16LE(type, offset + 2);
}

function wordAfter(words: readonly string[], keyword: string): string | undefined {
  const position = words.indexOf(keyword);
  return position === -1 ? undefined : words[position + 1];
}
