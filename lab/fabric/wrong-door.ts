import type { Lab } from "../lab.js";
import { type FabricNetwork, fabricNetworks } from "../topology.js";
import { type Command, inside } from "./command.js";
import { WRONG_DOOR } from "./underlay.js";

const TABLE = "wrong-door";

const counterName = ({ vni }: FabricNetwork): string => `from-${vni}`;

/** Counts what arrives at the default gateway with a public source address: replies that left through the wrong door. */
export function wrongDoorCommands(): readonly Command[] {
  return [inside(WRONG_DOOR, "nft", ruleset())];
}

function ruleset(): string {
  return `table ip ${TABLE} {
${fabricNetworks.map((network) => `  counter ${counterName(network)} { }`).join("\n")}
  chain arriving {
    type filter hook prerouting priority raw
${fabricNetworks.map((network) => `    ip saddr ${network.cidr} counter name ${counterName(network)}`).join("\n")}
  }
}`;
}

/** Packets from each public network that came to the default gateway since the lab is up, by the network's CIDR. */
export async function wrongDoorPackets(lab: Lab): Promise<Readonly<Record<string, number>>> {
  const { stdout } = await lab.exec(WRONG_DOOR, ["nft", "--json", "list", "counters", "table", "ip", TABLE]);
  return parseCounters(stdout);
}

/** Reads `nft --json list counters`. */
export function parseCounters(json: string): Readonly<Record<string, number>> {
  const { nftables } = JSON.parse(json) as { nftables: readonly { counter?: { name: string; packets: number } }[] };
  const packets = new Map(
    nftables.flatMap(({ counter }) => (counter ? [[counter.name, counter.packets] as const] : [])),
  );
  return Object.fromEntries(
    fabricNetworks.map((network) => {
      const count = packets.get(counterName(network));
      if (count === undefined) throw new Error(`the default gateway has no counter ${counterName(network)}: ${json}`);
      return [network.cidr, count];
    }),
  );
}
