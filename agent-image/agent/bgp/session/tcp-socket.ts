import { connect, Socket, type SocketConstructorOpts } from "node:net";
import koffi from "koffi";
import { errnoName } from "../../system/errno-name.js";
import { socketCloseOnExec, socketNonBlocking, socketStream } from "../../system/socket-flags.js";
import { addressFamilyOf } from "./address-family.js";
import { readPassword } from "./password-file.js";
import type { SessionTarget, SocketFactory } from "./session-target.js";
import { protectingOptions, type SocketOption } from "./socket-options.js";

/** RFC 4271 section 2. */
const bgpPort = 179;

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
  const library = libc();
  const descriptor = Number(
    library.socket(addressFamilyOf(peer), socketStream | socketNonBlocking | socketCloseOnExec, 0),
  );
  if (descriptor < 0) {
    throw new Error(`cannot open a TCP socket: ${errnoName()}`);
  }
  try {
    for (const { name, level, option, value } of options) {
      if (Number(library.setsockopt(descriptor, level, option, value, value.length)) < 0) {
        throw new Error(`cannot protect the BGP session to ${peer}: the kernel refuses ${name} (${errnoName()})`);
      }
    }
    const handover: ManualStart = { fd: descriptor, readable: true, writable: true, manualStart: true };
    return new Socket(handover);
  } catch (error) {
    library.close(descriptor);
    throw error;
  }
}

/** Loaded at the first protected session: a node without one does without. */
let loaded: ReturnType<typeof loadLibc> | undefined;

function libc() {
  loaded ??= loadLibc();
  return loaded;
}

function loadLibc() {
  const library = koffi.load("libc.so.6");
  return {
    socket: library.func("int socket(int domain, int type, int protocol)"),
    setsockopt: library.func("int setsockopt(int fd, int level, int option, void *value, uint32_t length)"),
    close: library.func("int close(int fd)"),
  };
}
