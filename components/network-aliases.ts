import * as pulumi from "@pulumi/pulumi";

/** How a program says where a resource was. */
export type Alias = pulumi.Input<pulumi.URN | pulumi.Alias>;

const separator = "::";
const networkType = "vlan-router:index:PublicNetwork";

/**
 * Logical name of a network that is made with a router. A URN holds the types of the parents but not their names, so that two
 * clusters in components of one type need the router's name in it. At the root it stays the network's own, as stacks have it.
 */
export function networkResourceName(router: string, network: string, atRoot: boolean): string {
  return atRoot ? network : `${router}-${network}`;
}

/**
 * Where a network was while its router was where its alias says: nobody else can tell, because a program has no options of
 * these networks.
 */
export function networkAlias(
  alias: Alias,
  router: string,
  network: string,
  { parent }: pulumi.ComponentResourceOptions,
): Alias {
  return pulumi.output(alias).apply((before): pulumi.URN | pulumi.Alias => {
    if (typeof before === "string") return siblingUrn(before, network);
    // `pulumi.rootStackResource` is undefined, and says something only where it is written.
    const former = "parent" in before ? before.parent : parent;
    const name = networkResourceName(before.name ?? router, network, former === undefined);
    const { project, stack } = before;
    return {
      name,
      parent: former as pulumi.Resource,
      ...(project === undefined ? {} : { project }),
      ...(stack === undefined ? {} : { stack }),
    };
  });
}

/** `urn:pulumi:STACK::PROJECT::PARENT_TYPES$TYPE::NAME` of a router, as that of its network. */
function siblingUrn(router: pulumi.URN, network: string): pulumi.URN {
  const [stack = "", project = "", types = "", ...name] = router.split(separator);
  const parents = types.split("$").slice(0, -1);
  const resource = networkResourceName(name.join(separator), network, parents.length === 0);
  return [stack, project, [...parents, networkType].join("$"), resource].join(separator);
}
