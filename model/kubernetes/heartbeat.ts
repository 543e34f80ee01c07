/** Seconds between two reports of an agent of which nothing else has changed. */
export const heartbeatPeriod = 30;
/** Seconds: three missed heartbeats are silence. */
export const heartbeatSilence = 90;

/**
 * Whether an agent was heard of lately.
 *
 * @param heartbeatTime RFC 3339, by the node's clock
 * @param now milliseconds since the epoch; the answer is as exact as the two clocks agree
 */
export function isHeard(heartbeatTime: string, now: number): boolean {
  // An unreadable time makes NaN, which is not fresh either.
  return now - Date.parse(heartbeatTime) <= heartbeatSilence * 1000;
}
