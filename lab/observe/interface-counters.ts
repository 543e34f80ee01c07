import type { Lab } from "../lab.js";

interface LinkStatistics {
  readonly stats64: { readonly tx: { readonly packets: number }; readonly rx: { readonly packets: number } };
}

/** Packets that an interface has sent since it exists. */
export async function sentPackets(lab: Lab, place: string, device: string): Promise<number> {
  const { stdout } = await lab.exec(place, ["ip", "-s", "-j", "link", "show", "dev", device]);
  const [link] = JSON.parse(stdout) as readonly LinkStatistics[];
  if (link === undefined) throw new Error(`${place}: no interface ${device}`);
  return link.stats64.tx.packets;
}
