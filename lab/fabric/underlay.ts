import { kubernetes, type NodeName, nodeNames, reflectorNames, underlay } from "../topology.js";
import { type Command, ip } from "./command.js";
import { cable, FORWARDING, namespace } from "./namespaces.js";

/** Holds the underlay's bridge, and nothing else. */
export const SPINE = "spine";
const BRIDGE = "underlay";
/** The nodes' default gateway: the wrong door for replies from a public address. */
export const WRONG_DOOR = "dgw";
/** The control plane's place. */
export const CONTROL_PLANE = "cp";

/** The underlay interface of every place on it. */
export const UNDERLAY_INTERFACE = "eth0";

/** Point to point between the lab's root namespace, where kubectl and pulumi run, and the control plane. */
export const adminLink = { admin: "169.254.77.1", controlPlane: "169.254.77.2", prefixLength: 30 } as const;

/** The spine with everything that is plugged into it. */
export function underlayCommands(): readonly Command[] {
  return [
    ...namespace(SPINE),
    ip(SPINE, "link", "add", BRIDGE, "mtu", String(underlay.mtu), "type", "bridge"),
    ip(SPINE, "link", "set", BRIDGE, "up"),
    ...plug(WRONG_DOOR, underlay.defaultGateway, FORWARDING),
    ...reflectorNames.flatMap((name) => plug(name, underlay.reflectors[name])),
    ...nodeNames.flatMap(nodeCommands),
    ...controlPlaneCommands(),
  ];
}

function plug(place: string, address: string, ...sysctls: readonly string[]): readonly Command[] {
  return [
    ...namespace(place, ...sysctls),
    ...cable({ namespace: place, name: UNDERLAY_INTERFACE }, { namespace: SPINE, name: place }, underlay.mtu),
    ip(SPINE, "link", "set", place, "master", BRIDGE),
    ip(place, "address", "add", `${address}/${underlay.prefixLength}`, "dev", UNDERLAY_INTERFACE),
  ];
}

/** A node's network namespace on the underlay, with routes to the pods of the others. */
export function nodeCommands(node: NodeName): readonly Command[] {
  return [
    ...plug(node, underlay.nodes[node], FORWARDING),
    defaultRoute(node),
    ...nodeNames.filter((other) => other !== node).map((other) => podRoute(node, other)),
  ];
}

/** kube-apiserver calls webhooks at pod addresses, and answers pods that come with theirs. */
function controlPlaneCommands(): readonly Command[] {
  const [inAdmin, inControlPlane] = ["cp", "admin"];
  return [
    ...plug(CONTROL_PLANE, underlay.controlPlane),
    defaultRoute(CONTROL_PLANE),
    ...nodeNames.map((node) => podRoute(CONTROL_PLANE, node)),
    ["ip", "link", "add", inAdmin, "type", "veth", "peer", "name", inControlPlane, "netns", CONTROL_PLANE],
    ["ip", "address", "add", `${adminLink.admin}/${adminLink.prefixLength}`, "dev", inAdmin],
    ["ip", "link", "set", inAdmin, "up"],
    ip(CONTROL_PLANE, "address", "add", `${adminLink.controlPlane}/${adminLink.prefixLength}`, "dev", inControlPlane),
    ip(CONTROL_PLANE, "link", "set", inControlPlane, "up"),
  ];
}

function defaultRoute(place: string): Command {
  return ip(place, "route", "add", "default", "via", underlay.defaultGateway);
}

function podRoute(place: string, node: NodeName): Command {
  return ip(place, "route", "add", kubernetes.podCidrs[node], "via", underlay.nodes[node]);
}
