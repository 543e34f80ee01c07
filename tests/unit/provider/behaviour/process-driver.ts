import { unknownValue } from "../../../../model/index.js";
import type { BehaviourStack, Driver, Outcome } from "../../../support/provider-behaviour/driver.js";
import { isLater, type Program } from "../../../support/provider-behaviour/scenario.js";
import { type Properties, providerText } from "./dynamic-methods.js";
import { ProviderProcess } from "./provider-process.js";
import { SmallEngine } from "./small-engine.js";

const owner = "infra/prod urn:pulumi:prod::infra::vlan-router:index:PublicNetwork::customers";

/** A spawned provider process over gRPC: no program runs, the inputs are those that the component would give. */
export const processDriver: Driver = {
  name: "provider process",
  async stack(context, kubeconfig) {
    const provider = await ProviderProcess.start();
    context.after(() => provider.stop());
    const engine = new SmallEngine(provider);
    const __provider = await providerText();
    const inputs = (program: Program | undefined, preview: boolean): Properties | undefined =>
      program === undefined ? undefined : { ...resourceInputs(program, kubeconfig, preview), __provider };
    const heard = async (result: Promise<Omit<Outcome, "says">>): Promise<Outcome> => {
      provider.printed = "";
      const outcome = await result;
      return { ...outcome, says: provider.printed };
    };
    return {
      preview: (program) => heard(engine.deploy(inputs(program, true), true)),
      up: (program) => heard(engine.deploy(inputs(program, false), false)),
      refresh: () => heard(engine.refresh()),
      destroy: () => heard(engine.destroy()),
    } satisfies BehaviourStack;
  },
};

function resourceInputs(program: Program, kubeconfig: string, preview: boolean): Properties {
  const { timeoutSeconds, nodes, ...network } = program;
  return {
    cluster: { kubeconfig },
    name: program.name,
    owner,
    spec: resolved(network, preview),
    timeoutSeconds,
    ...(nodes as Properties | undefined),
  };
}

function resolved(value: unknown, preview: boolean): unknown {
  if (isLater(value)) return preview ? unknownValue : value.later;
  if (Array.isArray(value)) return value.map((item) => resolved(item, preview));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, nested]) => [key, resolved(nested, preview)]));
}
