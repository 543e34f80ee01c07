/** As much of `pulumi preview --json` as the report needs (pulumi/pulumi pkg/display/json.go). */
export interface Preview {
  readonly steps?: readonly Step[];
  readonly diagnostics?: readonly { readonly severity: string; readonly message: string }[];
}

export interface Step {
  readonly op: string;
  readonly urn: string;
  /** With `--refresh`: what the cluster has now. */
  readonly oldState?: { readonly inputs?: Inputs };
  readonly newState?: { readonly inputs?: Inputs };
  /** By property path. */
  readonly detailedDiff?: Readonly<Record<string, unknown>> | null;
}

interface Inputs {
  readonly name?: string;
  /** Of a network and of the agents: by node what it lacks, and how that is. */
  readonly drift?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface Drift {
  /** `network customers`, `agents`, or type and name of any other resource. */
  readonly subject: string;
  /** One line each. */
  readonly deviations: readonly string[];
}

/** Steps that change nothing. */
const quiet: ReadonlySet<string> = new Set(["same", "refresh", "read"]);
const networkType = "pulumi-nodejs:dynamic/vlan-router:NetworkState";
const agentsType = "pulumi-nodejs:dynamic/vlan-router:AgentRollout";

/** What the cluster and its nodes have, and the program does not say: empty when nothing has drifted. */
export function driftOf({ steps = [] }: Preview): readonly Drift[] {
  return steps
    .filter(({ op }) => !quiet.has(op))
    .map((step) => ({ subject: subjectOf(step), deviations: deviationsOf(step) }));
}

/** The drift for a person: a heading for each network, a line for each node and deviation. */
export function renderDrift(drift: readonly Drift[]): string {
  return drift
    .map(({ subject, deviations }) => [subject, ...deviations.map((line) => `  ${line}`)].join("\n"))
    .join("\n");
}

/** A URN is `urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME`. */
function subjectOf({ urn, oldState, newState }: Step): string {
  const [, , types = "", name = ""] = urn.split("::");
  const type = types.split("$").at(-1) ?? types;
  if (type === agentsType) return "agents";
  if (type === networkType) return `network ${(newState ?? oldState)?.inputs?.name ?? name}`;
  return `${type} ${name}`;
}

function deviationsOf({ op, oldState, detailedDiff }: Step): readonly string[] {
  const byNode = Object.entries(oldState?.inputs?.drift ?? {}).flatMap(([node, lacks]) =>
    Object.entries(lacks).map(([what, state]) => `${node}: ${what} is ${state}`),
  );
  const paths = Object.keys(detailedDiff ?? {}).filter((path) => !/^drift\b/.test(path));
  if (byNode.length > 0 && paths.length === 0) return byNode;
  return [...byNode, paths.length === 0 ? `up would ${op} it` : `up would ${op} it: ${paths.sort().join(", ")}`];
}
