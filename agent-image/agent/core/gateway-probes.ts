import type { LinkFact, NodePlan } from "../../../model/index.js";
import type { Probe } from "./ports.js";

/** The IPv4 gateway of each network whose interface is there. (IPv6 gateways are not asked yet.) */
export function gatewayProbes(plan: NodePlan, links: readonly LinkFact[]): readonly Probe[] {
  return plan.networks.flatMap(({ link: { name: device }, announcements }) => {
    const mac = links.find(({ name }) => name === device)?.mac;
    return mac === undefined
      ? []
      : announcements
          .filter(({ family }) => family === 4)
          .map(({ gateway }) => ({ kind: "gateway", name: `gateway ${gateway} on ${device}`, device, mac, gateway }));
  });
}
