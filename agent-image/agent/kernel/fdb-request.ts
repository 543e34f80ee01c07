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

/** Of a request with an IPv6 VTEP, in bytes. */
export const longestRequest = headerLength + bodyLength + macAttributeLength + attributeHeaderLength + 16;

const verbs: ReadonlyMap<string, { readonly type: number; readonly flags: number }> = new Map([
  ["replace", { type: newNeighbour, flags: create | replace }],
  ["append", { type: newNeighbour, flags: create | append }],
  ["del", { type: deleteNeighbour, flags: 0 }],
]);

/** Characters of a MAC in a command. */
const macTextLength = 17;
const flagsOffset = 6;
const sequenceOffset = 8;
const indexOffset = headerLength + 4;
const macOffset = headerLength + bodyLength + attributeHeaderLength;

/**
 * What iproute2 sends to the kernel for commands `bridge fdb …` of ours: struct nlmsghdr, struct ndmsg, attributes, all in
 * the byte order of the processor, which is little-endian on the platforms that the image is built for. Most of a hundred thousand
 * commands differ in their MAC alone, so a request is a copy of the first of its kind with another MAC.
 */
export class FdbRequests {
  readonly #indexOf: (device: string) => number;
  /** By the command without its MAC. Empty where there is no interface. */
  readonly #templates = new Map<string, Buffer>();

  /** @param indexOf of an interface by its name; 0 where there is none. Asked once for each interface and kind of command. */
  constructor(indexOf: (device: string) => number) {
    this.#indexOf = indexOf;
  }

  /**
   * @param sequence comes back in the kernel's answer, which it gives only where it fails (netlink(7), NLM_F_ACK)
   * @returns the length of the request; 0 where there is no interface
   * @throws for a command that is not one of those that the model makes
   */
  write(command: string, sequence: number, bytes: Buffer, offset: number): number {
    const macStart = command.indexOf(" ", "bridge fdb ".length) + 1;
    const rest = command.slice(macStart + macTextLength);
    const kind = command.slice(0, macStart) + rest;
    const template = this.#templates.get(kind) ?? requestTemplate(command, this.#indexOf);
    this.#templates.set(kind, template);
    if (template.length === 0) return 0;
    bytes.set(template, offset);
    bytes.writeUInt32LE(sequence, offset + sequenceOffset);
    writeMac(command.slice(macStart, macStart + macTextLength), bytes, offset + macOffset);
    return template.length;
  }
}

/** Makes the kernel answer a request also where it succeeds. */
export function askForAnswer(bytes: Buffer, offset: number): void {
  bytes.writeUInt16LE(bytes.readUInt16LE(offset + flagsOffset) | acknowledge, offset + flagsOffset);
}

/** The interface that a command `bridge fdb …` of ours names. */
export function fdbDevice(command: string): string {
  return wordAfter(command.split(" "), "dev") ?? "";
}

/** All but sequence and MAC; empty where there is no interface. */
function requestTemplate(command: string, indexOf: (device: string) => number): Buffer {
  const words = command.split(" ");
  const verb = verbs.get(words[2] ?? "");
  const device = wordAfter(words, "dev");
  if (verb === undefined || device === undefined) throw new Error(`not a command for a forwarding entry: ${command}`);
  const index = indexOf(device);
  if (index === 0) return Buffer.alloc(0);
  const vtep = wordAfter(words, "dst");
  const address = vtep === undefined ? undefined : addressToBytes(vtep);
  const addressLength = address === undefined ? 0 : attributeHeaderLength + address.length;
  const message = Buffer.alloc(headerLength + bodyLength + macAttributeLength + addressLength);
  message.writeUInt32LE(message.length, 0);
  message.writeUInt16LE(verb.type, 4);
  message.writeUInt16LE(request | verb.flags, flagsOffset);
  message.writeUInt8(bridgeFamily, headerLength);
  message.writeInt32LE(index, indexOffset);
  message.writeUInt16LE(words.includes("dynamic") ? reachable : noArp | permanent, headerLength + 8);
  message.writeUInt8(
    (words.includes("master") ? ofBridge : ofInterface) | (words.includes("extern_learn") ? externallyLearned : 0),
    headerLength + 10,
  );
  writeAttributeHeader(message, headerLength + bodyLength, linkLayerAddress, macLength);
  if (address !== undefined) {
    const end = headerLength + bodyLength + macAttributeLength;
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
