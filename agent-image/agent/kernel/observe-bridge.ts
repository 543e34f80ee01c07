import { CommandFailure, type CommandRunner } from "./command-runner.js";
import { showForwarding } from "./observe.js";
import { parseHostMacs } from "./parse-bridge.js";
import { parsePrintedJson } from "./printed-json.js";

/** Who is behind the ports of a bridge, but for the one to its segment. */
export interface ObservedBridge {
  /** Those that are up and have a carrier. */
  readonly ports: ReadonlySet<string>;
  readonly entries: readonly { readonly mac: string; readonly port: string }[];
}

interface ListedLink {
  readonly ifname: string;
  readonly flags?: readonly string[];
}

/**
 * Port by port, so that the MACs of a whole segment, which stand behind the one port to it, cost nothing.
 *
 * @param segment the port to the segment
 * @returns nobody where the bridge is not there
 * @throws CommandFailure also when a port went meanwhile
 */
export async function observeBridge(commands: CommandRunner, bridge: string, segment: string): Promise<ObservedBridge> {
  const listed = await commands.run(["ip", "-json", "link", "show", "master", bridge]).catch((error: unknown) => {
    if (error instanceof CommandFailure && error.stderr.includes("Device does not exist")) return "";
    throw error;
  });
  const links = listed.trim() === "" ? [] : parsePrintedJson<readonly ListedLink[]>(listed);
  const ports = links
    .filter(({ ifname, flags = [] }) => ifname !== segment && flags.includes("UP") && !flags.includes("NO-CARRIER"))
    .map(({ ifname }) => ifname);
  const byPort = await showForwarding(commands, "dev", ports, parseHostMacs);
  return {
    ports: new Set(ports),
    entries: Object.entries(byPort).flatMap(([port, macs]) => macs.map((mac) => ({ mac, port }))),
  };
}

/** What the kernel of the node itself knows of neighbours on an interface. */
export async function listNeighbours(
  commands: CommandRunner,
  device: string,
): Promise<readonly { readonly mac: string; readonly address: string }[]> {
  const printed = await commands.run(["ip", "-json", "neigh", "show", "dev", device]);
  const entries =
    printed.trim() === ""
      ? []
      : parsePrintedJson<readonly { readonly dst?: string; readonly lladdr?: string }[]>(printed);
  return entries.flatMap(({ dst, lladdr }) =>
    dst === undefined || lladdr === undefined ? [] : [{ mac: lladdr, address: dst }],
  );
}
