import type { Cni } from "../numbers/cni.js";
import { segmentInterfaceName } from "../numbers/interface-name.js";
import { markFindings } from "./check-marks.js";
import { checkHostPrefix, checkNetwork } from "./check-network.js";
import { crossFindings, crossWarnings, type Locate, type NetworkFinding } from "./check-networks.js";
import type { Configuration, NamedNetwork, NetworkSpec, RouterSpec } from "./configuration.js";
import { type Finding, isObject, type Path, renderPath, sourcePath, toMistake, valueAt } from "./finding.js";
import type { Mistake, MistakeCode, ParseResult } from "./mistake.js";
import { networkWarnings } from "./network-warnings.js";
import { normaliseConfiguration } from "./normalise.js";
import type { Examined } from "./parse-document.js";
import { tolerantConfigurationSchema, type UnnamedConfiguration, type UnnamedNetwork } from "./schema.js";
import { schemaFindings, withoutMisspelt } from "./schema-findings.js";
import { unknownValue } from "./unknown-value.js";

/** Takes what a file or a Pulumi program holds; values that Pulumi does not know yet pass. */
export function parseConfiguration(value: unknown): ParseResult<Configuration> {
  const { value: configuration, mistakes, warnings } = examine(value);
  const shown = { warnings: warnings.map((finding) => toMistake(finding, value)) };
  return configuration === undefined
    ? { ok: false, mistakes: mistakes.map((finding) => toMistake(finding, value)), ...shown }
    : { ok: true, value: configuration, ...shown };
}

export interface NetworkContext {
  /** Name of the network where its own `name` does not say; the interface's name otherwise. */
  readonly name?: string;
  /** Of the cluster: lets overlaps and missing families be found. */
  readonly podNetworks?: readonly string[];
  /** Of the cluster: lets numbers be found that belong to it. */
  readonly cni?: Cni;
}

/** One network, as Pulumi arguments or the `spec` of a `PublicNetwork` give it. Paths start at the network. */
export function parseNetwork(value: unknown, context: NetworkContext = {}): ParseResult<NamedNetwork> {
  const named = isObject(value) && value.name === undefined && context.name !== undefined;
  const network = named ? { ...value, name: context.name } : value;
  const { podNetworks = [], cni } = context;
  const result = parseConfiguration({ podNetworks, cni, networks: [network] });
  // Whether the network that it replaces is still there cannot be seen from one network.
  const warnings = result.warnings.filter(({ code }) => code !== "ReplacesNothing").map(insideNetwork);
  if (!result.ok) return { ok: false, mistakes: result.mistakes.map(insideNetwork), warnings };
  const [parsed] = result.value.networks;
  if (parsed === undefined) throw new Error("a configuration with one network was parsed to none");
  return { ok: true, value: parsed, warnings };
}

function insideNetwork(mistake: Mistake): Mistake {
  return { ...mistake, path: mistake.path.replace(/^networks\[0\]\.?/, "") };
}

/** The network as the `spec` of a `PublicNetwork`, whose name stands in its metadata. */
export function networkSpec({ name: _name, ...spec }: NamedNetwork): NetworkSpec {
  return spec;
}

/** The findings stand in the normal form's paths, for callers that know where each place was written. */
export function examine(source: unknown): Examined<Configuration> {
  if (source === undefined || source === null || (isObject(source) && Object.keys(source).length === 0)) {
    return { value: undefined, mistakes: [emptyConfiguration], warnings: [] };
  }
  const normal = normaliseConfiguration(source);
  const parsed = tolerantConfigurationSchema.safeParse(normal);
  const found = parsed.success ? [] : schemaFindings(parsed.error.issues, normal);
  const checked = parsed.success ? parsed.data : usablePart(normal, found);
  const networks: readonly (UnnamedNetwork | undefined)[] = checked.networks;
  const locate: Locate = (network, path) => renderPath(sourcePath(source, ["networks", network, ...path]));
  const mistakes = [
    ...withoutMisspelt(found),
    ...checked.podNetworks.flatMap((text, index) => checkHostPrefix(text, ["podNetworks", index], podNetworkRemedy)),
    ...eachNetwork(networks, (network) => checkNetwork(network, checked)),
    ...[...crossFindings(networks, locate), ...markFindings(networks, checked.cni)].map(inDocument),
  ];
  const warnings = [
    ...eachNetwork(networks, (network) => networkWarnings(network, checked.podNetworks)),
    ...crossWarnings(networks, locate).map(inDocument),
  ];
  return { value: mistakes.length === 0 && parsed.success ? named(parsed.data) : undefined, mistakes, warnings };
}

