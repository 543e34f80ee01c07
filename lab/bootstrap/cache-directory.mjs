import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Where everything is kept that is fetched or built once: outside the repository, so that a clean clone finds it again.
 *
 * @param {Readonly<Record<string, string | undefined>>} [environment]
 * @param {string} [home]
 * @returns {string} absolute path
 */
export function cacheDirectory(environment = process.env, home = homedir()) {
  if (environment.VLAN_ROUTER_CACHE) return environment.VLAN_ROUTER_CACHE;
  return join(environment.XDG_CACHE_HOME || join(home, ".cache"), "vlan-router");
}
