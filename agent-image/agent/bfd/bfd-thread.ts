import { randomInt } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { systemClock } from "../bgp/session/clock.js";
import { BfdSpeaker } from "./bfd-speaker.js";
import type { BfdMessage, BfdOrder } from "./thread-messages.js";
import { openReceiver, openSender, takeSender } from "./udp-port.js";

/** The thread that {@link ./bfd-service.ts} starts. */
function main(port: NonNullable<typeof parentPort>): void {
  const speaker = new BfdSpeaker({
    clock: systemClock,
    random: Math.random,
    newDiscriminator: () => randomInt(1, 2 ** 32),
    // The sockets are read between the timers and this (the event loop's phases).
    afterPendingInput: setImmediate,
    openReceiver,
    openSender: (local, peer, hop) => openSender(local, peer, hop, Math.random()),
    takeSender,
    onNews: (id, news, held) => port.postMessage({ id, news, ...(held && { held }) } satisfies BfdMessage),
  });
  port.on("message", (order: BfdOrder) => {
    switch (order.kind) {
      case "open":
        speaker.open(order.id, order.target, order.parameters, order.held);
        break;
      case "configure":
        speaker.configure(order.id, order.parameters);
        break;
      case "close":
        speaker.close(order.id);
        break;
      case "end":
        speaker.end();
        port.close();
        break;
    }
  });
}

if (parentPort !== null) {
  main(parentPort);
}
