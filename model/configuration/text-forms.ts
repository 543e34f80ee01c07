import { interfaceNameLength } from "../numbers/limits.js";
import { automaticRouteTargets } from "../numbers/route-targets.js";

/**
 * What a regular expression can say of a text, for those who cannot run our checks: editors, and the API server, which
 * prices its rules by the length. JavaScript and RE2, which the API server has, read the patterns alike.
 */
export interface TextForm {
  readonly maxLength: number;
  readonly pattern: string;
}

export function hasForm({ maxLength, pattern }: TextForm, text: string): boolean {
  return text.length <= maxLength && new RegExp(pattern).test(text);
}

/** INET6_ADDRSTRLEN without the closing zero byte: eight groups, the last two as an IPv4 address. */
const addressLength = 45;
const ipv4Length = 15;
const addressCharacters = "[0-9A-Fa-f.:]+";
const decimal = "(0|[1-9][0-9]{0,9})";
const routeTarget = `[0-9.]+:${decimal}`;
const routeTargetLength = ipv4Length + 1 + 5;
/** A bound that no path of a configured file meets, so that the API server can price its rule. */
const filePathLength = 255;
/** RFC 1123 section 2.1. */
const dnsLabel = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";
const labelName = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";

/** Characters of a whole DNS name as Kubernetes takes it (RFC 1123). */
const dnsNameLength = 253;
/** Such a name may stand before the name of a label, with a slash behind it. */
export const labelPrefixLength = dnsNameLength;

/** Looser than the checks where those must read the text: addresses, prefixes, route targets. */
export const textForms = {
  address: { maxLength: addressLength, pattern: `^${addressCharacters}$` },
  prefix: { maxLength: addressLength + "/128".length, pattern: `^${addressCharacters}/(0|[1-9][0-9]{0,2})$` },
  addressOrPrefix: {
    maxLength: addressLength + "/128".length,
    pattern: `^${addressCharacters}(/(0|[1-9][0-9]{0,2}))?$`,
  },
  routerId: { maxLength: ipv4Length, pattern: "^[0-9.]+$" },
  explicitRouteTarget: { maxLength: routeTargetLength, pattern: `^${routeTarget}$` },
  routeTarget: { maxLength: routeTargetLength, pattern: `^(${routeTarget}|${automaticRouteTargets.join("|")})$` },
  routeDistinguisher: { maxLength: routeTargetLength, pattern: `^[0-9.]+:${decimal}$` },
  /** Printable ASCII without slash and colon. */
  interfaceName: { maxLength: interfaceNameLength, pattern: "^[!-.0-9;-~]+$" },
  /** An absolute path in printable ASCII without blanks. */
  filePath: { maxLength: filePathLength, pattern: "^/[!-~]*[!-.0-~]$" },
  /** Kubernetes wants a DNS name in lower case; the host name of others may be written in upper case too. */
  nodeName: { maxLength: dnsNameLength, pattern: "^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$" },
  /** RFC 1123, as Kubernetes takes it for most objects: labels with dots between them. */
  objectName: { maxLength: dnsNameLength, pattern: `^${dnsLabel}([.]${dnsLabel})*$` },
  networkName: { maxLength: 63, pattern: `^${dnsLabel}$` },
  labelKey: { maxLength: labelPrefixLength + 1 + 63, pattern: `^(${dnsLabel}([.]${dnsLabel})*/)?${labelName}$` },
  labelValue: { maxLength: 63, pattern: `^(${labelName})?$` },
} as const satisfies Readonly<Record<string, TextForm>>;
