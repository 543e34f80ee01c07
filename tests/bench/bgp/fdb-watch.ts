/**
 * Hears from the kernel what is written into the forwarding table of an interface: `node fdb-watch.js DEVICE COUNT`. Says in
 * nanoseconds of CLOCK_MONOTONIC when so many hosts stood in it, and from then on each entry that is written.
 */
import { readFileSync, writeSync } from "node:fs";
import koffi from "koffi";
import { errnoName } from "../../../agent-image/agent/system/errno-name.js";
import { socketRaw } from "../../../agent-image/agent/system/socket-flags.js";

/** linux/socket.h, linux/netlink.h, linux/rtnetlink.h, linux/neighbour.h */
const [netlinkFamily, routeProtocol] = [16, 0] as const;
const neighbourGroups = 1 << 2;
const newNeighbour = 28;
const bridgeFamily = 7;
const [destinationAttribute, linkLayerAttribute] = [1, 2] as const;
/** struct nlmsghdr, struct ndmsg */
const [headerLength, bodyLength] = [16, 12] as const;
/** asm-generic/socket.h: SOL_SOCKET, SO_RCVBUFFORCE */
const [socketLevel, forcedReceiveBuffer] = [1, 33] as const;
/** For 100,000 messages, each of which takes a page's part. */
const receiveBuffer = 256 * 1024 * 1024;

const library = koffi.load("libc.so.6");
const socket = library.func("int socket(int domain, int type, int protocol)");
const bind = library.func("int bind(int fd, void *address, uint32_t length)");
const setOption = library.func("int setsockopt(int fd, int level, int option, void *value, uint32_t length)");
const receive = library.func("long recv(int fd, _Out_ void *data, size_t length, int flags)");

interface Written {
  readonly mac: string;
  readonly vtep: string;
}

function say(line: string): void {
  // Waits, as everything here does: there is no loop of events while a receive call waits.
  writeSync(1, `${line}\n`);
}

function listen(): number {
  const descriptor = Number(socket(netlinkFamily, socketRaw, routeProtocol));
  const size = Buffer.alloc(4);
  size.writeInt32LE(receiveBuffer);
  /** struct sockaddr_nl: family (2), padding (2), port (4), groups (4) */
  const address = Buffer.alloc(12);
  address.writeUInt16LE(netlinkFamily, 0);
  address.writeUInt32LE(neighbourGroups, 8);
  if (
    descriptor < 0 ||
    Number(setOption(descriptor, socketLevel, forcedReceiveBuffer, size, size.length)) < 0 ||
    Number(bind(descriptor, address, address.length)) < 0
  ) {
    throw new Error(`cannot listen to netlink: ${errnoName()}`);
  }
  return descriptor;
}

/** Of a message that tells of a VXLAN interface's own entry; undefined for all else. */
function written(message: Buffer, index: number): Written | undefined {
  if (
    message.readUInt16LE(4) !== newNeighbour ||
    message.readUInt8(headerLength) !== bridgeFamily ||
    message.readInt32LE(headerLength + 4) !== index
  ) {
    return undefined;
  }
  let mac: string | undefined;
  let vtep: string | undefined;
  for (let offset = headerLength + bodyLength; offset + 4 <= message.length; ) {
    const length = message.readUInt16LE(offset);
    const value = message.subarray(offset + 4, offset + length);
    const type = message.readUInt16LE(offset + 2);
    if (type === linkLayerAttribute) mac = value.toString("hex").replace(/..(?=.)/g, "$&:");
    if (type === destinationAttribute) vtep = value.join(".");
    offset += Math.ceil(length / 4) * 4;
  }
  return mac === undefined || vtep === undefined || mac === "00:00:00:00:00:00" ? undefined : { mac, vtep };
}

function watch(device: string, count: number): never {
  const index = Number(readFileSync(`/sys/class/net/${device}/ifindex`, "utf8"));
  const descriptor = listen();
  const buffer = Buffer.alloc(64 * 1024);
  const hosts = new Set<string>();
  say("listening");
  for (;;) {
    const length = Number(receive(descriptor, buffer, buffer.length, 0));
    const now = process.hrtime.bigint();
    if (length < 0) throw new Error(`cannot receive: ${errnoName()}`);
    for (let offset = 0; offset < length; offset += Math.ceil(buffer.readUInt32LE(offset) / 4) * 4) {
      const entry = written(buffer.subarray(offset, offset + buffer.readUInt32LE(offset)), index);
      if (entry === undefined) continue;
      if (hosts.size >= count) say(`entry ${entry.mac} ${entry.vtep} ${now}`);
      else if (hosts.add(entry.mac).size === count) say(`all ${now}`);
    }
  }
}

const [device = "", count = "0"] = process.argv.slice(2);
watch(device, Number(count));
