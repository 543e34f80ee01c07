import { connect, Socket, type SocketConstructorOpts } from "node:net";
import { openPreparedSocket, SocketError, type SocketOption, setSocketOption } from "../../system/socket-calls.js";
import { socketStream } from "../../system/socket-flags.js";
import { addressFamilyOf } from "./address-family.js";
import { readPassword } from "./password-file.js";
import type { SessionTarget, SocketFactory } from "./session-target.js";
import { protectingOptions } from "./socket-options.js";

/** RFC 4271 section 2. */
export const bgpPort = 179;

/** Node reads a descriptor at once, which fails (ENOTCONN) before it is connected; the option that delays it is not in the types. */
interface ManualStart extends SocketConstructorOpts {
  readonly manualStart: true;
}

/** TCP to the peer's BGP port. What goes wrong before the connection comes out of the socket as its error. */
export const tcpSocket: SocketFactory = (target, { passwordFile, ttlSecurity }) => {
  const endpoints = { host: target.peer, port: bgpPort, localAddress: target.local };
  if (passwordFile === undefined && ttlSecurity === undefined) {
    return connect({ ...endpoints, noDelay: true });
  }
  try {
    const password = passwordFile === undefined ? undefined : readPassword(passwordFile);
    const socket = socketWith(target, protectingOptions(target.peer, { password, ttlSecurity }));
    return socket.connect(endpoints).setNoDelay();
  } catch (error) {
    return new Socket().destroy(error instanceof Error ? error : new Error(String(error)));
  }
};

/** Node has no call for these options, so the descriptor is made here and handed over. */
function socketWith({ peer }: SessionTarget, options: readonly SocketOption[]): Socket {
  try {
    const descriptor = openPreparedSocket(addressFamilyOf(peer), socketStream, (fresh) => {
      for (const option of options) setSocketOption(fresh, option);
    });
    const handover: ManualStart = { fd: descriptor, readable: true, writable: true, manualStart: true };
    return new Socket(handover);
  } catch (error) {
    throw error instanceof SocketError
      ? new Error(`cannot protect the BGP session to ${peer}: ${error.message}`, { cause: error })
      : error;
  }
}
