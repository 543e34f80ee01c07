import type { GatewayTarget } from "./gateway-targets.js";

/** Which gateways are known, and whom to ask when: pure, so that it can be tested without waiting. */

interface Resolution {
  readonly target: GatewayTarget;
  /** Monotonic milliseconds since when it is asked for without an answer. */
  readonly unansweredSince: number;
  readonly answer?: { readonly mac: string; readonly at: number };
  /** Monotonic milliseconds of the next question. */
  readonly nextAt: number;
}

/** By interface and gateway. */
export type Resolutions = ReadonlyMap<string, Resolution>;

export const noResolutions: Resolutions = new Map();

/**
 * Milliseconds between two questions. The kernel takes an answer for valid for 15 s at the least (half of
 * base_reachable_time_ms, RFC 4861 section 6.3.2); a question of its own, which the gateway may ignore, must never come due.
 */
const askPeriod = 10_000;
/** Milliseconds between two questions while nobody answers and somebody may be waiting. */
const urgentPeriod = 1_000;
/** Milliseconds: what was not said again for so long is not said to the kernel any more either. */
const answerLifetime = 30_000;
/** Milliseconds without an answer after which people hear of it, and questions become rare. */
export const silenceLimit = 30_000;
/** Share of a period by which a question moves, so that a node's networks do not ask all at once. */
const jitter = 0.2;

/** Puts what is asked for now in the place of what was; an interface with another MAC asks anew, another sender at once. */
export function followGateways(previous: Resolutions, targets: readonly GatewayTarget[], now: number): Resolutions {
  return new Map(
    targets.map((target): [string, Resolution] => {
      const key = keyOf(target.device, target.gateway);
      const known = previous.get(key);
      if (known === undefined || known.target.mac !== target.mac) {
        return [key, { target, unansweredSince: now, nextAt: now }];
      }
      return [key, { ...known, target, nextAt: known.target.sender === target.sender ? known.nextAt : now }];
    }),
  );
}

/** Takes the gateways that are to be asked for at `now`. `random` gives numbers in [0, 1). */
export function takeQuestions(
  current: Resolutions,
  now: number,
  random: () => number,
): { readonly questions: readonly GatewayTarget[]; readonly resolutions: Resolutions } {
  const due = [...current].filter(([, { nextAt }]) => nextAt <= now);
  if (due.length === 0) {
    return { questions: [], resolutions: current };
  }
  const asked = due.map(([key, resolution]): [string, Resolution] => {
    const urgent = !isAnswered(resolution, now) && now - resolution.unansweredSince < silenceLimit;
    const wait = (urgent ? urgentPeriod : askPeriod) * (1 + jitter * (2 * random() - 1));
    return [key, { ...resolution, nextAt: now + wait }];
  });
  return { questions: due.map(([, { target }]) => target), resolutions: new Map([...current, ...asked]) };
}

/** Notes that somebody sent ARP; what is not about a gateway changes nothing and gives the same object. */
export function hearGateway(
  current: Resolutions,
  device: string,
  sender: { readonly address: string; readonly mac: string },
  now: number,
): Resolutions {
  const key = keyOf(device, sender.address);
  const known = current.get(key);
  return known === undefined
    ? current
    : new Map(current).set(key, { ...known, unansweredSince: now, answer: { mac: sender.mac, at: now } });
}

export interface GatewayEntry {
  readonly device: string;
  readonly gateway: string;
  readonly mac: string;
}

/**
 * What the kernel's neighbour table should say.
 *
 * @param learned MAC of a gateway by an EVPN route, which needs no answer
 */
export function gatewayEntries(
  current: Resolutions,
  learned: (target: GatewayTarget) => string | undefined,
  now: number,
): readonly GatewayEntry[] {
  return [...current.values()].flatMap((resolution) => {
    const { device, gateway } = resolution.target;
    const mac = learned(resolution.target) ?? (isAnswered(resolution, now) ? resolution.answer?.mac : undefined);
    return mac === undefined ? [] : [{ device, gateway, mac }];
  });
}

/** Gateways that do not answer for so long that somebody should know. */
export function silentGateways(current: Resolutions, now: number): readonly GatewayTarget[] {
  return [...current.values()]
    .filter(({ unansweredSince }) => now - unansweredSince >= silenceLimit)
    .map(({ target }) => target);
}

function isAnswered({ answer }: Resolution, now: number): boolean {
  return answer !== undefined && now - answer.at < answerLifetime;
}

function keyOf(device: string, gateway: string): string {
  return `${device} ${gateway}`;
}
