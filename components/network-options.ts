import * as pulumi from "@pulumi/pulumi";

/**
 * Logical name of a network that is made with a router. A URN holds the types of the parents but not their names, so that two
 * clusters in components of one type need the router's name in it. At the root it stays the network's own, as stacks have it.
 */
export function networkResourceName(
  router: string,
  network: string,
  { parent }: pulumi.ComponentResourceOptions = {},
): string {
  return parent === undefined ? network : `${router}-${network}`;
}

/**
 * What a router's options say of a network that is made with it. `aliases`, `urn` and `id` stay with the router, because they
 * name one resource (a component has no `import`).
 */
export function networkOptions(
  network: string,
  { parent, protect, dependsOn, provider, providers }: pulumi.ComponentResourceOptions = {},
): pulumi.ComponentResourceOptions {
  return {
    ...(protect === undefined ? {} : { protect }),
    ...(dependsOn === undefined ? {} : { dependsOn }),
    ...(provider === undefined ? {} : { provider }),
    ...(providers === undefined ? {} : { providers }),
    // Where a stack has the network at the root, from before options reached it, it is moved and not replaced.
    ...(parent === undefined ? {} : { parent, aliases: [{ name: network, parent: pulumi.rootStackResource }] }),
  };
}
