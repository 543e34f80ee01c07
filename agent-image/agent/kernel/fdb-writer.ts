import { getSystemErrorName, promisify } from "node:util";
import koffi from "koffi";
import { type Operation, operationText } from "../../../model/index.js";
import { errnoName } from "../system/errno-name.js";
import { doNotWait, socketCloseOnExec, socketRaw } from "../system/socket-flags.js";
import type { Applied } from "./apply.js";
import { fdbDevice, fdbRequest } from "./fdb-request.js";

/** linux/socket.h and linux/netlink.h */
const addressFamilyNetlink = 16;
const routeProtocol = 0;
/** NLMSG_ERROR; with the number 0 it says that all is well. */
const answerType = 2;
/** struct nlmsghdr, an error number, and the header of what is answered. */
const shortestAnswer = 36;

/** Requests in one system call: their answers have to find room in the socket's buffer of 200 kB. */
const requestsAtOnce = 64;

/** Writes forwarding entries. */
export interface FdbWriter {
  /** Executes commands `bridge fdb …`, each by itself. Failures are results, not exceptions. */
  apply(operations: readonly Operation[]): Promise<Applied>;
}

/**
 * Speaks rtnetlink(7) itself: a host that moves costs one system call. Starting `bridge` costs as much as the pages that this
 * process has: 2.5 ms with few routes, 15 ms with a hundred thousand (docs/benchmarks.md).
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
    for (let start = 0; start < commands.length; start += requestsAtOnce) {
      const part = commands.slice(start, start + requestsAtOnce);
      const failures = await this.send(part);
      for (const [position, command] of part.entries()) {
        const why = failures.get(position);
        if (why === undefined) done.push(command);
        else errors.push(`${command}: ${why}`);
      }
    }
    return { done, errors };
  }

  /** By position in the list: why a command failed. */
  private async send(commands: readonly string[]): Promise<ReadonlyMap<number, string>> {
    const failures = new Map<number, string>();
    const waiting = new Map<number, number>();
    const requests: Buffer[] = [];
    for (const [position, command] of commands.entries()) {
      const device = fdbDevice(command);
      // Each time: an interface that was made again has another index under the same name.
      const index = Number(this.library.ifNameToIndex(device));
      if (index === 0) {
        failures.set(position, `there is no interface ${device}`);
        continue;
      }
      this.sequence = (this.sequence + 1) % 2 ** 32;
      waiting.set(this.sequence, position);
      requests.push(fdbRequest(command, index, this.sequence));
    }
    if (requests.length > 0) {
      const descriptor = this.open();
      const bytes = Buffer.concat(requests);
      // In a thread: the kernel carries out what is sent before the call returns, and may have to wait for its lock.
      const sent = Number(await this.library.send(descriptor, bytes, bytes.length, 0));
      if (sent === bytes.length) this.readAnswers(descriptor, waiting, failures);
    }
    for (const position of waiting.values()) failures.set(position, "the kernel did not answer");
    return failures;
  }

  private open(): number {
    if (this.descriptor === undefined) {
      const descriptor = Number(
        this.library.socket(addressFamilyNetlink, socketRaw | socketCloseOnExec, routeProtocol),
      );
      if (descriptor < 0) throw new Error(`cannot open a netlink socket: ${errnoName()}`);
      this.descriptor = descriptor;
    }
    return this.descriptor;
  }

  private readAnswers(descriptor: number, waiting: Map<number, number>, failures: Map<number, string>): void {
    while (waiting.size > 0) {
      const length = Number(this.library.recv(descriptor, this.answer, this.answer.length, doNotWait));
      if (length < shortestAnswer) return;
      const answered = this.answer.readUInt32LE(8);
      const position = waiting.get(answered);
      if (position === undefined || this.answer.readUInt16LE(4) !== answerType) continue;
      waiting.delete(answered);
      const error = this.answer.readInt32LE(16);
      if (error < 0) failures.set(position, getSystemErrorName(error));
    }
  }
}

function loadLibrary() {
  const library = koffi.load("libc.so.6");
  const send = library.func("long send(int fd, void *data, size_t length, int flags)");
  return {
    socket: library.func("int socket(int domain, int type, int protocol)"),
    send: promisify(send.async) as (...args: readonly unknown[]) => Promise<unknown>,
    recv: library.func("long recv(int fd, _Out_ void *data, size_t length, int flags)"),
    ifNameToIndex: library.func("unsigned int if_nametoindex(str name)"),
  };
}
