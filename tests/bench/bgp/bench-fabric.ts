import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startFabric } from "../../interop/bgp-fabric.js";
import type { TestNamespaces } from "../../support/namespace.js";
import { type ProcessUsage, processesOf, usageOf } from "./process-usage.js";
import { Program } from "./program.js";
import { place, type Receiver, type ReceiverKind } from "./receivers.js";
import { receiverAddress } from "./speaker-network.js";
import type { RouteForm } from "./table-bytes.js";

/** What the sender has. */
export interface Table {
  readonly networks: number;
  readonly hosts: number;
  readonly form: RouteForm;
}

/** A receiver that has a session with the sender, and nothing of its table yet. */
export interface Pair {
  readonly receiver: Receiver;
  readonly sender: Program;
  usage(): Promise<ProcessUsage>;
}

/** Milliseconds from the session to the measurement, for what a start leaves behind. */
const settling = 1500;

/** Sender and receiver in namespaces of their own, which end with the work. */
export async function withPair<T>(kind: ReceiverKind, table: Table, work: (pair: Pair) => Promise<T>): Promise<T> {
  const fabric: TestNamespaces = await startFabric({ peer: 19, [place]: 11 });
  try {
    const { networks, hosts, form } = table;
    const receiver = await kind.start(fabric, networks, hosts);
    const program = [process.execPath, join(__dirname, "sender.js")];
    const options = [receiver.isPassive ? receiverAddress : "-", String(networks), String(hosts), form];
    const sender = new Program(fabric, "peer", [...program, ...options]);
    await sender.hears("established");
    await sleep(settling);
    // Once, while it rests: a program that it starts has its command line too for a moment.
    const numbers = await processesOf(fabric, place, receiver.processes);
    try {
      return await work({ receiver, sender, usage: () => usageOf(fabric, place, numbers) });
    } finally {
      await receiver.end();
    }
  } finally {
    await fabric.end();
  }
}
