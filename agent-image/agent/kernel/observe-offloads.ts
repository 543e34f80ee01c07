import { type NodePlan, type ObservedLink, tunnelOf, txChecksumFeature } from "../../../model/index.js";
import type { CommandRunner } from "./command-runner.js";
import { parsePrintedJson } from "./printed-json.js";

export interface Offloads {
  /** Of each interface, by name. */
  readonly txChecksum: ReadonlyMap<string, boolean>;
  /** Why ethtool tells nothing: it is missing, older than the question, or refused. */
  readonly failure?: string;
}

/**
 * Reads the offloads of all interfaces at once; undefined where no network of the plan sets one, so that ethtool is needed
 * nowhere else. Its failure is a result: networks that set none, and the rest of those that do, must not wait for it.
 */
export async function observeOffloads(
  commands: CommandRunner,
  plan: NodePlan | undefined,
): Promise<Offloads | undefined> {
  const isAsked = plan?.networks.some(({ link }) => tunnelOf(link)?.txChecksum !== undefined) ?? false;
  if (!isAsked) return undefined;
  try {
    // Not one process for each interface: ethtool over netlink takes an asterisk for all of them.
    return { txChecksum: parseTxChecksum(await commands.run(["ethtool", "--json", "--show-features", "*"])) };
  } catch (error) {
    return { txChecksum: new Map(), failure: error instanceof Error ? error.message : String(error) };
  }
}

export function withOffload(link: ObservedLink, txChecksum: Offloads["txChecksum"] | undefined): ObservedLink {
  const isOn = link.kind === "vxlan" ? txChecksum?.get(link.name) : undefined;
  return isOn === undefined ? link : { ...link, txChecksum: isOn };
}

interface Features {
  readonly ifname: string;
  readonly [txChecksumFeature]?: { readonly active: boolean };
}

/** Reads the output of `ethtool --json --show-features`. */
export function parseTxChecksum(json: string): ReadonlyMap<string, boolean> {
  const interfaces = parsePrintedJson<readonly Features[]>(json);
  return new Map(
    interfaces.flatMap(({ ifname, [txChecksumFeature]: feature }) =>
      feature === undefined ? [] : [[ifname, feature.active] as const],
    ),
  );
}
