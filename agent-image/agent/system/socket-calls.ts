import koffi from "koffi";
import { errnoName } from "./errno-name.js";
import { doNotWait, socketCloseOnExec, socketNonBlocking } from "./socket-flags.js";

/** One setsockopt(2). */
export interface SocketOption {
  /** For people. */
  readonly name: string;
  readonly level: number;
  readonly option: number;
  readonly value: Buffer;
}

/** A call that the kernel refuses. */
export class SocketError extends Error {
  override readonly name = "SocketError";
  /** Such as `EADDRINUSE`. */
  readonly code: string;

  constructor(what: string) {
    const code = errnoName();
    super(`${what}: ${code}`);
    this.code = code;
  }
}

/** A C int on the platforms that the image is built for, which are little-endian. */
export function nativeInteger(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

/**
 * The descriptor of a socket that Node takes over: it has no call for many options. It does not block, and no child inherits it.
 *
 * @param type SOCK_STREAM or the like
 * @throws SocketError
 */
export function openSocket(family: number, type: number): number {
  const descriptor = Number(libc().socket(family, type | socketNonBlocking | socketCloseOnExec, 0));
  if (descriptor < 0) {
    throw new SocketError("cannot open a socket");
  }
  return descriptor;
}

/** @throws SocketError with the option's name */
export function setSocketOption(descriptor: number, { name, level, option, value }: SocketOption): void {
  if (Number(libc().setsockopt(descriptor, level, option, value, value.length)) < 0) {
    throw new SocketError(`the kernel refuses ${name}`);
  }
}

/**
 * @param address a struct sockaddr
 * @throws SocketError
 */
export function bindSocket(descriptor: number, address: Buffer): void {
  if (Number(libc().bind(descriptor, address, address.length)) < 0) {
    throw new SocketError("cannot bind a socket");
  }
}

/**
 * A socket with all that must be set before it is used; nothing stays open where that fails.
 *
 * @param prepare sets options and binds
 * @throws whatever `prepare` throws; SocketError
 */
export function openPreparedSocket(family: number, type: number, prepare: (descriptor: number) => void): number {
  const descriptor = openSocket(family, type);
  try {
    prepare(descriptor);
    return descriptor;
  } catch (error) {
    closeSocket(descriptor);
    throw error;
  }
}

/**
 * At once and without waiting.
 *
 * @param address a struct sockaddr
 * @returns whether the kernel took it
 */
export function sendDatagram(descriptor: number, payload: Buffer, address: Buffer): boolean {
  return Number(libc().sendto(descriptor, payload, payload.length, doNotWait, address, address.length)) >= 0;
}

export function closeSocket(descriptor: number): void {
  libc().close(descriptor);
}

/** Loaded at the first use: a node without protected sessions and without BFD does without. */
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
    bind: library.func("int bind(int fd, void *address, uint32_t length)"),
    sendto: library.func("long sendto(int fd, void *data, size_t length, int flags, void *to, uint32_t toLength)"),
    close: library.func("int close(int fd)"),
  };
}
