import { describeErrorCode } from "../codec/bgp-error.js";
import type { BgpMessage } from "../codec/decode-message.js";
import type { EvpnRoute } from "../codec/evpn-nlri.js";
import type { Explanation } from "./explain-message.js";

/** One line of JSON: type, length, attributes, what was read, and the verdict. Bytes are hex. */
export function explanationJson({ content, ...rest }: Explanation): string {
  return JSON.stringify({ ...withHex(rest), ...(content === undefined ? {} : withHex(contentFields(content))) });
}

/** `attributes` are those of the message as they stand; what was read from them has a name of its own. */
function contentFields({ kind: _, ...fields }: BgpMessage): object {
  if (!("attributes" in fields)) return fields;
  const { attributes, ...others } = fields;
  return { pathAttributes: attributes, ...others };
}

/** Buffers inside, as JSON.stringify would spell them byte by byte. */
function withHex(value: object): object {
  const convert = (item: unknown): unknown => {
    if (Buffer.isBuffer(item)) return item.toString("hex");
    if (Array.isArray(item)) return item.map(convert);
    return typeof item === "object" && item !== null ? withHex(item) : item;
  };
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, convert(item)]));
}

/** For people: some lines, the last ones with the verdict. */
export function explanationText({
  type,
  length,
  attributes,
  content,
  verdict,
  notification,
  reasons,
}: Explanation): string {
  const lines = [
    `${type?.toUpperCase() ?? "unreadable header"}, ${length} bytes`,
    ...attributes.map(
      (attribute) =>
        `  ${attribute.name} (${attribute.type}), flags 0x${attribute.flags.toString(16).padStart(2, "0")}: ${attribute.value}`,
    ),
    ...(content === undefined ? [] : contentLines(content).map((line) => `  ${line}`)),
    `  verdict: ${verdict}${notification === undefined ? "" : `, ${describeErrorCode(notification)}${dataText(notification.data)}`}`,
    ...reasons.map(({ message, clause }) => `    ${message} (${clause})`),
  ];
  return lines.join("\n");
}

function dataText(data: Buffer): string {
  return data.length === 0 ? "" : `, data ${data.toString("hex")}`;
}

function contentLines(message: BgpMessage): string[] {
  switch (message.kind) {
    case "open":
      return [
        `AS ${message.as}, hold time ${message.holdTime} s, BGP identifier ${message.bgpIdentifier}`,
        ...message.capabilities.map((capability) => `capability ${JSON.stringify(withHex(capability))}`),
      ];
    case "update":
      return [
        ...message.announced.map((route) => `announces ${routeText(route)}, next hop ${message.nextHop}`),
        ...message.withdrawn.map((route) => `withdraws ${routeText(route)}`),
        ...(message.attributes.extendedCommunities ?? []).map((community) => `community ${JSON.stringify(community)}`),
        ...(message.endOfRib ? ["End-of-RIB"] : []),
      ];
    case "route-refresh":
      return [`AFI ${message.family.afi}, SAFI ${message.family.safi}, subtype ${message.subtype}`];
    case "notification":
    case "keepalive":
      return [];
  }
}

function routeText(route: EvpnRoute): string {
  switch (route.kind) {
    case "ethernet-auto-discovery":
      return `Type-1, which is not used: RD ${route.routeDistinguisher} ESI ${route.ethernetSegment} tag ${route.ethernetTag} label ${route.label}`;
    case "mac-ip":
      return `Type-2 RD ${route.routeDistinguisher} tag ${route.ethernetTag} MAC ${route.mac} IP ${route.ip ?? "none"} label ${route.label}`;
    case "inclusive-multicast":
      return `Type-3 RD ${route.routeDistinguisher} tag ${route.ethernetTag} originator ${route.originator}`;
    case "ethernet-segment":
      return `Type-4, which is not used: RD ${route.routeDistinguisher} ESI ${route.ethernetSegment} originator ${route.originator}`;
    case "ip-prefix":
      return `Type-5, which is not used: RD ${route.routeDistinguisher} ESI ${route.ethernetSegment} tag ${route.ethernetTag} prefix ${route.prefix} gateway ${route.gateway} label ${route.label}`;
    case "unknown":
      return `Type-${route.type}, which is skipped: ${route.value.toString("hex")}`;
  }
}
