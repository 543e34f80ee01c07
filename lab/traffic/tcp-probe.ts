import { connect } from "node:net";

/** One attempt to open a TCP connection. Times are milliseconds since the probe began. */
export interface Attempt {
  readonly startedAt: number;
  readonly answered: boolean;
}

export interface Loss {
  readonly attempts: number;
  readonly lost: number;
  /** Milliseconds between the last answered attempt before the longest hole and the first one after it. */
  readonly longestHole: number;
}

/** Sums up attempts in the order in which they started; a hole at the end counts up to the last attempt. */
export function lossOf(attempts: readonly Attempt[]): Loss {
  let longestHole = 0;
  let lastAnswer = attempts[0]?.startedAt ?? 0;
  let inHole = false;
  for (const { startedAt, answered } of attempts) {
    if (inHole) longestHole = Math.max(longestHole, startedAt - lastAnswer);
    if (answered) lastAnswer = startedAt;
    inHole = !answered;
  }
  return { attempts: attempts.length, lost: attempts.filter(({ answered }) => !answered).length, longestHole };
}

export interface ProbeOptions {
  readonly address: string;
  readonly port: number;
  /** Milliseconds between the starts of two attempts. */
  readonly interval: number;
  /** Milliseconds after which an attempt counts as lost; below the kernel's first SYN retransmission at 1 s. */
  readonly timeout: number;
}

/** Opens connections at a fixed rate until `stop` settles, then waits for those under way. */
export async function probeTcp(options: ProbeOptions, stop: Promise<unknown>): Promise<readonly Attempt[]> {
  const began = performance.now();
  const pending: Promise<Attempt>[] = [];
  const timer = setInterval(() => pending.push(attempt(options, performance.now() - began)), options.interval);
  await stop;
  clearInterval(timer);
  return Promise.all(pending);
}

function attempt({ address, port, timeout }: ProbeOptions, startedAt: number): Promise<Attempt> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    const end = (answered: boolean): void => {
      clearTimeout(deadline);
      socket.destroy();
      resolve({ startedAt: Math.round(startedAt), answered });
    };
    const deadline = setTimeout(() => end(false), timeout);
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}
