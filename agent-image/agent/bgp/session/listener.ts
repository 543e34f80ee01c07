import { createServer, isIPv6, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { canonicalAddress } from "../../../../model/index.js";
import {
  bindSocket,
  nativeInteger,
  openPreparedSocket,
  type SocketOption,
  setSocketOption,
} from "../../system/socket-calls.js";
import { socketStream } from "../../system/socket-flags.js";
import { addressFamilyOf } from "./address-family.js";
import { discardSocket } from "./discard-socket.js";
import { socketAddress } from "./socket-address.js";
import { protectingOptions, sentTtl } from "./socket-options.js";
import { bgpPort } from "./tcp-socket.js";
import { highestTtl } from "./ttl-security.js";

/** Who may connect, and what its packets must have. */
export interface AdmittedPeer {
  readonly peer: string;
  readonly password?: Buffer;
  readonly ttlSecurity?: number;
}

/** Takes connections until it is closed; those that were taken go on after that. */
export interface Listener {
  close(): void;
}

/**
 * Listens at a local address, for the admitted peers alone.
 *
 * @param onConnection gets a connection that stands
 * @param onError the socket has failed after it was opened
 * @throws SocketError such as EADDRINUSE
 */
export type ListenerFactory = (
  local: string,
  peers: readonly AdmittedPeer[],
  onConnection: (peer: string, socket: Duplex) => void,
  onError: (error: Error) => void,
) => Listener;

/** asm-generic/socket.h: connections of before, which may still be in TIME_WAIT, must not keep the port (socket(7)). */
const reuseAddress: SocketOption = { name: "SO_REUSEADDR", level: 1, option: 2, value: nativeInteger(1) };

/** TCP port 179 of one address. Anybody else's connection is closed at once, before a byte is read. */
export const tcpListener: ListenerFactory = (local, peers, onConnection, onError) => {
  const admitted = new Map(peers.map((peer) => [peer.peer, peer]));
  const server = createServer({ noDelay: true }, (socket) => {
    const peer = admitted.get(canonicalAddress(socket.remoteAddress ?? ""));
    if (peer === undefined || !protect(socket, peer)) {
      discardSocket(socket);
      return;
    }
    onConnection(peer.peer, socket);
  });
  server.on("error", onError);
  server.listen({ fd: boundSocket(local, peers) });
  return { close: () => server.close() };
};

/** Signatures count from the first segment on, so the socket has them before it listens. */
function boundSocket(local: string, peers: readonly AdmittedPeer[]): number {
  return openPreparedSocket(addressFamilyOf(local), socketStream, (descriptor) => {
    setSocketOption(descriptor, reuseAddress);
    for (const option of commonOptions(local, peers)) setSocketOption(descriptor, option);
    bindSocket(descriptor, socketAddress(local, bgpPort));
  });
}

function commonOptions(local: string, peers: readonly AdmittedPeer[]): readonly SocketOption[] {
  const signatures = peers.flatMap(({ peer, password }) => protectingOptions(peer, { password }));
  const hops = peers.map(({ ttlSecurity }) => ttlSecurity ?? highestTtl);
  const furthest = Math.max(...hops);
  if (furthest < highestTtl) return [...signatures, ...protectingOptions(local, { ttlSecurity: furthest })];
  // Peers at any distance must get through; the answer to one with TTL security has the highest TTL all the same.
  return hops.some((count) => count < highestTtl) ? [...signatures, sentTtl(isIPv6(local))] : signatures;
}

/** What is set for one peer alone; the kernel gives a connection the signature of its listener. False: it cannot be set. */
function protect(socket: Socket, { peer, ttlSecurity }: AdmittedPeer): boolean {
  if (ttlSecurity === undefined) return true;
  // Not in Node's types, as the descriptor of a connection is its own business.
  const { _handle: handle } = socket as unknown as { readonly _handle?: { readonly fd?: number } };
  if (handle?.fd === undefined) return false;
  for (const option of protectingOptions(peer, { ttlSecurity })) setSocketOption(handle.fd, option);
  return true;
}
