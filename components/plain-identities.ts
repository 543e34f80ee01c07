import { isUnknown, type Mistake } from "../model/index.js";

/** What names the objects and interfaces that are made of a network, by place; the segment stands under its `type`. */
const identities = ["type", "name", "vxlan", "vxlan.vni", "vlan", "vlan.id"];

/**
 * What must be known when the program runs and comes as an Output, which a preview may not know: names of resources cannot
 * wait for it.
 * @param network with the unknown value in the place of every Output
 * @param place of the network in what the program gave; empty for the network itself
 */
export function lateIdentities(network: unknown, place: string): readonly Mistake[] {
  if (isUnknown(network)) return [lateMistake(place)];
  return identities
    .filter((path) => isUnknown(valueAt(network, path)))
    .map((path) => lateMistake(place === "" ? path : `${place}.${path}`));
}

/** The same of a whole configuration. */
export function lateConfiguration(configuration: unknown): readonly Mistake[] {
  if (isUnknown(configuration)) return [lateMistake("")];
  const shared = ["podNetworks", "cni", "networks"].filter((path) => isUnknown(valueAt(configuration, path)));
  const networks = valueAt(configuration, "networks");
  return [
    ...shared.map(lateMistake),
    ...podNetworkMistakes(valueAt(configuration, "podNetworks")),
    ...(Array.isArray(networks)
      ? networks.flatMap((network, index) => lateIdentities(network, `networks[${index}]`))
      : []),
  ];
}

function podNetworkMistakes(podNetworks: unknown): readonly Mistake[] {
  if (!Array.isArray(podNetworks)) return [];
  return podNetworks.flatMap((value, index) => (isUnknown(value) ? [lateMistake(`podNetworks[${index}]`)] : []));
}

function lateMistake(path: string): Mistake {
  return {
    code: "WrongType",
    path,
    value: undefined,
    message: "comes as an Output, and a preview must know it because resources are named and numbered by it",
    remedy:
      "write it plain; of stack configuration take it by requireObject, not by requireSecretObject, and keep secrets apart",
  };
}

function valueAt(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (found, key) =>
        typeof found === "object" && found !== null ? (found as Record<string, unknown>)[key] : undefined,
      value,
    );
}
