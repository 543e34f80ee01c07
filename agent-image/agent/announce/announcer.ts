import { announcementReply, announcementRequest, gatewayRequest } from "./arp-frame.js";
import type { FrameSender } from "./packet-socket.js";
import { type Announcement, emptySchedule, nextDue, type Schedule, schedule, takeDue } from "./schedule.js";

export interface Announcer {
  /** What this node owns from now on; the first frames of a new address leave before this returns. */
  set(owned: readonly Announcement[]): void;
  close(): void;
}

/** Drives the schedule with one timer. `onError` hears of a frame that could not be sent; the schedule goes on. */
export function startAnnouncer(sender: FrameSender, onError: (error: Error) => void): Announcer {
  let current: Schedule = emptySchedule;
  let timer: NodeJS.Timeout | undefined;

  const run = (): void => {
    clearTimeout(timer);
    const taken = takeDue(current, performance.now(), Math.random);
    current = taken.schedule;
    for (const { announcement, form } of taken.due) {
      const { device, mac, address, gateway } = announcement;
      try {
        sender.send(device, form === "request" ? announcementRequest(mac, address) : announcementReply(mac, address));
        sender.send(device, gatewayRequest(mac, address, gateway));
      } catch (error) {
        onError(error as Error);
      }
    }
    const next = nextDue(current);
    if (next !== undefined) {
      timer = setTimeout(run, Math.max(1, next - performance.now()));
    }
  };

  return {
    set(owned) {
      current = schedule(current, owned, performance.now());
      run();
    },
    close() {
      clearTimeout(timer);
      sender.close();
    },
  };
}
