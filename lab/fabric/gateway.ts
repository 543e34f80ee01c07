import { type FabricNetwork, fabricNetworks, outside } from "../topology.js";
import { type Command, ip } from "./command.js";
import { leafBridge, segmentMtu } from "./leaf.js";
import { cable, FORWARDING, namespace } from "./namespaces.js";

/** The provider's router: the right door. */
export const GATEWAY = "gateway";
export const CLIENT = "client";
/** Behind this leaf the gateway hangs with one port for each segment. */
const LEAF = "rr1";

const OUTSIDE_INTERFACE = "outside";
const CLIENT_INTERFACE = "eth0";
/** Ordinary Ethernet towards the outside world. */
const OUTSIDE_MTU = 1500;

/** The gateway's interface in a segment. */
export const gatewayInterface = ({ vni }: FabricNetwork): string => `segment${vni}`;

/** The gateway and the outside client behind it. */
export function gatewayCommands(): readonly Command[] {
  return [
    ...namespace(GATEWAY, FORWARDING),
    ...fabricNetworks.flatMap(port),
    ...namespace(CLIENT),
    ...cable(
      { namespace: GATEWAY, name: OUTSIDE_INTERFACE },
      { namespace: CLIENT, name: CLIENT_INTERFACE },
      OUTSIDE_MTU,
    ),
    ip(GATEWAY, "address", "add", `${outside.gateway}/${outside.prefixLength}`, "dev", OUTSIDE_INTERFACE),
    ip(CLIENT, "address", "add", `${outside.client}/${outside.prefixLength}`, "dev", CLIENT_INTERFACE),
    ip(CLIENT, "route", "add", "default", "via", outside.gateway),
  ];
}

function port(network: FabricNetwork): readonly Command[] {
  const [near, far] = [gatewayInterface(network), `gateway${network.vni}`];
  return [
    ...cable({ namespace: GATEWAY, name: near }, { namespace: LEAF, name: far }, segmentMtu),
    ip(LEAF, "link", "set", far, "master", leafBridge(network)),
    // The address comes last: the leaf learns the gateway's MAC from what the gateway then sends.
    ip(GATEWAY, "address", "add", `${network.gateway}/${network.prefixLength}`, "dev", near),
  ];
}
