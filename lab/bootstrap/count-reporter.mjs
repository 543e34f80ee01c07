/**
 * A reporter for Node's test runner that writes nothing but the numbers of a whole run, for the closing line of `npm test`. A
 * cancelled test counts as failed, a test marked as work to do as skipped. Node's own summary leaves suites out, also one
 * whose hook failed or that ran out of time; here such a suite counts as one failure.
 *
 * @param {AsyncIterable<{ type: string, data: any }>} events
 * @returns {AsyncGenerator<string>} one JSON object of the form {@link import("./suites.mjs").Counts}
 */
export default async function* countReporter(events) {
  let failedSuites = 0;
  for await (const { type, data } of events) {
    if (type === "test:fail" && data.details.type === "suite" && data.details.error?.failureType !== "subtestsFailed") {
      failedSuites += 1;
    }
    // One summary comes for each file, and one without a file for all of them.
    if (type !== "test:summary" || data.file !== undefined) continue;
    const { passed, failed, cancelled, skipped, todo } = data.counts;
    yield JSON.stringify({ passed, failed: failed + cancelled + failedSuites, skipped: skipped + todo });
  }
}
