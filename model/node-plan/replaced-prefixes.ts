import { canonicalPrefix } from "../address/prefix.js";
import type { NamedNetwork, Routing } from "../configuration/configuration.js";

/** Who routes a prefix that stands in two networks of this node. */
export class ReplacedPrefixes {
  /** `network cidr` to the network that has taken it over. */
  readonly #takenOver: ReadonlyMap<string, NamedNetwork>;

  /** @param carried the networks that this node can carry: one that has no interface here takes nothing over */
  constructor(carried: readonly NamedNetwork[]) {
    this.#takenOver = new Map(
      carried.flatMap((network) =>
        network.routing.flatMap(({ cidr, replaces }) =>
          replaces === undefined ? [] : [[key(replaces, cidr), network] as const],
        ),
      ),
    );
  }

  /** The network that routes this subnet instead of `network`; undefined where it does so itself. */
  successor(network: NamedNetwork, { cidr }: Pick<Routing, "cidr">): NamedNetwork | undefined {
    // Migrations are rare, and this is asked many times for each subnet.
    return this.#takenOver.size === 0 ? undefined : this.#takenOver.get(key(network.name, cidr));
  }

  /** The subnets that a network routes itself. */
  routed(network: NamedNetwork): readonly Routing[] {
    return network.routing.filter((routing) => this.successor(network, routing) === undefined);
  }
}

function key(network: string, cidr: string): string {
  return `${network} ${canonicalPrefix(cidr)}`;
}
