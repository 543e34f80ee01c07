import koffi from "koffi";
import { SocketError } from "./socket-calls.js";

/** struct sock_filter of linux/filter.h: operation, jumps if true and if false, operand. */
export type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

/** linux/bpf_common.h: load a byte, compare and jump, return. */
export const loadByte = 0x30;
export const jumpIfEqual = 0x15;
export const give = 0x06;

/** SKF_NET_OFF of linux/filter.h: from here the operand of a load counts from the network header. */
export const networkHeader = 0xfff0_0000;

/** asm-generic/socket.h */
const levelSocket = 1;
const optionAttachFilter = 26;

/** struct sock_fprog of linux/filter.h */
const socketFilter = koffi.struct("SocketFilter", { length: "uint16_t", instructions: "void *" });
const instructionLength = 8;

/**
 * Lets the kernel throw away what a program of linux/filter.h does not give (SO_ATTACH_FILTER, socket(7)).
 *
 * @throws SocketError
 */
export function attachFilter(descriptor: number, filter: readonly Instruction[]): void {
  const instructions = Buffer.alloc(instructionLength * filter.length);
  filter.forEach(([code, ifTrue, ifFalse, operand], index) => {
    instructions.writeUInt16LE(code, instructionLength * index);
    instructions.writeUInt8(ifTrue, instructionLength * index + 2);
    instructions.writeUInt8(ifFalse, instructionLength * index + 3);
    instructions.writeUInt32LE(operand, instructionLength * index + 4);
  });
  const program = { length: filter.length, instructions };
  if (Number(setFilter()(descriptor, levelSocket, optionAttachFilter, program, koffi.sizeof(socketFilter))) < 0) {
    throw new SocketError("the kernel refuses SO_ATTACH_FILTER");
  }
}

let loaded: ReturnType<typeof loadSetFilter> | undefined;

/** Loaded at the first use, as in socket-calls.ts. */
function setFilter() {
  loaded ??= loadSetFilter();
  return loaded;
}

function loadSetFilter() {
  return koffi
    .load("libc.so.6")
    .func("int setsockopt(int fd, int level, int option, _In_ SocketFilter *program, uint32_t length)");
}
