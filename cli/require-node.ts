/** Comes before all other imports: some of these cannot be loaded by an old Node. */
import { nodeVersionProblem } from "../model/node-version.js";
import { exitCode } from "./exit-code.js";

const problem = nodeVersionProblem(process.versions.node, process.execPath);
if (problem !== undefined) {
  process.stderr.write(`vlan-router: ${problem}\n`);
  process.exit(exitCode.failure);
}
