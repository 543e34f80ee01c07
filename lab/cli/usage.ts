import { DEFAULT_LAB } from "../lab.js";
import { places } from "../topology.js";

export const usage = `Usage: npm run lab -- [--lab NAME] COMMAND

  status [--json]           what the lab has: places, processes, BGP sessions, Kubernetes nodes and pods
  shell PLACE               a shell in a place of the lab
  exec PLACE COMMAND ...    runs a command there
  up [--fabric-only]        makes the lab, or starts what does not run of it; --fabric-only: without Kubernetes
  down                      ends every process and namespace of the lab and removes its state

PLACE is ${places.join(", ")}; or admin, from where kubectl reaches the API server.
NAME is the lab's name, "${DEFAULT_LAB}" when left out.

Exit code: 0 when all is well, 1 on failure and when status finds the lab down, 2 on a mistake in the command line;
shell and exec end with the code of their command.
`;
