import { getSystemErrorName, promisify } from "node:util";
import koffi from "koffi";
import { type Operation, operationText } from "../../../model/index.js";
import { errnoName } from "../system/errno-name.js";
import { doNotWait, socketCloseOnExec, socketRaw } from "../system/socket-flags.js";
import type { Applied } from "./apply.js";
import { askForAnswer, FdbRequests, fdbDevice, longestRequest } from "./fdb-request.js";

/** linux/socket.h and linux/netlink.h */
const addressFamilyNetlink = 16;
const routeProtocol = 0;
/** asm-generic/socket.h: SOL_SOCKET, SO_RCVBUFFORCE */
const [socketLevel, forcedReceiveBuffer] = [1, 33] as const;
/** NLMSG_ERROR; with the number 0 it says that all is well. */
const answerType = 2;
/** struct nlmsghdr, an error number, and the header of what is answered. */
const shortestAnswer = 36;

/** Requests in one system call: starting one in a thread costs as much as the kernel needs for a hundred requests. */
const requestsAtOnce = 1000;
/** Room for the kernel's answers should all fail: each takes 768 bytes, and the usual 200 kB are too few. */
const answerRoom = 1024 * 1024;

/** Writes forwarding entries. */
export interface FdbWriter {
  /** Executes commands `bridge fdb …`, each by itself. Failures are results, not exceptions. */
  apply(operations: readonly Operation[]): Promise<Applied>;
}

/**
 * Speaks rtnetlink(7) itself: a host that moves costs one system call. Starting `bridge` costs many times what the whole move takes,
 * the more so the more pages this process has (docs/benchmarks.md).
 */
export class NetlinkFdbWriter implements FdbWriter {
  private readonly library = loadLibrary();
  private readonly answer = Buffer.alloc(8192);
  private descriptor: number | undefined;
  private sequence = 0;

  async apply(operations: readonly Operation[]): Promise<Applied> {
    const done: string[] = [];
    const errors: string[] = [];
    const commands = operations.map(operationText);
    let underWay: Promise<void> = Promise.resolve();
    for (let start = 0; start < commands.length; start += requestsAtOnce) {
      // While the kernel is at the ones before.
      const batch = this.prepare(commands.slice(start, start + requestsAtOnce));
      await underWay;
      underWay = this.exchange(batch).then(() => {
        for (const [position, command] of batch.commands.entries()) {
          const why = batch.failures.get(position);
          if (why === undefined) done.push(command);
          else errors.push(`${command}: ${why}`);
        }
      });
    }
    await underWay;
    return { done, errors };
  }

  private prepare(commands: readonly string[]): Batch {
    const failures = new Map<number, string>();
    const positions = new Map<number, number>();
    // Each time anew: an interface that was made again has another index under the same name.
    const requests = new FdbRequests((device) => Number(this.library.ifNameToIndex(device)));
    const bytes = Buffer.allocUnsafe(commands.length * longestRequest);
    let [end, last] = [0, 0];
    for (const [position, command] of commands.entries()) {
      const sequence = (this.sequence + 1) % 2 ** 32;
      const length = requests.write(command, sequence, bytes, end);
      if (length === 0) {
        failures.set(position, `there is no interface ${fdbDevice(command)}`);
        continue;
      }
      this.sequence = sequence;
      positions.set(sequence, position);
      last = end;
      end += length;
    }
    if (end > 0) askForAnswer(bytes, last);
    return { commands, failures, positions, last: this.sequence, bytes: bytes.subarray(0, end) };
  }

  private async exchange({ bytes, positions, last, failures }: Batch): Promise<void> {
    if (bytes.length === 0) return;
    const descriptor = this.open();
    // In a thread: the kernel carries out what is sent before the call returns, and may have to wait for its lock.
    const sent = Number(await this.library.send(descriptor, bytes, bytes.length, 0));
    if (sent === bytes.length && this.readAnswers(descriptor, positions, last, failures)) return;
    for (const position of positions.values()) {
      if (!failures.has(position)) failures.set(position, "the kernel did not answer");
    }
  }

  private open(): number {
    if (this.descriptor === undefined) {
      const descriptor = Number(
        this.library.socket(addressFamilyNetlink, socketRaw | socketCloseOnExec, routeProtocol),
      );
      if (descriptor < 0) throw new Error(`cannot open a netlink socket: ${errnoName()}`);
      const room = Buffer.alloc(4);
      room.writeInt32LE(answerRoom);
      // Where it is refused, hundreds of failures at once are partly unanswered, which is a failure too.
      this.library.setsockopt(descriptor, socketLevel, forcedReceiveBuffer, room, room.length);
      this.descriptor = descriptor;
    }
    return this.descriptor;
  }

  /** Returns whether the answer to the last request came. */
  private readAnswers(
    descriptor: number,
    positions: ReadonlyMap<number, number>,
    last: number,
    failures: Map<number, string>,
  ): boolean {
    for (;;) {
      const length = Number(this.library.recv(descriptor, this.answer, this.answer.length, doNotWait));
      if (length < shortestAnswer) return false;
      const answered = this.answer.readUInt32LE(8);
      const position = positions.get(answered);
      if (position === undefined || this.answer.readUInt16LE(4) !== answerType) continue;
      const error = this.answer.readInt32LE(16);
      if (error < 0) failures.set(position, getSystemErrorName(error));
      if (answered === last) return true;
    }
  }
}

/** Requests for one system call. The kernel takes them in their order, so that its answer to the last says that all are done. */
interface Batch {
  readonly commands: readonly string[];
  /** By position in the list: why a command failed. */
  readonly failures: Map<number, string>;
  /** By sequence number. */
  readonly positions: ReadonlyMap<number, number>;
  /** The sequence number of the last request. */
  readonly last: number;
  readonly bytes: Buffer;
}

function loadLibrary() {
  const library = koffi.load("libc.so.6");
  const send = library.func("long send(int fd, void *data, size_t length, int flags)");
  return {
    socket: library.func("int socket(int domain, int type, int protocol)"),
    setsockopt: library.func("int setsockopt(int fd, int level, int option, void *value, uint32_t length)"),
    send: promisify(send.async) as (...args: readonly unknown[]) => Promise<unknown>,
    recv: library.func("long recv(int fd, _Out_ void *data, size_t length, int flags)"),
    ifNameToIndex: library.func("unsigned int if_nametoindex(str name)"),
  };
}
