import * as pulumi from "@pulumi/pulumi";

/**
 * Places of what the program marked as secret in the arguments of a component, such as `routing[0].gateway`: the provider gets every
 * value in plain (pulumi/pulumi sdk/nodejs/cmd/dynamic-provider does not accept secrets), and must not say these.
 * @returns undefined where nothing can be secret, because nothing is an Output
 */
export function secretPaths(given: unknown): pulumi.Output<readonly string[] | undefined> | undefined {
  const late = lateValues(given, "");
  if (late.length === 0) return undefined;
  const secret = Promise.all(
    late.map(async ({ path, value }) => ((await pulumi.isSecret(pulumi.output(value))) ? [path] : [])),
  );
  return pulumi.output(secret.then((paths) => (paths.flat().length === 0 ? undefined : paths.flat().sort())));
}

interface LateValue {
  readonly path: string;
  readonly value: unknown;
}

function lateValues(value: unknown, path: string): readonly LateValue[] {
  if (pulumi.Output.isInstance(value) || value instanceof Promise) return [{ path, value }];
  if (Array.isArray(value)) return value.flatMap((item, index) => lateValues(item, `${path}[${index}]`));
  if (typeof value !== "object" || value === null || pulumi.Resource.isInstance(value)) return [];
  return Object.entries(value).flatMap(([key, nested]) => lateValues(nested, path === "" ? key : `${path}.${key}`));
}
