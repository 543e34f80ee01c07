import { z } from "zod";
import { addressBits, canonicalAddress, mappedIpv4, parseAddress } from "../address/address.js";
import { canonicalAddressOrPrefix, canonicalPrefix, formatPrefix, networkOf, parsePrefix } from "../address/prefix.js";
import { specialRangeIn } from "../address/special-purpose.js";
import { passwordDirectory } from "../kubernetes/agent-files.js";
import { cnis } from "../numbers/cni.js";
import {
  allowOwnAsRange,
  announceIntervalRange,
  asnRange,
  bfdIntervalRange,
  bfdMultiplierRange,
  defaultAnnounceInterval,
  defaultBfdInterval,
  defaultBfdMultiplier,
  defaultHoldTime,
  defaultVxlanPort,
  gobgpPortRange,
  holdTimeRange,
  interfaceNameLength,
  mtuRange,
  routeLimitRange,
  tableRange,
  ttlSecurityRange,
  udpPortRange,
  vlanIdRange,
  vniRange,
} from "../numbers/limits.js";
import { automaticRouteTargets } from "../numbers/route-targets.js";
import { reservedTables } from "../numbers/routing-table.js";
import { asnForms, reservedAsn } from "./asn.js";
import type { Configuration, NamedNetwork, NetworkSpec, RouterSpec } from "./configuration.js";
import type { Problem } from "./mistake.js";
import { labelKeyProblem, labelValueProblem } from "./node-label.js";
import { hasForm, type TextForm, textForms } from "./text-forms.js";
import { unknownValue } from "./unknown-value.js";

/** Wraps every leaf: as it is, or so that a value which Pulumi does not know yet passes too. */
type Leaf = <Schema extends z.ZodType>(schema: Schema) => Schema;

const exactLeaf: Leaf = (schema) => schema;
/** The type stays that of the leaf: what an unknown value may do is said in unknown-value.ts. */
const tolerantLeaf: Leaf = (schema) => z.union([z.literal(unknownValue), schema]) as unknown as typeof schema;

function problemOf(check: (value: never) => Problem | undefined) {
  return (context: z.core.ParsePayload): void => {
    const problem = check(context.value as never);
    if (problem === undefined) return;
    const { message, ...params } = problem;
    context.issues.push({ code: "custom", input: context.value, message, params });
  };
}

/** Text of a form, and what to say of any other. */
const textOf = (form: TextForm, problem: Problem) =>
  z
    .string()
    .check(problemOf((text: string) => (hasForm(form, text) ? undefined : problem)))
    .meta({ ...form });

const integer = (range: { readonly minimum: number; readonly maximum: number }) =>
  z.int().min(range.minimum).max(range.maximum);

const address = z.string().check(problemOf(addressProblem)).overwrite(canonicalAddress).meta(textForms.address);

function addressProblem(text: string): Problem | undefined {
  if (parseAddress(text) !== undefined) return undefined;
  const mapped = mappedIpv4(text);
  if (mapped !== undefined) return { code: "InvalidAddress", message: isMapped, remedy: `write ${mapped}` };
  return {
    code: "InvalidAddress",
    message: "is not an IP address",
    remedy: "write one address such as 10.0.7.19 or 2001:db8::19, without prefix length or zone",
  };
}

const isMapped = "is an IPv4 address written as an IPv6 one (IPv4-mapped, RFC 4291 section 2.5.5.2)";
/** Bits before the IPv4 address in an IPv4-mapped one. */
const mappedBits = 96;

const prefix = z.string().check(problemOf(prefixProblem)).overwrite(canonicalPrefix).meta(textForms.prefix);

const writePrefix = "write ADDRESS/LENGTH such as 203.0.113.0/24 or 2001:db8:1::/64";

function prefixProblem(text: string): Problem | undefined {
  const parsed = parsePrefix(text);
  if (parsed === undefined) return mappedPrefixProblem(text) ?? notAPrefix;
  const network = networkOf(parsed);
  if (network.value === parsed.value) return undefined;
  return { code: "HostBits", message: "has host bits", remedy: `did you mean ${formatPrefix(network)}?` };
}

