import koffi from "koffi";
import { errnoName } from "../system/errno-name.js";
import { attachFilter, give, type Instruction, jumpIfEqual, loadByte } from "../system/socket-filter.js";
import { doNotWait, socketCloseOnExec, socketRaw } from "../system/socket-flags.js";

/** linux/socket.h and linux/if_packet.h */
const addressFamilyPacket = 17;
const etherTypeArp = 0x0806;
const etherTypeIpv6 = 0x86dd;
/** Behind the two MAC addresses of a frame. */
const etherTypeOffset = 12;
const sockaddrLinkLayerLength = 20;
/** To bind to: also those that come later (packet(7)). */
const everyInterface = 0;
/** IFNAMSIZ of linux/if.h */
const interfaceNameSize = 16;
/** Of an Ethernet frame; ARP and Neighbor Discovery need no more. */
const heardLength = 128;

/** Types of ICMPv6 (RFC 4861 sections 4.3 and 4.4). */
const solicitation = 135;
const advertisement = 136;

/**
 * IPv6 whose next header is ICMPv6 (RFC 4443), of some types, and only as much as is read of it. Most of what a node receives ends
 * at the second instruction.
 */
function icmpv6Filter(...types: readonly number[]): readonly Instruction[] {
  return [
    [loadByte, 0, 0, 20],
    [jumpIfEqual, 0, types.length + 2, 58],
    [loadByte, 0, 0, 54],
    ...types.map((type, position): Instruction => {
      const left = types.length - position - 1;
      return [jumpIfEqual, left, left === 0 ? 1 : 0, type];
    }),
    [give, 0, 0, heardLength],
    [give, 0, 0, 0],
  ];
}

/** Sends whole Ethernet frames on an interface. */
export interface FrameSender {
  /** Throws when the kernel refuses, with the error's name. */
  send(device: string, frame: Buffer): void;
  close(): void;
}

/** Sends, and hands out the frames that came in on its interface. */
export interface DeviceSocket extends FrameSender {
  /** The next frame; undefined when there is none. */
  receive(): Buffer | undefined;
}

/** Hears one kind of frames on all interfaces, also on those that come later. */
export interface FrameEar {
  /** The next frame, with the interface by which it came; undefined when there is none. */
  receive(): HeardFrame | undefined;
  close(): void;
}

export interface HeardFrame {
  readonly device: string;
  readonly frame: Buffer;
}

/**
 * An AF_PACKET socket (packet(7)). It is not bound and listens to nothing (protocol 0); each frame names its interface
 * by the index that the name has at that moment. So it outlives interfaces that are made again, where a bound socket
 * would go silent (metallb/metallb#534). Needs CAP_NET_RAW.
 */
export function openPacketSocket(): FrameSender {
  const { send, close } = openSocket(libc());
  return { send, close };
}

/** An AF_PACKET socket that hears ARP on one interface as long as that exists. Needs CAP_NET_RAW. */
export function openArpSocket(device: string): DeviceSocket {
  return openDeviceSocket(device, etherTypeArp);
}

/** As {@link openArpSocket}, for Neighbor Advertisements. */
export function openAdvertisementSocket(device: string): DeviceSocket {
  return openDeviceSocket(device, etherTypeIpv6, icmpv6Filter(advertisement));
}

function openDeviceSocket(device: string, etherType: number, filter: readonly Instruction[] = []): DeviceSocket {
  const library = libc();
  const { descriptor, send, close } = openFilteredSocket(library, filter);
  const address = linkLayerAddress(library, device, etherType);
  if (Number(library.bind(descriptor, address, address.length)) < 0) {
    const reason = errnoName();
    close();
    throw new Error(`cannot listen on ${device}: ${reason}`);
  }
  const buffer = Buffer.alloc(heardLength);
  return {
    send,
    close,
    receive() {
      const length = Number(library.recv(descriptor, buffer, buffer.length, doNotWait));
      return length < 0 ? undefined : Buffer.from(buffer.subarray(0, length));
    },
  };
}

/** Not bound to an interface, for the same reason as {@link openPacketSocket}. Needs CAP_NET_RAW. */
export function openArpEar(): FrameEar {
  return openEar(etherTypeArp);
}

