const aliasPrefix = "vlan-router:";

/** IFLA_IFALIAS of a network's interface: marks it as ours and names the network. */
export function aliasOf(network: string): string {
  return `${aliasPrefix}${network}`;
}

/** Undefined for an interface that is not ours. */
export function networkOfAlias(alias: string | undefined): string | undefined {
  return alias?.startsWith(aliasPrefix) ? alias.slice(aliasPrefix.length) : undefined;
}