const notAPrefix: Problem = { code: "InvalidPrefix", message: "is not a prefix", remedy: writePrefix };

function mappedPrefixProblem(text: string): Problem | undefined {
  const [, mapped = "", length] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const ipv4 = mappedIpv4(mapped);
  if (ipv4 === undefined || Number(length) > addressBits(6)) return undefined;
  const parsed = parsePrefix(`${ipv4}/${Number(length) - mappedBits}`);
  const network = parsed === undefined ? undefined : networkOf(parsed);
  // One that meets a range without hosts, as all of IPv4 does, would be refused in its turn.
  const isUsable = network !== undefined && specialRangeIn(network) === undefined;
  return {
    code: "InvalidPrefix",
    message: isMapped,
    remedy: isUsable ? `write ${formatPrefix(network)}` : writePrefix,
  };
}

function addressOrPrefixProblem(text: string): Problem | undefined {
  if (text.includes("/")) return prefixProblem(text);
  const problem = addressProblem(text);
  const example =
    "write an address such as 10.255.0.5, or the prefix in which each node has one, such as 10.255.0.0/24";
  return problem === undefined || mappedIpv4(text) !== undefined ? problem : { ...problem, remedy: example };
}

/** The prefix of one address is written as that address. */
const addressOrPrefix = z
  .string()
  .check(problemOf(addressOrPrefixProblem))
  .overwrite(canonicalAddressOrPrefix)
  .meta(textForms.addressOrPrefix);

/** The range stands in `meta` too: the check says more than a bound could, and the CRD needs the bounds. */
const asn = z
  .int()
  .check(
    problemOf((value: number): Problem | undefined => {
      const reserved = reservedAsn(value);
      if (reserved !== undefined) {
        return { code: "ReservedAsn", message: reserved, remedy: "write the AS number that your fabric uses" };
      }
      if (value >= asnRange.minimum && value <= asnRange.maximum) return undefined;
      return {
        code: "OutOfRange",
        message: "is not an AS number",
        remedy: `write ${asnForms}`,
      };
    }),
  )
  .meta(asnRange);

/** The kernel's own rules for a name (dev_valid_name), and printable ASCII for the people who read it. */
const linkName = z
  .string()
  .check(
    problemOf((name: string): Problem | undefined =>
      hasForm(textForms.interfaceName, name) && name !== "." && name !== ".."
        ? undefined
        : {
            code: "InvalidInterfaceName",
            message: "is not an interface name",
            remedy: `write 1 to ${interfaceNameLength} characters without space, slash or colon, such as bond0`,
          },
    ),
  )
  .meta(textForms.interfaceName);

/** As Kubernetes wants it for object names and label values. */
const networkName = textOf(textForms.networkName, {
  code: "InvalidName",
  message: "is not a DNS label",
  remedy: "write at most 63 lower-case letters, digits and inner hyphens",
});

const nodeName = textOf(textForms.nodeName, {
  code: "InvalidName",
  message: "is not the name of a node",
  remedy: "write the name that kubectl get nodes shows, or on a host the agent's node name, such as gw1",
});

const table = integer(tableRange).check(
  problemOf((value: number): Problem | undefined => {
    const reserved = reservedTables.get(value);
    if (reserved === undefined || value === 0) return undefined;
    return { code: "ReservedTable", message: `is ${reserved}`, remedy: "choose another number, such as 1000 + it" };
  }),
);

/** RFC 4360 section 3: AS2:NN32, AS4:NN16 or IPv4:NN16, without leading zeros so that equal targets are equal texts. */
function isRouteTarget(text: string): boolean {
  const [, administrator = "", number] = /^([\d.]+):(0|[1-9]\d{0,9})$/.exec(text) ?? [];
  const byAsn = /^(0|[1-9]\d{0,9})$/.test(administrator) ? Number(administrator) : undefined;
  const byAddress = parseAddress(administrator) !== undefined;
  const largest = byAsn !== undefined && byAsn <= 65_535 ? 4_294_967_295 : 65_535;
  return (byAddress || (byAsn !== undefined && byAsn <= 4_294_967_295)) && Number(number) <= largest;
}

