/** The product's announcer as a process of its own, so that it can run in a network namespace; see announce.test.ts. */
import { startAnnouncer } from "../../agent-image/agent/announce/announcer.js";
import { openPacketSocket } from "../../agent-image/agent/announce/packet-socket.js";
import type { Announcement } from "../../agent-image/agent/announce/schedule.js";

const announcer = startAnnouncer(openPacketSocket(), () => undefined);
process.on("message", (owned: readonly Announcement[]) => {
  announcer.set(owned);
  process.send?.({ done: true });
});
process.on("disconnect", () => process.exit());
