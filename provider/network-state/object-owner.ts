import { ownerAnnotation, type PublicNetworkObject } from "../../model/index.js";

/** `PROJECT/STACK URN` as the owner annotation holds it. */
export interface Owner {
  readonly stack: string;
  readonly urn: string;
}

export function ownerText({ stack, urn }: Owner): string {
  return `${stack} ${urn}`;
}

function parseOwner(text: string): Owner {
  const [stack = "", urn = ""] = text.split(" ", 2);
  return { stack, urn };
}

/**
 * Why this program must not touch an object, or nothing when it may.
 *
 * In the same stack another URN is fine for a resource that already holds the object (it was renamed with an alias), but
 * not for a new one: then two resources of one program claim the same name.
 * @param holds whether the resource already has this object in its state
 */
export function foreignObject(object: PublicNetworkObject, owner: string, holds: boolean): string | undefined {
  const found = object.metadata.annotations?.[ownerAnnotation];
  const name = `PublicNetwork ${object.metadata.name}`;
  if (found === owner) return undefined;
  if (found === undefined) {
    return `${name} exists and no Pulumi stack owns it (it has no annotation ${ownerAnnotation}); choose another name, or delete that object first`;
  }
  const theirs = parseOwner(found);
  if (theirs.stack !== parseOwner(owner).stack) {
    return `${name} belongs to stack ${theirs.stack} (${theirs.urn}); choose another name, or remove the network from that stack first`;
  }
  if (holds) return undefined;
  return `${name} already belongs to ${theirs.urn} of this stack; give the networks different names, or name the old resource as an alias of the new one`;
}
