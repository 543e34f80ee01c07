import * as pulumi from "@pulumi/pulumi";
import { networkAlias } from "./network-aliases.js";

/**
 * What a router's options say of a network that is made with it: where the router was by its aliases, the network was too. `urn`
 * and `id` stay with the router, because they name one resource (a component has no `import`).
 */
export function networkOptions(
  router: string,
  network: string,
  options: pulumi.ComponentResourceOptions = {},
): pulumi.ComponentResourceOptions {
  const { parent, protect, dependsOn, provider, providers } = options;
  const aliases = [
    ...(options.aliases ?? []).map((alias) => networkAlias(alias, router, network, options)),
    // Where a stack has the network at the root, from before options reached it, it is moved and not replaced.
    ...(parent === undefined ? [] : [{ name: network, parent: pulumi.rootStackResource }]),
  ];
  return {
    ...(parent === undefined ? {} : { parent }),
    ...(protect === undefined ? {} : { protect }),
    ...(dependsOn === undefined ? {} : { dependsOn }),
    ...(provider === undefined ? {} : { provider }),
    ...(providers === undefined ? {} : { providers }),
    ...(aliases.length === 0 ? {} : { aliases }),
  };
}
