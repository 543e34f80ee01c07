import { setTimeout as sleep } from "node:timers/promises";
import { withPair } from "./bench-fabric.js";
import type { ReceiverKind } from "./receivers.js";
import { quantile } from "./statistics.js";
import { hostMac, type RouteForm, secondVtep } from "./table-bytes.js";

/** From the UPDATE's way out of the sender until the kernel tells of the changed entry, in milliseconds. */
export interface MoveTimes {
  readonly median: number;
  readonly p99: number;
  readonly max: number;
}

/** Milliseconds for which a receiver that has just taken a table is left alone. */
const settling = 10_000;
/** Milliseconds between two moves. */
const pause = 10;
const nanosecondsPerMillisecond = 1e6;

/** Hosts that move one after the other, each once, among `hosts` that are there. */
export function timesOfMoves(kind: ReceiverKind, hosts: number, form: RouteForm, moves: number): Promise<MoveTimes> {
  return withPair(kind, { networks: 1, hosts, form }, async ({ receiver, sender }) => {
    const watch = await receiver.watch(hosts);
    sender.tell("table");
    await watch.hears("all");
    await sleep(settling);
    const times: number[] = [];
    for (let host = 0; host < moves; host++) {
      sender.tell(`move ${host}`);
      const start = await sender.hearsTime(`move ${host}`);
      const end = await watch.hearsTime(`entry ${hostMac(host)} ${secondVtep}`);
      times.push(Number(end - start) / nanosecondsPerMillisecond);
      await sleep(pause);
    }
    return { median: quantile(times, 0.5), p99: quantile(times, 0.99), max: quantile(times, 1) };
  });
}
