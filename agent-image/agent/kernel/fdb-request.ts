import { addressToBytes } from "../bgp/codec/ip-address.js";
import { macToBytes } from "../bgp/codec/mac-address.js";

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
  const attributes = [
    attribute(linkLayerAddress, macToBytes(mac)),
    ...(vtep === undefined ? [] : [attribute(destination, addressToBytes(vtep))]),
  ];
  const body = Buffer.alloc(bodyLength);
  body.writeUInt8(bridgeFamily, 0);
  body.writeInt32LE(index, 4);
  body.writeUInt16LE(words.includes("dynamic") ? reachable : noArp | permanent, 8);
  body.writeUInt8(
    (words.includes("master") ? ofBridge : ofInterface) | (words.includes("extern_learn") ? externallyLearned : 0),
    10,
  );
  const header = Buffer.alloc(headerLength);
  const message = Buffer.concat([header, body, ...attributes]);
  message.writeUInt32LE(message.length, 0);
  message.writeUInt16LE(verb.type, 4);
  message.writeUInt16LE(request | (isAnswered ? acknowledge : 0) | verb.flags, 6);
  message.writeUInt32LE(sequence, 8);
  return message;
}

/** struct nlattr: length, type, value, filled up to four bytes. */
function attribute(type: number, value: Buffer): Buffer {
  const bytes = Buffer.alloc(4 + Math.ceil(value.length / 4) * 4);
  bytes.writeUInt16LE(4 + value.length, 0);
  bytes.writeUInt16LE(type, 2);
  value.copy(bytes, 4);
  return bytes;
}

function wordAfter(words: readonly string[], keyword: string): string | undefined {
  const position = words.indexOf(keyword);
  return position === -1 ? undefined : words[position + 1];
}
