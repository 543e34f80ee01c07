import { setTimeout as sleep } from "node:timers/promises";
import { startFabric } from "../../interop/bgp-fabric.js";
import { GobgpDaemon } from "../../interop/gobgp-daemon.js";
import { withPair } from "./bench-fabric.js";
import { processesOf, usageOf } from "./process-usage.js";
import { gobgpProcesses, type ReceiverKind } from "./receivers.js";
import { asn, senderAddress } from "./table-bytes.js";

/** Milliseconds for which everything has been there before memory is read. */
const settling = 10_000;

/** Resident MiB of a receiver that carries so many networks with so many hosts in each. */
export function memoryOfNetworks(kind: ReceiverKind, networks: number, hosts: number): Promise<number> {
  return withPair(kind, { networks, hosts, form: "mac-ip" }, async ({ receiver, sender, usage }) => {
    const watch = await receiver.watch(hosts);
    sender.tell("table");
    await watch.hears("all");
    await sleep(settling);
    return (await usage()).rss;
  });
}

/** Resident MiB of so many processes of GoBGP together, each in a place of its own, idle and without a route. */
export async function memoryOfGobgp(processes: number): Promise<number> {
  const hosts = Object.fromEntries(Array.from({ length: processes }, (_, index) => [`node${index}`, 101 + index]));
  const fabric = await startFabric(hosts);
  try {
    for (const [place, host] of Object.entries(hosts)) {
      const neighbours = [{ address: senderAddress, asn }];
      await GobgpDaemon.start(fabric, place, "v4", { asn, routerId: `10.0.7.${host}`, holdTime: 90, neighbours });
    }
    await sleep(settling);
    return (await usageOf(fabric, "node0", await processesOf(fabric, "node0", gobgpProcesses))).rss;
  } finally {
    await fabric.end();
  }
}
