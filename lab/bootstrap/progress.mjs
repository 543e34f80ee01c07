// Progress lines for long work. Whole lines only (no cursor movement), so that they read the same on a terminal, in a CI log
// and when several steps run side by side:
//
//   [  12.3s] building kubelet v1.36.3 ...
//   [  73.4s] building kubelet v1.36.3: done in 61.1s
//
// It lives in the bootstrap because that runs before TypeScript can be compiled; `lab/progress.ts` gives it to the rest.

/** A step that says nothing for this long looks like a hang, so it says that it still works. */
const HEARTBEAT_MS = 30_000;

/** Hands the start of the whole run on to child processes, so that their times count from the same moment. */
export const STARTED_AT_VARIABLE = "VLAN_ROUTER_STARTED_AT";

/**
 * @typedef {object} Progress
 * @property {<T>(what: string, work: (detail: (text: string) => void) => Promise<T>) => Promise<T>} step
 *   Runs one long piece of work between a line that says what begins and a line that says how it ended and how long it
 *   took. `detail` tells what the step is doing now; it is shown when the step takes long. Errors pass through.
 * @property {(text: string) => void} note Prints one line.
 */

/**
 * @typedef {object} ProgressOptions
 * @property {(line: string) => void} [write] Where a line goes, line end included; standard error when left out.
 * @property {() => number} [now] Clock in milliseconds.
 * @property {number} [startedAt] When the run began, on the same clock.
 * @property {number} [heartbeatMs] After how much silence a step says that it still works.
 */

/**
 * @param {ProgressOptions} [options]
 * @returns {Progress}
 */
export function createProgress(options = {}) {
  const write = options.write ?? ((line) => void process.stderr.write(line));
  const now = options.now ?? Date.now;
  const startedAt = options.startedAt ?? runStart(process.env, now);
  const heartbeatMs = options.heartbeatMs ?? HEARTBEAT_MS;

  /** @param {string} text */
  const note = (text) => write(`[${seconds(now() - startedAt).padStart(8)}] ${text}\n`);

  return {
    note,
    async step(what, work) {
      const begin = now();
      const elapsed = () => seconds(now() - begin);
      let doing = "";
      note(`${what} ...`);
      const heartbeat = setInterval(
        () => note(`${what}: still working after ${elapsed()}${doing === "" ? "" : ` (${doing})`}`),
        heartbeatMs,
      );
      heartbeat.unref();
      try {
        const result = await work((text) => {
          doing = text;
        });
        note(`${what}: done in ${elapsed()}`);
        return result;
      } catch (error) {
        note(`${what}: failed after ${elapsed()}`);
        throw error;
      } finally {
        clearInterval(heartbeat);
      }
    },
  };
}

/**
 * The start of the run as the first process of it noted it in the environment.
 *
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @param {() => number} now
 * @returns {number} milliseconds
 */
export function runStart(environment, now) {
  const inherited = Number(environment[STARTED_AT_VARIABLE]);
  return Number.isFinite(inherited) && inherited > 0 ? inherited : now();
}

/** @param {number} milliseconds */
function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)}s`;
}
