import type * as pulumi from "@pulumi/pulumi";

/** Options that every dynamic resource of this package needs. */
export function dynamicResourceOptions(
  parent: pulumi.Resource,
  dependsOn: readonly pulumi.Resource[],
): pulumi.CustomResourceOptions {
  return {
    parent,
    dependsOn: [...dependsOn],
    // The state holds the credentials again as an output; the mark of the input does not reach renamed copies.
    additionalSecretOutputs: ["cluster"],
    // The provider's text says nothing to a reader of a preview.
    hideDiffs: ["__provider"],
  };
}
