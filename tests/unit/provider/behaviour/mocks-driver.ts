import { createRequire } from "node:module";
import { join } from "node:path";
import { format } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import { PublicNetwork, type PublicNetworkArgs } from "../../../../components/index.js";
import { unknownValue } from "../../../../model/index.js";
import { PartialFailure } from "../../../../provider/partial-failure.js";
import type { networkState } from "../../../../provider/runtime.js";
import type { BehaviourStack, Driver, Outcome } from "../../../support/provider-behaviour/driver.js";
import { isLater, type Program } from "../../../support/provider-behaviour/scenario.js";
import { asTheProviderGetsIt, knownValue } from "../../components/program.js";
import { type DynamicMethods, InitFailure, type Properties, programFolder } from "./dynamic-methods.js";
import { SmallEngine } from "./small-engine.js";

type Result = Omit<Outcome, "says">;

/** The component runs on the SDK's mocks, and the provider that it serialised is hydrated in this process. */
export const mocksDriver: Driver = {
  name: "mocks",
  async stack(context, kubeconfig) {
    const printed: string[] = [];
    context.mock.method(console, "log", (...values: unknown[]) => printed.push(format(...values)));
    const methods = new HydratedMethods();
    const engine = new SmallEngine(methods);
    const heard = async (result: Promise<Result>): Promise<Outcome> => {
      printed.length = 0;
      const outcome = await result;
      return { ...outcome, says: printed.join("\n") };
    };
    const deploy = (program: Program | undefined, preview: boolean) =>
      heard(
        program === undefined
          ? engine.deploy(undefined, preview)
          : runProgram(engine, methods, program, kubeconfig, preview),
      );
    return {
      preview: (program) => deploy(program, true),
      up: (program) => deploy(program, false),
      refresh: () => heard(engine.refresh()),
      destroy: () => heard(engine.destroy()),
    } satisfies BehaviourStack;
  },
};

async function runProgram(
  engine: SmallEngine,
  methods: HydratedMethods,
  program: Program,
  kubeconfig: string,
  preview: boolean,
): Promise<Result> {
  let result: Result | undefined;
  await pulumi.runtime.setMocks(
    {
      call: () => ({}),
      newResource: async ({ type, name, inputs }) => {
        if (!type.endsWith(":NetworkState")) return { id: `${name}-id`, state: inputs };
        const news = asTheProviderGetsIt(inputs) as Properties;
        methods.hydrate(String(news.__provider));
        result = await engine.deploy(news, preview);
        return { id: `${name}-id`, state: { ...inputs, ...result.shows, cluster: inputs.cluster } };
      },
    },
    "infra",
    "prod",
    preview,
  );
  try {
    const args = { ...(resolved(program, preview) as object), cluster: { kubeconfig } } as PublicNetworkArgs;
    const network = new PublicNetwork("customers", args);
    await pulumi.runtime.disconnect();
    if (result === undefined) throw new Error("the component made no NetworkState");
    return { ...result, shows: { ...result.shows, ...(await componentOutputs(network, result.shows)) } };
  } catch (error) {
    if (!(error instanceof pulumi.ResourceError)) throw error;
    return { refuses: error.message, shows: {} };
  }
}

/** What the component hands on of the resource's properties: users read these. */
async function componentOutputs(network: PublicNetwork, shows: Properties): Promise<Properties> {
  const outputs = network as unknown as Readonly<Record<string, unknown>>;
  const found: [string, unknown][] = [];
  for (const property of Object.keys(shows)) {
    const output = outputs[property];
    if (pulumi.Output.isInstance(output)) found.push([property, (await knownValue(output)) ?? unknownValue]);
  }
  return Object.fromEntries(found);
}

function resolved(value: unknown, preview: boolean): unknown {
  if (isLater(value)) return pulumi.output(preview ? pulumi.unknown : value.later);
  if (Array.isArray(value)) return value.map((item) => resolved(item, preview));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, nested]) => [key, resolved(nested, preview)]));
}

type Operations = typeof networkState;

/** Calls the methods of the serialised text as the SDK's plugin does, in this process. */
class HydratedMethods implements DynamicMethods {
  private provider: Operations | undefined;

  hydrate(text: string): void {
    const exports = {} as { handler(): Operations };
    const require = createRequire(join(programFolder, "package.json"));
    new Function("exports", "require", text)(exports, require);
    this.provider = exports.handler();
  }

  async check(olds: Properties, news: Properties) {
    const { inputs, failures } = await this.operations().check(olds, news as never);
    return { inputs: { ...inputs, __provider: news.__provider }, failures };
  }

  async diff(id: string, olds: Properties, news: Properties) {
    return (await this.operations().diff(id, olds as never, news as never)).replaces ?? [];
  }

  async create(inputs: Properties) {
    const { id, outs } = await withInitFailure(this.operations().create(inputs as never));
    return { id, outs: { ...outs } };
  }

  async update(id: string, olds: Properties, news: Properties) {
    const { outs } = await withInitFailure(this.operations().update(id, olds as never, news as never));
    return { ...outs };
  }

  async read(id: string, held: Properties) {
    const { id: found, inputs, props } = await this.operations().read(id, held as never);
    return { id: found, inputs: { ...inputs }, outs: { ...props } };
  }

  delete(id: string, held: Properties): Promise<void> {
    return this.operations().delete(id, held as never);
  }

  private operations(): Operations {
    if (this.provider === undefined) throw new Error("no program has serialised a provider yet");
    return this.provider;
  }
}

async function withInitFailure<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof PartialFailure)) throw error;
    throw new InitFailure(error.id, error.properties, error.reasons);
  }
}