const notARouteTarget: Problem = {
  code: "InvalidRouteTarget",
  message: "is not a route target",
  remedy: "write ASN:NUMBER such as 65001:228; beside an AS above 65535 the number ends at 65535",
};

const explicitRouteTarget = z
  .string()
  .check(problemOf((text: string) => (isRouteTarget(text) ? undefined : notARouteTarget)))
  .meta(textForms.explicitRouteTarget);

const routeTarget = z
  .string()
  .check(
    problemOf((text: string) =>
      isRouteTarget(text) || (automaticRouteTargets as readonly string[]).includes(text) ? undefined : notARouteTarget,
    ),
  )
  .meta(textForms.routeTarget);

/** RFC 4364 section 4.2, type 1. */
const distinguisher = z
  .string()
  .meta(textForms.routeDistinguisher)
  .check(
    problemOf((text: string): Problem | undefined => {
      const [, administrator, number] = /^([\d.]+):(0|[1-9]\d{0,4})$/.exec(text) ?? [];
      if (parseAddress(administrator ?? "") !== undefined && Number(number) <= 65_535) return undefined;
      return {
        code: "InvalidRouteDistinguisher",
        message: "is not a route distinguisher",
        remedy: "write ADDRESS:NUMBER such as 10.0.7.5:228, the number at most 65535",
      };
    }),
  );

const routerId = z
  .string()
  .meta(textForms.routerId)
  .check(
    problemOf((text: string): Problem | undefined => {
      const parsed = parseAddress(text);
      if (parsed?.family === 4 && parsed.value !== 0n) return undefined;
      const mapped = mappedIpv4(text);
      if (mapped !== undefined) return { code: "InvalidAddress", message: isMapped, remedy: `write ${mapped}` };
      return {
        code: "InvalidAddress",
        message: "is not a BGP identifier (RFC 6286)",
        remedy: "write four decimal numbers such as 10.0.7.5, not 0.0.0.0",
      };
    }),
  );

const passwordFile = textOf(textForms.filePath, {
  code: "InvalidPath",
  message: "is not the path of a file",
  remedy: `write the absolute path of a file that holds the password, such as ${passwordDirectory}/fabric`,
});

const labelKey = z.string().check(problemOf(labelKeyProblem)).meta(textForms.labelKey);
const labelValue = z.string().check(problemOf(labelValueProblem)).meta(textForms.labelValue);

/** Bounds that no network meets, so that the API server can price its CEL rules. */
const listLength = 64;

const manyLabels = (selector: object): Problem | undefined =>
  Object.keys(selector).length <= listLength
    ? undefined
    : { code: "OutOfRange", message: "has too many labels", remedy: `write at most ${listLength}` };