const podNetworkRemedy = "write a pod or service network of the cluster";

/** Never read as "remove everything": a file that was truncated or not written yet looks the same. */
const emptyConfiguration: Finding = {
  code: "EmptyConfiguration",
  path: [],
  message: "is empty",
  remedy: "write podNetworks and networks; to remove every network write networks: []",
};

function eachNetwork(
  networks: readonly (UnnamedNetwork | undefined)[],
  check: (network: UnnamedNetwork) => readonly Finding[],
): readonly Finding[] {
  return networks.flatMap((network, index) =>
    (network === undefined ? [] : check(network)).map((finding) => inDocument({ network: index, finding })),
  );
}

function inDocument({ network, finding }: NetworkFinding): Finding {
  return { ...finding, path: ["networks", network, ...finding.path] };
}

function named(configuration: UnnamedConfiguration): Configuration {
  const networks = configuration.networks.map((network) => ({
    ...network,
    name: network.name ?? segmentInterfaceName(network),
  }));
  return { ...configuration, networks };
}

interface UsablePart extends RouterSpec {
  readonly networks: readonly (UnnamedNetwork | undefined)[];
}

/**
 * What the schema refused is taken as not known, so that the checks between values still run on all the others. A
 * network that even so does not fit (its `type` is wrong) is left out.
 */
function usablePart(normal: unknown, findings: readonly Finding[]): UsablePart {
  const draft = structuredClone(isObject(normal) ? normal : {});
  for (const { code, path } of findings) {
    if (wrongKeys.has(code)) remove(draft, path);
    else if (path.at(-1) !== "type") replace(draft, path);
  }
  const again = normaliseConfiguration(draft) as Record<string, unknown>;
  const networks = Array.isArray(again.networks) ? again.networks : [];
  const podNetworks = Array.isArray(again.podNetworks) ? again.podNetworks : [unknownValue];
  const { cni } = tolerantConfigurationSchema.safeParse({ podNetworks: [], cni: again.cni, networks: [] }).data ?? {};
  const single = (network: unknown): UnnamedNetwork | undefined =>
    tolerantConfigurationSchema.safeParse({ podNetworks: [], networks: [network] }).data?.networks[0];
  return {
    podNetworks: podNetworks.filter((entry) => typeof entry === "string"),
    ...(cni === undefined ? {} : { cni }),
    networks: networks.map(single),
  };
}

/** Here the key is wrong, not the value. */
const wrongKeys: ReadonlySet<MistakeCode> = new Set(["InvalidLabelKey", "NotSupported", "UnknownKey"]);

type Container = Record<string | number, unknown>;

function ownerOf(draft: Container, path: Path): Container | undefined {
  const owner = valueAt(draft, path.slice(0, -1));
  return isObject(owner) || Array.isArray(owner) ? (owner as Container) : undefined;
}

function remove(draft: Container, path: Path): void {
  const owner = ownerOf(draft, path);
  const key = path.at(-1);
  if (owner !== undefined && key !== undefined) delete owner[key];
}

function replace(draft: Container, path: Path): void {
  const owner = ownerOf(draft, path);
  const key = path.at(-1);
  if (owner !== undefined && key !== undefined) owner[key] = unknownValue;
}
