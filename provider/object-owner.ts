import { type ObjectMeta, ownerAnnotation } from "../model/index.js";

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

/** The URN in an owner's text. */
export function urnOf(owner: string): string {
  return parseOwner(owner).urn;
}

/**
 * Whether an object was made by the stack of these owners; nobody's was not.
 * @param owners of one resource, what the program says and what its state has: a renamed stack has both names
 */
export function isOfSameStack({ annotations }: ObjectMeta, ...owners: readonly (string | undefined)[]): boolean {
  const found = annotations?.[ownerAnnotation];
  if (found === undefined) return false;
  const { stack } = parseOwner(found);
  return owners.some((owner) => owner !== undefined && parseOwner(owner).stack === stack);
}

/** What the state says of an object. */
export interface HeldObject {
  readonly owner: string;
  /** Its uid. A check does not see it. */
  readonly uid?: string;
}

/** An object of ours, as far as its ownership is concerned. */
export interface OwnedObject {
  readonly kind: "PublicNetwork" | "VlanRouter";
  readonly metadata: ObjectMeta;
}

/** What to do about an object of each kind, by whose it is. */
const remedies = {
  PublicNetwork: {
    nobody: "choose another name, set adopt: true to take it over as it is, or delete it first",
    stack: (name: string) =>
      "choose another name, or remove the network from that stack first; where that stack holds it no longer (pulumi state delete), " +
      `remove the annotation ("kubectl annotate publicnetwork ${name} ${ownerAnnotation}-") and set adopt: true`,
    resource: (urn: string) =>
      `${movedResource("network", urn)}; if the program declares both, give them different names; ` +
      "if the state has no such resource any more (retainOnDelete, pulumi state delete), set adopt: true",
  },
  VlanRouter: {
    nobody:
      "a cluster has one: leave the VlanRouter component out of this program, its networks then use the one that is there, or delete that object first",
    stack: () =>
      "a cluster has one: leave the VlanRouter component out of this program, its networks then use the one that is there, or remove it from that stack first",
    resource: (urn: string) => `a cluster has one: declare it once; ${movedResource("router", urn)}`,
  },
} as const;

/**
 * A resource under another logical name or parent is another one to the engine, which would make the new one beside the old.
 * The URN of a component as alias moves its children too.
 */
function movedResource(what: string, urn: string): string {
  return `if it is the same ${what} under another logical name or parent, give it the option aliases: ["${urn}"], or its old name and parent again`;
}

/**
 * Why this program must not touch an object, or nothing when it may.
 *
 * In the same stack another URN is fine for a resource that already holds the object (it was renamed with an alias), but
 * not for a new one: then two resources of one program claim the same name. So is an object without the annotation, which
 * somebody has removed, and one whose annotation is what the state says that this resource wrote: the stack or its project has
 * another name now. The next update writes the annotation.
 * @param held of this object in the resource's state; nothing for a new resource
 */
export function foreignObject({ kind, metadata }: OwnedObject, owner: string, held?: HeldObject): string | undefined {
  const found = metadata.annotations?.[ownerAnnotation];
  const name = `${kind} ${metadata.name}`;
  const remedy = remedies[kind];
  if (found === owner) return undefined;
  const isHeld = held !== undefined && (held.uid === undefined || held.uid === metadata.uid);
  if (isHeld && (found === undefined || found === held.owner)) return undefined;
  if (found === undefined) {
    return `${name} exists and no Pulumi stack owns it (it has no annotation ${ownerAnnotation}); ${remedy.nobody}`;
  }
  const theirs = parseOwner(found);
  if (theirs.stack !== parseOwner(owner).stack) {
    return `${name} belongs to stack ${theirs.stack} (${theirs.urn}); ${remedy.stack(metadata.name)}`;
  }
  if (held !== undefined) return undefined;
  return `${name} already belongs to ${theirs.urn} of this stack; ${remedy.resource(theirs.urn)}`;
}
