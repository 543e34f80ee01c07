import * as pulumi from "@pulumi/pulumi";
import { unknownValue } from "../../../model/index.js";
import { networkStateOperations } from "../../../provider/network-state/operations.js";
import type { NetworkStateArguments } from "../../../provider/network-state/state.js";
import { TestEnvironment } from "../provider/test-environment.js";

export interface Registered {
  readonly type: string;
  readonly name: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly custom: boolean;
}

/** Resources of the program that runs now. */
export const registered: Registered[] = [];

/** Of a cluster that does not answer: port 9 is discard. */
export const unreachableKubeconfig = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "prod", cluster: { server: "http://127.0.0.1:9" } }],
  users: [{ name: "admin", user: {} }],
  contexts: [{ name: "prod", context: { cluster: "prod", user: "admin" } }],
  "current-context": "prod",
});

// No cluster in these tests: check warns and goes on.
delete process.env.KUBECONFIG;
let networkState = networkStateOperations(new TestEnvironment());

/**
 * Runs programs without an engine, in preview: what the engine does with the inputs of a dynamic resource (check, and take
 * the result for its state) is done here too.
 */
export async function startPreview(configuration: Readonly<Record<string, string>> = {}): Promise<void> {
  registered.length = 0;
  networkState = networkStateOperations(new TestEnvironment());
  pulumi.runtime.setAllConfig({ ...configuration });
  await pulumi.runtime.setMocks(
    {
      call: () => ({}),
      newResource: async ({ type, name, inputs, custom }) => {
        const state = type.endsWith(":NetworkState") ? await checked(inputs) : inputs;
        registered.push({ type, name, inputs: state, custom: custom ?? false });
        return { id: `${name}-id`, state };
      },
    },
    "infra",
    "prod",
    true,
  );
}

async function checked(inputs: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>> {
  const news = asTheProviderGetsIt(inputs) as NetworkStateArguments;
  const result = await networkState.check({}, news);
  if (result.failures.length > 0) throw new Error(JSON.stringify(result.failures));
  // The engine keeps the secrets of inputs that the provider returned in plain.
  return { ...result.inputs, cluster: inputs.cluster };
}

/** Secrets in plain, and what is not known as the protocol's word for it. */
export function asTheProviderGetsIt(value: unknown): unknown {
  if (pulumi.isUnknown(value)) return unknownValue;
  if (Array.isArray(value)) return value.map(asTheProviderGetsIt);
  if (typeof value !== "object" || value === null) return value;
  if (pulumi.runtime.isRpcSecret(value)) return asTheProviderGetsIt(pulumi.runtime.unwrapRpcSecret(value));
  return Object.fromEntries(Object.entries(value).map(([key, nested]) => [key, asTheProviderGetsIt(nested)]));
}

/** Waits until every resource of the program is registered, and returns those of a type. */
export async function resourcesOf(type: string): Promise<readonly Registered[]> {
  await pulumi.runtime.disconnect();
  return registered.filter((resource) => resource.type === type);
}

/** The inputs of the only resource of a type. */
export async function inputsOf<Inputs>(type: string): Promise<Inputs> {
  const [resource, ...others] = await resourcesOf(type);
  if (resource === undefined || others.length > 0) throw new Error(`${others.length + 1} or no resources of ${type}`);
  return resource.inputs as Inputs;
}

/** What the SDK keeps of an output, but does not show in its types. */
interface OutputState<Value> {
  readonly isKnown: Promise<boolean>;
  promise(): Promise<Value>;
}

/** Whether a preview knows the output, be it that it is undefined. */
export function isKnown(output: pulumi.Output<unknown>): Promise<boolean> {
  return (output as unknown as OutputState<unknown>).isKnown;
}

/** The value of an output in this preview; nothing when it is not known. `apply` would never run then. */
export async function knownValue<Value>(output: pulumi.Output<Value>): Promise<Value | undefined> {
  const state = output as unknown as OutputState<Value>;
  return (await state.isKnown) ? state.promise() : undefined;
}

/** An output whose value only deployment knows. */
export function unknownOutput<Value>(): pulumi.Output<Value> {
  return pulumi.output(pulumi.unknown) as unknown as pulumi.Output<Value>;
}
