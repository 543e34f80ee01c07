/** Runs of which the median counts; odd, so that it is one of them. */
const runs = 5;
/** Milliseconds. What takes longer is not repeated: one run says enough. */
const longRun = 1000;

/** Median processor time in milliseconds, after runs that warm up. Unlike the clock's, it does not count other programs. */
export function milliseconds(work: () => unknown): number {
  const first = timed(work);
  if (first > longRun) return first;
  timed(work);
  const times = Array.from({ length: runs }, () => timed(work)).sort((left, right) => left - right);
  return times[(runs - 1) / 2] ?? first;
}

function timed(work: () => unknown): number {
  collectGarbage();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Bytes of the heap that go when the result is let go. Measured on the way down: on the way up the collector also frees code
 * and caches of earlier steps, which can be more than a small result holds.
 */
export function retainedBytes(work: () => unknown): number {
  const holder: { result: unknown } = { result: work() };
  const held = settledHeap();
  holder.result = undefined;
  return held - settledHeap();
}

function settledHeap(): number {
  // The second round frees what the first found to be reachable from finalised objects only.
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

function collectGarbage(): void {
  if (globalThis.gc === undefined) throw new Error("run node with --expose-gc");
  globalThis.gc();
}
