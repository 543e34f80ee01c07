import * as pulumi from "@pulumi/pulumi";
import { networkStateProvider } from "../../../../provider/shell.js";

export type Properties = Readonly<Record<string, unknown>>;

/** The methods of a dynamic provider as the engine calls them, over plain data with `__provider` in it. */
export interface DynamicMethods {
  check(olds: Properties, news: Properties): Promise<CheckedInputs>;
  diff(id: string, olds: Properties, news: Properties): Promise<readonly string[]>;
  create(inputs: Properties): Promise<Created>;
  update(id: string, olds: Properties, news: Properties): Promise<Properties>;
  /** An empty id: it is gone. */
  read(
    id: string,
    held: Properties,
  ): Promise<{ readonly id: string; readonly inputs: Properties; readonly outs: Properties }>;
  delete(id: string, held: Properties): Promise<void>;
}

export interface CheckedInputs {
  readonly inputs: Properties;
  readonly failures: readonly { readonly property: string; readonly reason: string }[];
}

export interface Created {
  readonly id: string;
  readonly outs: Properties;
}

/** Made, but not well: the engine keeps it and updates it next time. */
export class InitFailure extends Error {
  constructor(
    readonly id: string,
    readonly outs: Properties,
    readonly reasons: readonly string[],
  ) {
    super(reasons.join("\n"));
  }
}

/** Where a program stands that depends on the package by name: the provider's text requires it from there. */
export const programFolder = `${process.cwd()}/examples/public-networks`;

/** As `pulumi.dynamic.Resource` makes it (sdk/nodejs/dynamic/index.ts). */
export async function providerText(): Promise<string> {
  return (await pulumi.runtime.serializeFunction(() => networkStateProvider, { allowSecrets: true })).text;
}
