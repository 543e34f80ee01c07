import { textForms } from "../configuration/text-forms.js";
import { automaticRouteTargets, largestTwoByteAsn } from "../numbers/route-targets.js";
import type { CelRule } from "./structural-schema.js";

/**
 * Rules for one text or number, in the Common Expression Language. They read addresses with the `ip` and `cidr` functions
 * that an API server takes since 1.31 (kubernetes/kubernetes staging/src/k8s.io/apiserver/pkg/cel/library/cidr.go), which
 * refuse leading zeros, zones and IPv4-mapped addresses as we do.
 */
const matches = ({ pattern }: { readonly pattern: string }) => `self.matches('${pattern}')`;

const largest16Bits = 65_535;
const largest32Bits = 4_294_967_295;

export const prefixRules: readonly CelRule[] = [
  { rule: "isCIDR(self)", message: "is not a prefix; write ADDRESS/LENGTH such as 203.0.113.0/24 or 2001:db8:1::/64" },
  {
    rule: "!isCIDR(self) || cidr(self) == cidr(self).masked()",
    message: "has host bits; write the network's own address before the length, such as 203.0.113.0/24",
  },
];

export const addressRules: readonly CelRule[] = [
  { rule: "isIP(self)", message: "is not an IP address; write one address such as 10.0.7.19 or 2001:db8::19" },
];

export const addressOrPrefixRules: readonly CelRule[] = [
  {
    rule: "isIP(self) || isCIDR(self)",
    message: "is neither an address nor a prefix; write one such as 10.255.0.5 or 10.255.0.0/24",
  },
  {
    rule: "!isCIDR(self) || cidr(self) == cidr(self).masked()",
    message: "has host bits; write the network's own address before the length, such as 10.255.0.0/24",
  },
];

/** RFC 6286: four bytes, not zero. */
export const routerIdRules: readonly CelRule[] = [
  {
    rule: "isIP(self) && ip(self).family() == 4 && self != '0.0.0.0'",
    message: "is not a BGP identifier; write four decimal numbers such as 10.0.7.5",
  },
];

export const interfaceNameRules: readonly CelRule[] = [
  {
    rule: `${matches(textForms.interfaceName)} && !(self in ['.', '..'])`,
    message: `is not an interface name; write 1 to ${textForms.interfaceName.maxLength} characters without space, slash or colon`,
  },
];

/** RFC 4360 section 3: AS2:NN32, AS4:NN16 or IPv4:NN16. */
const [administrator, number] = ["self.split(':')[0]", "self.split(':')[1]"];
const byAsn =
  `self.matches('^(0|[1-9][0-9]{0,9}):(0|[1-9][0-9]{0,9})$') && int(${administrator}) <= ${largest32Bits} && ` +
  `int(${number}) <= (int(${administrator}) <= ${largestTwoByteAsn} ? ${largest32Bits} : ${largest16Bits})`;
const byAddress = `self.matches('^[0-9.]+:(0|[1-9][0-9]{0,4})$') && isIP(${administrator}) && int(${number}) <= ${largest16Bits}`;

const notARouteTarget = `is not a route target; write ASN:NUMBER such as 65001:228 (beside an AS above ${largestTwoByteAsn} the number ends at ${largest16Bits})`;

export const explicitRouteTargetRules: readonly CelRule[] = [
  { rule: `(${byAsn}) || (${byAddress})`, message: notARouteTarget },
];

export const routeTargetRules: readonly CelRule[] = [
  {
    rule: `self in ['${automaticRouteTargets.join("', '")}'] || (${byAsn}) || (${byAddress})`,
    message: `${notARouteTarget}, or ${automaticRouteTargets.join(" or ")}`,
  },
];

/** RFC 4364 section 4.2, type 1. */
export const routeDistinguisherRules: readonly CelRule[] = [
  {
    rule: byAddress,
    message: `is not a route distinguisher; write ADDRESS:NUMBER such as 10.0.7.5:228, the number at most ${largest16Bits}`,
  },
];

export const filePathRules: readonly CelRule[] = [
  {
    rule: matches(textForms.filePath),
    message: "is not the path of a file; write the absolute path of a file that holds the password",
  },
];

/** 23456 stands for four-byte numbers in old messages (RFC 6793), 65535 is reserved (RFC 7300). */
export const asnRules: readonly CelRule[] = [
  {
    rule: "!(self in [23456, 65535])",
    message: "is reserved; write the AS number that your fabric uses",
  },
];

export const labelValueRules: readonly CelRule[] = [
  {
    rule: matches(textForms.labelValue),
    message: "is a value that no node label can have",
  },
];

export const labelKeysRules: readonly CelRule[] = [
  {
    rule: `self.all(key, key${matches(textForms.labelKey).slice("self".length)})`,
    message: "has a key that no node label can have",
  },
];

export const networkNameRules: readonly CelRule[] = [
  {
    rule: matches(textForms.networkName),
    message: "is not a DNS label; write at most 63 lower-case letters, digits and inner hyphens",
  },
];

export const nodeNameRules: readonly CelRule[] = [
  {
    rule: matches(textForms.nodeName),
    message: "is not the name of a node; write the name that kubectl get nodes shows",
  },
];
