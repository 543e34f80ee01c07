import * as pulumi from "@pulumi/pulumi";
import { ownerText } from "../provider/object-owner.js";

/**
 * The owner annotation of a component's objects. It leaves out the dependency that `urn` carries: on a component, which stands
 * for all its children, so that a child which names the owner would wait for those that come after it.
 */
export function ownerOf(component: pulumi.ComponentResource): pulumi.Output<string> {
  const stack = `${pulumi.getProject()}/${pulumi.getStack()}`;
  return pulumi.output(
    new Promise<string>((resolve) => {
      component.urn.apply((urn) => resolve(ownerText({ stack, urn })));
    }),
  );
}
