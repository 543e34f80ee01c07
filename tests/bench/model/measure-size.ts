/** A process of its own for one number of networks, so that no size pays for the heap of another: see main.ts. */
import { parse } from "yaml";
import { admitNetworks } from "../../../agent-image/agent/core/admission.js";
import type { CarriedNetwork } from "../../../agent-image/agent/core/carried-network.js";
import {
  type Configuration,
  checkNetworks,
  diffPlan,
  type NodeFacts,
  type NodePlan,
  networkSpec,
  nodeFacts,
  operationsOf,
  parseConfigurationFile,
  planNode,
  stateOf,
  stateOfFacts,
} from "../../../model/index.js";
import { overlappingPairs } from "./every-pair.js";
import { manyNetworks, node } from "./many-networks.js";
import { milliseconds, retainedBytes } from "./measure.js";
import type { Measurement } from "./measurement.js";

function configurationOf(text: string): Configuration {
  const result = parseConfigurationFile(text);
  if (!result.ok) throw new Error(`the networks are refused: ${JSON.stringify(result.mistakes[0])}`);
  return result.value;
}

/** The time of work that was not done says nothing. */
function assertDone(configuration: Configuration, plan: NodePlan, carried: readonly CarriedNetwork[]): void {
  const count = configuration.networks.length;
  const admitted = admitNetworks(carried, []).admitted.length;
  const done = [plan.networks.length, admitted, plan.networks.flatMap(({ conditions }) => conditions ?? []).length];
  if (String(done) !== String([count, count, 0])) throw new Error(`planned, admitted and conditions: ${done}`);
  const cidrs = configuration.networks.flatMap(({ routing }) => routing.map(({ cidr }) => cidr));
  const found = checkNetworks(configuration.networks).length + overlappingPairs(cidrs.slice(0, 100));
  const left = operationsOf(diffPlan(stateOf(plan, stateOfFacts(node)), plan)).length;
  if (found + left !== 0) throw new Error(`${found} clashes, ${left} operations on a node that carries the plan`);
}

/** Every interface has one, so a node with many networks has many addresses. */
function linkLocals({ networks }: NodePlan): NodeFacts["addresses"] {
  return networks.map(({ link }, index) => ({
    device: link.name,
    family: 6,
    address: `fe80::${(index + 1).toString(16)}`,
    prefixLength: 64,
    secondary: false,
    deprecated: false,
    tentative: false,
  }));
}

function measured(networks: number): Measurement {
  const text = manyNetworks(networks);
  const configuration = configurationOf(text);
  const cidrs = configuration.networks.flatMap(({ routing }) => routing.map(({ cidr }) => cidr));
  const plan = planNode(configuration, node);
  const empty = stateOfFacts(node);
  const full = stateOf(plan, empty);
  const carrying = nodeFacts(
    { ...full, addresses: [...full.addresses, ...linkLocals(plan)] },
    node.nodeName,
    node.labels,
  );
  const carried = configuration.networks.map(
    (network): CarriedNetwork => ({
      name: network.name,
      uid: network.name,
      revision: "1",
      podNetworks: configuration.podNetworks,
      spec: networkSpec(network),
    }),
  );
  assertDone(configuration, plan, carried);
  const whole = () => {
    const parsed = configurationOf(text);
    return { parsed, plan: planNode(parsed, node) };
  };
  return {
    networks,
    heap: retainedBytes(whole),
    yaml: milliseconds(() => parse(text)),
    parse: milliseconds(() => configurationOf(text)),
    everyPair: milliseconds(() => overlappingPairs(cidrs)),
    check: milliseconds(() => checkNetworks(configuration.networks)),
    plan: milliseconds(() => planNode(configuration, node)),
    planAgain: milliseconds(() => planNode(configuration, carrying)),
    whole: milliseconds(whole),
    admit: milliseconds(() => admitNetworks(carried, [])),
    create: milliseconds(() => diffPlan(empty, plan)),
    compare: milliseconds(() => diffPlan(full, plan)),
  };
}

process.stdout.write(`${JSON.stringify(measured(Number(process.argv[2])))}\n`);
