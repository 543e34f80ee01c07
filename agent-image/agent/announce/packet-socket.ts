import koffi from "koffi";
import { errnoName } from "./errno-name.js";

/** linux/socket.h and linux/if_packet.h */
const addressFamilyPacket = 17;
const socketRaw = 3;
const socketCloseOnExec = 0o2000000;
const etherTypeArp = 0x0806;
/** Behind the two MAC addresses of a frame. */
const etherTypeOffset = 12;
const sockaddrLinkLayerLength = 20;
/** IFNAMSIZ of linux/if.h */
const interfaceNameSize = 16;
/** MSG_DONTWAIT */
const doNotWait = 0x40;
/** An Ethernet frame with a tag; ARP needs no more. */
const longestArpFrame = 128;

/** Sends whole Ethernet frames on an interface. */
export interface FrameSender {
  /** Throws when the kernel refuses, with the error's name. */
  send(device: string, frame: Buffer): void;
  close(): void;
}

/** Sends, and hands out the ARP frames that came in on its interface. */
export interface ArpSocket extends FrameSender {
  /** The next frame; undefined when there is none. */
  receive(): Buffer | undefined;
}

/** Hears ARP on all interfaces, also on those that come later. */
export interface ArpEar {
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
  const { send, close } = openSocket(libc(), 0);
  return { send, close };
}

/** An AF_PACKET socket that hears ARP on one interface as long as that exists. Needs CAP_NET_RAW. */
export function openArpSocket(device: string): ArpSocket {
  const library = libc();
  const { descriptor, send, close } = openSocket(library, 0);
  const address = linkLayerAddress(library, device, etherTypeArp);
  if (Number(library.bind(descriptor, address, address.length)) < 0) {
    const reason = errnoName();
    close();
    throw new Error(`cannot listen on ${device}: ${reason}`);
  }
  const buffer = Buffer.alloc(longestArpFrame);
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
export function openArpEar(): ArpEar {
  const library = libc();
  const { descriptor, close } = openSocket(library, etherTypeArp);
  const buffer = Buffer.alloc(longestArpFrame);
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

/** @param etherType what it hears; 0 for nothing */
function openSocket(library: ReturnType<typeof libc>, etherType: number) {
  const protocol = ((etherType & 0xff) << 8) | (etherType >> 8);
  const descriptor = Number(library.socket(addressFamilyPacket, socketRaw | socketCloseOnExec, protocol));
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

/**
 * struct sockaddr_ll: family, protocol (network order), interface index, then fields that stay zero: a raw frame carries
 * its destination itself.
 */
function linkLayerAddress(library: ReturnType<typeof libc>, device: string, etherType: number): Buffer {
  const index = Number(library.ifNameToIndex(device));
  if (index === 0) {
    throw new Error(`cannot use ${device}: ${errnoName()}`);
  }
  const address = Buffer.alloc(sockaddrLinkLayerLength);
  address.writeUInt16LE(addressFamilyPacket, 0);
  address.writeUInt16BE(etherType, 2);
  address.writeInt32LE(index, 4);
  return address;
}
