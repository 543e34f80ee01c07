import { type LinkPart, type LinkProperty, type LinkStray, linkProperties } from "./link-properties.js";

/** One interface in the output of `ip -details -json link show`, as far as properties are read from it. */
export interface PrintedLink {
  readonly flags: readonly string[];
  readonly linkinfo?: {
    readonly info_kind?: string;
    readonly info_data?: object;
    readonly info_slave_kind?: string;
    readonly info_slave_data?: object;
  };
}

const properties: readonly (LinkProperty & { readonly name: LinkStray })[] = linkProperties;

/** What is not as the kernel makes it, in the order of the table. */
export function linkStrays(link: PrintedLink): readonly LinkStray[] {
  const isUp = link.flags.includes("UP") && !link.flags.includes("NO-CARRIER");
  return properties
    .filter((property) => (isUp || property.whileUp !== true) && isChanged(property, partOf(link, property.of)))
    .map(({ name }) => name);
}

function partOf(link: PrintedLink, part: LinkPart): object | undefined {
  if (part === "device") return link;
  if (part === "bridge_slave")
    return link.linkinfo?.info_slave_kind === "bridge" ? link.linkinfo.info_slave_data : undefined;
  return link.linkinfo?.info_kind === part ? link.linkinfo.info_data : undefined;
}

function isChanged({ key, member, wanted }: LinkProperty, part: object | undefined): boolean {
  if (part === undefined) return false;
  const value = Object.entries(part).find(([name]) => name === key)?.[1];
  // iproute2 leaves a list out that is empty.
  if (member !== undefined) return (Array.isArray(value) && value.includes(member)) !== wanted;
  // `null` is a flag that is there.
  return value !== undefined && JSON.stringify(value) !== JSON.stringify(wanted);
}

/** Whether nothing but making the interface again takes one of them back. */
export function needsReplacement(strays: readonly LinkStray[] = []): boolean {
  return strayed(strays).some(({ words }) => words === undefined);
}

/**
 * Words of `ip link set` that make the properties of a part what they were, one text for each.
 *
 * @param isUp the interface and the bridge of which it is a part
 */
export function strayRepairs(part: LinkPart, strays: readonly LinkStray[] = [], isUp = true): readonly string[] {
  return strayed(strays)
    .filter((property) => property.of === part && (isUp || property.whileUp !== true))
    .flatMap(({ words }) => words ?? []);
}

function strayed(strays: readonly LinkStray[]): readonly LinkProperty[] {
  return strays.length === 0 ? [] : properties.filter(({ name }) => strays.includes(name));
}
