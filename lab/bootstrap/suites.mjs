/**
 * @typedef {object} Suite
 * @property {string} name folder below `tests/`
 * @property {boolean} system whether it needs root and Debian's packages
 * @property {boolean} toolchain whether it needs the programs of the lab
 * @property {boolean} parallel whether its files may run side by side; those that share a lab may not
 * @property {number} timeoutMinutes for one test: a hanging test shall fail, not stop the run
 * @property {number} limitMinutes for the whole suite, many times what it takes; then it is ended, and the next one runs
 * @property {true} [onRequest] it takes too long for every run, so it runs only where it is named
 * @property {string} [lab] the lab that its files share; it is taken down after the suite, whatever came of it
 */

/** All suites, the quick ones first. @type {readonly Suite[]} */
export const SUITES = [
  { name: "unit", system: false, toolchain: false, parallel: true, timeoutMinutes: 2, limitMinutes: 10 },
  { name: "kernel", system: true, toolchain: false, parallel: true, timeoutMinutes: 5, limitMinutes: 20 },
  { name: "interop", system: true, toolchain: true, parallel: false, timeoutMinutes: 5, limitMinutes: 10 },
  { name: "vm", system: true, toolchain: false, parallel: true, timeoutMinutes: 20, limitMinutes: 20 },
  { name: "image", system: true, toolchain: true, parallel: true, timeoutMinutes: 10, limitMinutes: 20 },
  { name: "engine", system: true, toolchain: true, parallel: true, timeoutMinutes: 10, limitMinutes: 20 },
  {
    name: "cluster",
    system: true,
    toolchain: true,
    parallel: false,
    timeoutMinutes: 20,
    limitMinutes: 30,
    lab: "test",
  },
  {
    name: "nightly",
    system: true,
    toolchain: true,
    parallel: false,
    timeoutMinutes: 120,
    limitMinutes: 180,
    onRequest: true,
  },
];

/** What runs when nobody names a suite. @type {readonly Suite[]} */
export const USUAL_SUITES = SUITES.filter(({ onRequest }) => !onRequest);

/**
 * The suites that the words of a command line name. `npm test -- kernel` arrives as `all kernel`: names after `all` narrow it.
 *
 * @param {readonly string[]} words
 * @returns {readonly Suite[]} in the order of {@link SUITES}
 * @throws on a word that is no suite
 */
export function chosenSuites(words) {
  const names = words.filter((word) => word !== "all");
  const unknown = names.filter((name) => !SUITES.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    throw new Error(
      `there is no suite "${unknown.join('", "')}": choose from ${SUITES.map(({ name }) => name).join(", ")}, or all`,
    );
  }
  return names.length === 0 ? USUAL_SUITES : SUITES.filter(({ name }) => names.includes(name));
}

/**
 * Where the compiler puts a test file.
 *
 * @param {string} source `tests/unit/model/numbers.test.ts`
 * @returns {string} `dist/tests/unit/model/numbers.test.js`
 */
export function compiledTest(source) {
  return `dist/${source.replace(/\.ts$/, ".js")}`;
}

/**
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 */

/**
 * The closing line of a test run.
 *
 * @param {readonly Counts[]} counts
 * @returns {string} `12 passed, 0 failed`, with `, 1 skipped` when there are any
 */
export function closingLine(counts) {
  /** @param {keyof Counts} key */
  const sum = (key) => counts.reduce((total, count) => total + count[key], 0);
  const skipped = sum("skipped");
  return `${sum("passed")} passed, ${sum("failed")} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`;
}
