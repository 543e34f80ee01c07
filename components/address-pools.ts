import { nearestKey } from "../model/configuration/nearest-key.js";
import type { Mistake } from "../model/index.js";
import type { AddressPoolArgs } from "./address-pool.js";
import { mistakesError } from "./mistakes-error.js";

/** MetalLB's pools of the networks of a configuration. */
export type AddressPoolsArgs = boolean | Readonly<Record<string, boolean | AddressPoolArgs>>;

/**
 * What each network says of its pool, by its name.
 * @throws ResourceError for a name that no network has
 */
export function addressPoolsOf(
  component: string,
  pools: AddressPoolsArgs = false,
  names: readonly string[],
): (name: string) => boolean | AddressPoolArgs {
  if (typeof pools === "boolean") return () => pools;
  const unknown = Object.keys(pools).filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw mistakesError(
      component,
      unknown.map((name) => unknownNetwork(name, names)),
    );
  return (name) => pools[name] ?? false;
}

function unknownNetwork(name: string, names: readonly string[]): Mistake {
  const nearest = nearestKey(name, names);
  const remedy =
    names.length === 0
      ? "the configuration has no network: remove the pool, or declare its network"
      : nearest === undefined
        ? `remove it, or write one of its networks: ${names.join(", ")}`
        : `did you mean ${nearest}?`;
  const message = "is not the name of a network of the configuration";
  return { code: "UnknownKey", path: `addressPools.${name}`, value: undefined, message, remedy };
}
