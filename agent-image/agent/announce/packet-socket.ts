import koffi from "koffi";

/** linux/socket.h and linux/if_packet.h */
const addressFamilyPacket = 17;
const socketRaw = 3;
const socketCloseOnExec = 0o2000000;
const etherTypeArp = 0x0806;
const sockaddrLinkLayerLength = 20;

/** Sends whole Ethernet frames on an interface. */
export interface FrameSender {
  /** Throws when the kernel refuses, with the error's name. */
  send(device: string, frame: Buffer): void;
  close(): void;
}

/**
 * An AF_PACKET socket (packet(7)). It is not bound and listens to nothing (protocol 0); each frame names its interface
 * by the index that the name has at that moment. So it outlives interfaces that are made again, where a bound socket
 * would go silent (metallb/metallb#534). Needs CAP_NET_RAW.
 */
export function openPacketSocket(): FrameSender {
  const libc = koffi.load("libc.so.6");
  const socket = libc.func("int socket(int domain, int type, int protocol)");
  const sendto = libc.func("long sendto(int fd, void *data, size_t length, int flags, void *to, uint32_t toLength)");
  const ifNameToIndex = libc.func("unsigned int if_nametoindex(str name)");
  const close = libc.func("int close(int fd)");

  const descriptor = Number(socket(addressFamilyPacket, socketRaw | socketCloseOnExec, 0));
  if (descriptor < 0) {
    throw new Error(`cannot open a packet socket: ${errorName()}; announcing addresses by ARP needs CAP_NET_RAW`);
  }

  return {
    send(device, frame) {
      const index = Number(ifNameToIndex(device));
      if (index === 0) {
        throw new Error(`cannot send on ${device}: ${errorName()}`);
      }
      // struct sockaddr_ll: family, protocol (network order), interface index, then fields that sending leaves zero
      // except the length and value of the destination, which the raw frame carries itself.
      const to = Buffer.alloc(sockaddrLinkLayerLength);
      to.writeUInt16LE(addressFamilyPacket, 0);
      to.writeUInt16BE(etherTypeArp, 2);
      to.writeInt32LE(index, 4);
      if (Number(sendto(descriptor, frame, frame.length, 0, to, to.length)) < 0) {
        throw new Error(`cannot send on ${device}: ${errorName()}`);
      }
    },
    close() {
      close(descriptor);
    },
  };
}

function errorName(): string {
  const number = koffi.errno();
  const name = Object.entries(koffi.os.errno).find(([, value]) => value === number)?.[0];
  return name ?? `errno ${number}`;
}
