import { createSocket } from "node:dgram";
import { isIPv6 } from "node:net";
import { addressFamilyOf } from "../bgp/session/address-family.js";
import { socketAddress } from "../bgp/session/socket-address.js";
import { levelIp, levelIpv6, sentTtl } from "../bgp/session/socket-options.js";
import { highestTtl } from "../bgp/session/ttl-security.js";
import {
  bindSocket,
  closeSocket,
  nativeInteger,
  openPreparedSocket,
  SocketError,
  sendDatagram,
  setSocketOption,
} from "../system/socket-calls.js";
import { attachFilter, give, type Instruction, jumpIfEqual, loadByte, networkHeader } from "../system/socket-filter.js";
import { socketDatagram } from "../system/socket-flags.js";
import type { Hop } from "./hop.js";

/** RFC 5881 section 4 and RFC 5883 section 5. */
export const controlPorts: Readonly<Record<Hop, number>> = { single: 3784, multi: 4784 };

/** RFC 5881 section 4: of the source ports, one for each session. */
const sourcePorts = { first: 49_152, last: 65_535 };

/** linux/in.h and linux/in6.h */
const ipTos = 1;
const ipv6TrafficClass = 67;
/** Class selector 6 (RFC 4594 section 3.2): that a link is full must not look like a peer that is gone. FRR sends the same. */
const networkControl = nativeInteger(0xc0);

/** Of the IPv4 and the IPv6 header (RFC 791 section 3.1, RFC 8200 section 3). */
const ttlOffset = 8;
const hopLimitOffset = 7;
/** More than any control packet is long. */
const wholePacket = 0xffff;

/** Nobody reads what comes to a port that packets are sent from. */
const nothing: readonly Instruction[] = [[give, 0, 0, 0]];

/** Where datagrams of a session come in. */
export interface ControlReceiver {
  close(): void;
}

/** Sends the packets of one session. */
export interface ControlSender {
  /** Of its socket, which belongs to the process and not to the thread that has opened it. */
  readonly descriptor: number;
  /** What cannot be sent is lost, as on the way. */
  send(packet: Buffer): void;
  close(): void;
}

export type DatagramHandler = (source: string, payload: Buffer) => void;

/**
 * Hears what comes to a local address. Over a single hop the kernel drops what was not sent with TTL 255, hence what anybody
 * could have sent who is not on the segment (RFC 5881 section 5); IP_MINTTL would do that for TCP only (ip(7)).
 *
 * @throws SocketError such as EADDRINUSE: the port is not shared, because packets for another program's sessions would come here
 */
export function openReceiver(local: string, hop: Hop, onDatagram: DatagramHandler): ControlReceiver {
  const descriptor = boundSocket(local, controlPorts[hop], (fresh) => {
    if (hop === "single") {
      attachFilter(fresh, highestTtlFilter(isIPv6(local)));
    }
  });
  const socket = createSocket(isIPv6(local) ? "udp6" : "udp4");
  socket.on("message", (payload, { address }) => onDatagram(address, payload));
  // A receiver that hears nothing any more is what BFD is there to find out.
  socket.on("error", () => undefined);
  socket.bind({ fd: descriptor });
  return { close: () => socket.close() };
}

/**
 * @param random in [0, 1): where in the range of ports the search begins
 * @throws SocketError
 */
export function openSender(local: string, peer: string, hop: Hop, random: number): ControlSender {
  return takeSender(boundToSourcePort(local, random), peer, hop);
}

/** With the socket of a {@link openSender} whose thread has ended: a session keeps its source port (RFC 5881 section 4). */
export function takeSender(descriptor: number, peer: string, hop: Hop): ControlSender {
  const to = socketAddress(peer, controlPorts[hop]);
  return {
    descriptor,
    // Not through Node, which sends in a later turn: the last packet before the end would be lost.
    send: (packet) => void sendDatagram(descriptor, packet, to),
    close: () => closeSocket(descriptor),
  };
}

function boundToSourcePort(local: string, random: number): number {
  const { first, last } = sourcePorts;
  const count = last - first + 1;
  const start = Math.floor(random * count);
  for (let tried = 0; ; tried += 1) {
    try {
      return boundSocket(local, first + ((start + tried) % count), (fresh) => {
        attachFilter(fresh, nothing);
        setSocketOption(fresh, sentTtl(isIPv6(local)));
        setSocketOption(
          fresh,
          isIPv6(local)
            ? { name: "IPV6_TCLASS", level: levelIpv6, option: ipv6TrafficClass, value: networkControl }
            : { name: "IP_TOS", level: levelIp, option: ipTos, value: networkControl },
        );
      });
    } catch (error) {
      const taken = error instanceof SocketError && error.code === "EADDRINUSE";
      if (!taken || tried === count) {
        throw error;
      }
    }
  }
}

function boundSocket(local: string, port: number, prepare: (descriptor: number) => void): number {
  return openPreparedSocket(addressFamilyOf(local), socketDatagram, (descriptor) => {
    prepare(descriptor);
    bindSocket(descriptor, socketAddress(local, port));
  });
}

function highestTtlFilter(ipv6: boolean): readonly Instruction[] {
  return [
    [loadByte, 0, 0, networkHeader + (ipv6 ? hopLimitOffset : ttlOffset)],
    [jumpIfEqual, 0, 1, highestTtl],
    [give, 0, 0, wholePacket],
    [give, 0, 0, 0],
  ];
}
