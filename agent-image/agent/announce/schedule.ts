/** When to announce which address: pure, so that bursts and intervals can be tested without waiting for them. */

/** One address that this node answers for, with what its frames need. */
export interface Announcement {
  readonly device: string;
  readonly mac: string;
  readonly family: 4 | 6;
  readonly address: string;
  readonly gateway: string;
  /** Seconds between periodic announcements. */
  readonly interval: number;
  /** False while ownership could not be confirmed for long: the burst at takeover still goes out, repetition stops. */
  readonly periodic: boolean;
  /** Somebody else repeats the announcement from this interface: after the burst only the gateway is asked. */
  readonly repeated: boolean;
}

/** Of an announcement by ARP; `none` leaves it out. */
export type AnnouncementForm = "request" | "reply" | "none";

export interface ScheduledAnnouncement {
  readonly announcement: Announcement;
  /** Steps sent since takeover. */
  readonly sent: number;
  /** Monotonic milliseconds. */
  readonly nextAt: number;
}

export type Schedule = ReadonlyMap<string, ScheduledAnnouncement>;

export interface DueAnnouncement {
  readonly announcement: Announcement;
  readonly form: AnnouncementForm;
}

/**
 * Five steps, 1.1 s apart: Linux ignores a second gratuitous ARP within its neighbour locktime of 1 s, and the first
 * may be lost (metallb/metallb#172).
 */
const burstSteps = 5;
const burstSpacing = 1100;

/** Share of the interval by which a periodic step moves, so that the addresses of a node do not speak all at once. */
const jitter = 0.1;

export const emptySchedule: Schedule = new Map();

/** Puts what is owned now into the schedule: new ones are due at once, vanished ones go, known ones keep their place. */
export function schedule(previous: Schedule, owned: readonly Announcement[], now: number): Schedule {
  const next = new Map<string, ScheduledAnnouncement>();
  for (const announcement of owned) {
    const key = keyOf(announcement);
    const known = previous.get(key);
    // Another MAC (the interface was made again) is a takeover for every neighbour's cache.
    const same = known !== undefined && known.announcement.mac === announcement.mac;
    next.set(key, same ? { ...known, announcement } : { announcement, sent: 0, nextAt: now });
  }
  return next;
}

/** Makes the next step of these addresses due at once: whoever else spoke for them has fallen silent, and was heard last. */
export function hasten(current: Schedule, device: string, addresses: ReadonlySet<string>, now: number): Schedule {
  return new Map(
    [...current].map(([key, entry]) => {
      const { announcement } = entry;
      const isMeant = announcement.device === device && addresses.has(announcement.address);
      return [key, isMeant ? { ...entry, nextAt: Math.min(entry.nextAt, now) } : entry];
    }),
  );
}

/**
 * Takes what is due at `now`, at most `most` steps: takeovers that were not announced yet first, for they are what a
 * client waits for, then the rest of bursts, then repetitions. What has to wait stays due.
 *
 * @param random gives numbers in [0, 1)
 */
export function takeDue(
  current: Schedule,
  now: number,
  random: () => number,
  most: number,
): { readonly due: readonly DueAnnouncement[]; readonly schedule: Schedule } {
  const ready = [...current.values()].filter(({ nextAt }) => nextAt <= now);
  if (ready.length === 0) {
    return { due: [], schedule: current };
  }
  const taken = ready.toSorted(byUrgency).slice(0, Math.max(0, most));
  const due: DueAnnouncement[] = [];
  const next = new Map(current);
  for (const { announcement, sent: before } of taken) {
    const speaks = before < burstSteps || announcement.periodic;
    if (speaks) {
      due.push({ announcement, form: formOf(announcement, before) });
    }
    const sent = speaks ? before + 1 : before;
    const wait = sent < burstSteps ? burstSpacing : announcement.interval * 1000 * (1 + jitter * (2 * random() - 1));
    next.set(keyOf(announcement), { announcement, sent, nextAt: now + wait });
  }
  return { due, schedule: next };
}

/** Monotonic milliseconds of the next step, if there is one. */
export function nextDue(current: Schedule): number | undefined {
  let earliest: number | undefined;
  for (const { nextAt } of current.values()) {
    if (earliest === undefined || nextAt < earliest) {
      earliest = nextAt;
    }
  }
  return earliest;
}

function keyOf({ device, address }: Announcement): string {
  return `${device} ${address}`;
}

function formOf({ repeated }: Announcement, sent: number): AnnouncementForm {
  if (repeated && sent >= burstSteps) {
    return "none";
  }
  return sent % 2 === 0 ? "request" : "reply";
}

function byUrgency(one: ScheduledAnnouncement, other: ScheduledAnnouncement): number {
  return Math.min(one.sent, burstSteps) - Math.min(other.sent, burstSteps) || one.nextAt - other.nextAt;
}
