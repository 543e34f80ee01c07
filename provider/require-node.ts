/** Comes before all other imports of an entry of the package: some of these cannot be loaded by an old Node. */
import { nodeVersionProblem } from "../model/node-version.js";

const problem = nodeVersionProblem(process.versions.node, process.execPath);
if (problem !== undefined) throw new Error(problem);