function schemas(leaf: Leaf) {
  const bfd = z.strictObject({
    enabled: leaf(z.boolean()).default(true),
    minTxInterval: leaf(integer(bfdIntervalRange)).default(defaultBfdInterval),
    minRxInterval: leaf(integer(bfdIntervalRange)).default(defaultBfdInterval),
    multiplier: leaf(integer(bfdMultiplierRange)).default(defaultBfdMultiplier),
    multihop: leaf(z.boolean()).exactOptional(),
  });
  const bgp = z.strictObject({
    myAsn: leaf(asn),
    peerAsn: leaf(asn),
    peers: z.array(leaf(address)).min(1).max(listLength),
    holdTime: leaf(integer(holdTimeRange)).default(defaultHoldTime),
    sourceAddress: leaf(addressOrPrefix).exactOptional(),
    passwordFile: leaf(passwordFile).exactOptional(),
    listen: leaf(z.boolean()).exactOptional(),
    ttlSecurity: leaf(integer(ttlSecurityRange)).exactOptional(),
    allowOwnAs: leaf(integer(allowOwnAsRange)).exactOptional(),
    bfd: bfd.exactOptional(),
    maxRoutes: leaf(integer(routeLimitRange)).exactOptional(),
    maxMacs: leaf(integer(routeLimitRange)).exactOptional(),
    routeTarget: leaf(routeTarget).exactOptional(),
    importRouteTargets: z.array(leaf(explicitRouteTarget)).min(1).max(listLength).exactOptional(),
    routeDistinguisher: leaf(distinguisher).exactOptional(),
    routerId: leaf(routerId).exactOptional(),
    gobgpPort: leaf(integer(gobgpPortRange)).exactOptional(),
  });
  const vxlan = z.strictObject({
    vni: leaf(integer(vniRange)),
    nodeNet: leaf(prefix),
    nodeInterface: leaf(linkName).exactOptional(),
    port: leaf(integer(udpPortRange)).default(defaultVxlanPort),
    mtu: leaf(integer(mtuRange)).exactOptional(),
    bridge: leaf(z.boolean()).exactOptional(),
    txChecksum: leaf(z.boolean()).exactOptional(),
    remotes: z.array(leaf(address)).min(1).max(1024).exactOptional(),
    bgp: bgp.exactOptional(),
  });
  const vlan = z.strictObject({
    parent: leaf(linkName),
    id: leaf(integer(vlanIdRange)),
    mtu: leaf(integer(mtuRange)).exactOptional(),
  });
  const arpAnnouncer = z.strictObject({
    enabled: leaf(z.boolean()).default(true),
    interval: leaf(integer(announceIntervalRange)).default(defaultAnnounceInterval),
  });
  const staticAddress = z.strictObject({ address: leaf(address), node: leaf(nodeName) });
  const routing = z.strictObject({
    cidr: leaf(prefix),
    gateway: leaf(address),
    table: leaf(table).exactOptional(),
    onlink: leaf(z.boolean()).default(false),
    returnPath: leaf(z.enum(["auto", "source", "mark"])).default("auto"),
    replaces: leaf(networkName).exactOptional(),
    arpAnnouncer: arpAnnouncer.default({ enabled: false, interval: defaultAnnounceInterval }),
    staticAddresses: z.array(staticAddress).min(1).max(listLength).exactOptional(),
  });
  const common = {
    nodeSelector: z
      .record(labelKey, leaf(labelValue))
      .check(problemOf(manyLabels))
      .meta({ maxProperties: listLength })
      .exactOptional(),
    segmentFilter: leaf(z.boolean()).exactOptional(),
    routing: z.array(routing).min(1).max(listLength),
  };
  const vxlanNetwork = z.strictObject({ type: z.literal("vxlan"), vxlan, ...common });
  const vlanNetwork = z.strictObject({ type: z.literal("vlan"), vlan, ...common });
  const name = leaf(networkName).exactOptional();
  const cluster = { podNetworks: z.array(leaf(prefix)).max(listLength), cni: leaf(z.enum(cnis)).exactOptional() };
  return {
    networkSpec: z.discriminatedUnion("type", [vxlanNetwork, vlanNetwork]),
    router: z.strictObject(cluster),
    configuration: z.strictObject({
      ...cluster,
      networks: z.array(z.discriminatedUnion("type", [vxlanNetwork.extend({ name }), vlanNetwork.extend({ name })])),
    }),
  };
}

const exact = schemas(exactLeaf);
const tolerant = schemas(tolerantLeaf);

/** The one source of the CRDs: the normal form, defaults included. */
export const networkSpecSchema = exact.networkSpec satisfies z.ZodType<NetworkSpec>;
export const routerSpecSchema = exact.router satisfies z.ZodType<RouterSpec>;
/** The same for a whole file, as the JSON Schema for editors shows it. */
export const configurationSchema = exact.configuration;

type Unnamed<Network> = Network extends NamedNetwork ? Omit<Network, "name"> & { readonly name?: string } : never;
export type UnnamedNetwork = Unnamed<NamedNetwork>;
export type UnnamedConfiguration = Omit<Configuration, "networks"> & { readonly networks: readonly UnnamedNetwork[] };

/** The same rules, open to values that Pulumi does not know yet. */
export const tolerantConfigurationSchema: z.ZodType<UnnamedConfiguration> = tolerant.configuration;
