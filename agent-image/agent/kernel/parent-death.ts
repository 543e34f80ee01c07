import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** prctl(2) PR_SET_PDEATHSIG, which stays set in the program that takes setpriv's place. */
const setpriv = ["setpriv", "--pdeathsig", "KILL", "--"] as const;

/**
 * A program that shall not outlive the agent, however that ends. Without setpriv (util-linux) the program is started as it is: what
 * writes into a pipe that nobody reads ends with its next line.
 */
export function endingWithParent(
  argv: readonly [string, ...string[]],
  path = process.env.PATH ?? "",
): readonly [string, ...string[]] {
  const isInstalled = path.split(delimiter).some((folder) => existsSync(join(folder, setpriv[0])));
  return isInstalled ? [...setpriv, ...argv] : argv;
}
