import * as pulumi from "@pulumi/pulumi";
import type { AddressPoolArgs } from "./address-pool.js";

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
  if (unknown.length > 0) {
    throw new pulumi.ResourceError(
      `${component}: addressPools names ${unknown.join(", ")}, but the configuration has the networks ${names.join(", ")}`,
      undefined,
      true,
    );
  }
  return (name) => pools[name] ?? false;
}
