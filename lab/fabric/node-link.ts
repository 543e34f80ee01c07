import { existsSync } from "node:fs";
import type { Lab } from "../lab.js";
import type { NodeName } from "../topology.js";
import { execute, ip } from "./command.js";
import { nodeCommands, SPINE } from "./underlay.js";

/** Takes a node whose processes have ended off the underlay, with everything that its kernel held. */
export async function unplugNode(lab: Lab, node: NodeName): Promise<void> {
  // The link first: the kernel clears away a namespace later than its name, and both ends of a cable go together.
  await execute(lab, [ip(SPINE, "link", "delete", node), ["ip", "netns", "delete", node]]);
}

/** Puts a node that was unplugged back on the underlay, as it was when the fabric was built. */
export async function plugNode(lab: Lab, node: NodeName): Promise<void> {
  if (!existsSync(lab.isolation.path(`/run/netns/${node}`))) await execute(lab, nodeCommands(node));
}