/** As {@link openArpEar}, for Neighbor Solicitations and Advertisements. */
export function openNeighbourEar(): FrameEar {
  return openEar(etherTypeIpv6, icmpv6Filter(advertisement, solicitation));
}

function openEar(etherType: number, filter: readonly Instruction[] = []): FrameEar {
  const library = libc();
  const { descriptor, close } = openFilteredSocket(library, filter);
  const everywhere = interfaceAddress(everyInterface, etherType);
  if (Number(library.bind(descriptor, everywhere, everywhere.length)) < 0) {
    const reason = errnoName();
    close();
    throw new Error(`cannot listen on all interfaces: ${reason}`);
  }
  const buffer = Buffer.alloc(heardLength);
  const from = Buffer.alloc(sockaddrLinkLayerLength);
  const fromLength = Buffer.alloc(4);
  const name = Buffer.alloc(interfaceNameSize);
  const receive = (): HeardFrame | undefined => {
    fromLength.writeUInt32LE(from.length);
    const length = Number(library.recvfrom(descriptor, buffer, buffer.length, doNotWait, from, fromLength));
    if (length < 0) {
      return undefined;
    }
    // An interface that went meanwhile has no name any more, and its frames say nothing to anybody.
    const named = library.ifIndexToName(from.readInt32LE(4), name) !== null;
    return named
      ? { device: name.toString("latin1", 0, name.indexOf(0)), frame: Buffer.from(buffer.subarray(0, length)) }
      : receive();
  };
  return { receive, close };
}

function libc() {
  const library = koffi.load("libc.so.6");
  return {
    socket: library.func("int socket(int domain, int type, int protocol)"),
    sendto: library.func("long sendto(int fd, void *data, size_t length, int flags, void *to, uint32_t toLength)"),
    bind: library.func("int bind(int fd, void *address, uint32_t length)"),
    recvfrom: library.func(
      "long recvfrom(int fd, _Out_ void *data, size_t length, int flags, _Out_ void *from, _Inout_ void *fromLength)",
    ),
    ifIndexToName: library.func("void *if_indextoname(unsigned int index, _Out_ void *name)"),
    recv: library.func("long recv(int fd, _Out_ void *data, size_t length, int flags)"),
    ifNameToIndex: library.func("unsigned int if_nametoindex(str name)"),
    close: library.func("int close(int fd)"),
  };
}

/** It hears nothing until it is bound: nothing waits in it that the filter would not let in, however busy an interface is. */
function openFilteredSocket(library: ReturnType<typeof libc>, filter: readonly Instruction[]) {
  const socket = openSocket(library);
  try {
    if (filter.length > 0) attachFilter(socket.descriptor, filter);
    return socket;
  } catch (error) {
    socket.close();
    throw new Error(`cannot choose what a packet socket hears: ${(error as Error).message}`);
  }
}

/** It hears nothing (protocol 0). */
function openSocket(library: ReturnType<typeof libc>) {
  const descriptor = Number(library.socket(addressFamilyPacket, socketRaw | socketCloseOnExec, 0));
  if (descriptor < 0) {
    throw new Error(`cannot open a packet socket: ${errnoName()}; announcing addresses needs CAP_NET_RAW`);
  }
  return {
    descriptor,
    send(device: string, frame: Buffer): void {
      const to = linkLayerAddress(library, device, frame.readUInt16BE(etherTypeOffset));
      if (Number(library.sendto(descriptor, frame, frame.length, 0, to, to.length)) < 0) {
        throw new Error(`cannot send on ${device}: ${errnoName()}`);
      }
    },
    close(): void {
      library.close(descriptor);
    },
  };
}

function linkLayerAddress(library: ReturnType<typeof libc>, device: string, etherType: number): Buffer {
  const index = Number(library.ifNameToIndex(device));
  if (index === 0) {
    throw new Error(`cannot use ${device}: ${errnoName()}`);
  }
  return interfaceAddress(index, etherType);
}

/**
 * struct sockaddr_ll: family, protocol (network order), interface index, then fields that stay zero: a raw frame carries
 * its destination itself.
 */
function interfaceAddress(index: number, etherType: number): Buffer {
  const address = Buffer.alloc(sockaddrLinkLayerLength);
  address.writeUInt16LE(addressFamilyPacket, 0);
  address.writeUInt16BE(etherType, 2);
  address.writeInt32LE(index, 4);
  return address;
}
