/**
 * The first dotted number of a program's version text: `go version go1.26.8 linux/amd64` gives `[1, 26, 8]`. Suffixes such as
 * `-rc.1` are ignored, a missing patch level counts as 0.
 *
 * @param {string} text
 * @returns {readonly [number, number, number] | undefined}
 */
export function parseVersion(text) {
  const match = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text);
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
}

/**
 * @param {string} version Text that holds a version.
 * @param {string} minimum Lowest version that fits.
 * @param {string} [below] First version that does not fit any more.
 * @returns {boolean} false too when the text holds no version.
 */
export function versionFits(version, minimum, below) {
  const actual = parseVersion(version);
  if (actual === undefined) return false;
  return compare(actual, bound(minimum)) >= 0 && (below === undefined || compare(actual, bound(below)) < 0);
}

/** @param {string} text */
function bound(text) {
  const version = parseVersion(text);
  if (version === undefined) throw new Error(`"${text}" is no version: write it as MAJOR.MINOR or MAJOR.MINOR.PATCH`);
  return version;
}

/**
 * @param {readonly [number, number, number]} a
 * @param {readonly [number, number, number]} b
 */
function compare(a, b) {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
