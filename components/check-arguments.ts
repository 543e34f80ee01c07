import * as pulumi from "@pulumi/pulumi";
import { nearestKey } from "../model/configuration/nearest-key.js";
import type { Mistake } from "../model/index.js";
import * as forms from "./argument-forms.js";

/** An argument by its place: `nodes.tolerateUnreachable`; `[]` stands for each item of a list, `*` for each key. */
interface ArgumentRule {
  readonly path: string;
  readonly form: forms.ArgumentForm;
  readonly required?: true;
}

export interface ArgumentTable {
  readonly rules: readonly ArgumentRule[];
  /** Other keys of the component itself are judged elsewhere: those of a network stand among its options. */
  readonly open?: true;
}

const waiting: readonly ArgumentRule[] = [
  { path: "cluster", form: forms.clusterAccess },
  { path: "cluster.kubeconfig", form: forms.kubeconfig },
  { path: "cluster.context", form: forms.contextName },
  { path: "timeoutSeconds", form: forms.seconds },
  { path: "nodes", form: forms.object },
  { path: "nodes.tolerateUnreachable", form: forms.tolerance },
];

const agents: readonly ArgumentRule[] = [
  { path: "image", form: forms.imageReference, required: true },
  { path: "imagePullPolicy", form: forms.pullPolicy },
  { path: "imagePullSecrets", form: forms.list },
  { path: "imagePullSecrets[]", form: forms.objectName },
  { path: "metallbNamespace", form: forms.objectName },
  { path: "bgpPasswordSecret", form: forms.objectName },
  { path: "retainDefinitions", form: forms.truthValue },
  ...waiting,
];

function poolAt(place: string): readonly ArgumentRule[] {
  return [
    { path: place, form: forms.pool },
    { path: `${place}.name`, form: forms.objectName },
    { path: `${place}.namespace`, form: forms.objectName },
    { path: `${place}.addresses`, form: forms.list },
    { path: `${place}.autoAssign`, form: forms.truthValue },
  ];
}

export const routerArguments: ArgumentTable = {
  rules: [...agents, { path: "podNetworks", form: forms.anything }, { path: "cni", form: forms.anything }],
};

export const fromConfigArguments: ArgumentTable = {
  rules: [
    ...agents,
    ...["value", "yaml", "file"].map((path) => ({ path, form: forms.anything })),
    ...["podNetworks", "cni"].map((path) => ({ path, form: forms.partOfConfiguration })),
    { path: "networkTimeoutSeconds", form: forms.seconds },
    { path: "addressPools", form: forms.pools },
    ...poolAt("addressPools.*"),
  ],
};

export const networkArguments: ArgumentTable = {
  rules: [
    { path: "router", form: forms.router },
    { path: "adopt", form: forms.truthValue },
    ...waiting,
    ...poolAt("addressPool"),
  ],
  open: true,
};

/**
 * Mistakes in what a program written without types, or against them, gave a component. What only deployment knows is left to
 * the provider.
 */
export function checkArguments(given: unknown, table: ArgumentTable): readonly Mistake[] {
  if (typeof given !== "object" || given === null) {
    const message = given === undefined ? "is missing" : "is not an object";
    return [{ code: "Missing", path: "args", value: given, message, remedy: "write { … } behind the name" }];
  }
  return [
    ...table.rules.flatMap((rule) => ruleMistakes(given, rule)),
    ...objectPlaces(table).flatMap((place) => unknownKeys(given, place, table)),
  ];
}

interface Found {
  readonly path: string;
  readonly value: unknown;
}

function ruleMistakes(given: object, { path, form, required }: ArgumentRule): readonly Mistake[] {
  return valuesAt(given, path).flatMap(({ path: place, value }): readonly Mistake[] => {
    if (isLate(value)) return [];
    const { code, message, remedy } = form;
    if (value === undefined) {
      return required ? [{ code: "Missing", path: place, value, message: "is missing", remedy }] : [];
    }
    return form.accepts(value) ? [] : [{ code, path: place, value: form.hidden ? undefined : value, message, remedy }];
  });
}

/** Places whose keys the table names, the component's own as "". */
function objectPlaces({ rules, open }: ArgumentTable): readonly string[] {
  const parents = rules.flatMap(({ path }) => (path.includes(".") ? [parentOf(path)] : []));
  // The keys of `addressPools` are names of networks.
  const named = parents.filter((place) => !rules.some(({ path }) => path === `${place}.*`));
  return [...new Set([...(open ? [] : [""]), ...named])];
}

function unknownKeys(given: object, place: string, { rules }: ArgumentTable): readonly Mistake[] {
  const known = rules
    .filter(({ path }) => !path.endsWith("[]") && parentOf(path) === place)
    .map(({ path }) => path.slice(place === "" ? 0 : place.length + 1));
  const holders = place === "" ? [{ path: "", value: given }] : valuesAt(given, place);
  return holders.flatMap(({ path, value }) =>
    keysOf(value)
      .filter((key) => !known.includes(key))
      .map((key) => {
        const nearest = nearestKey(key, known);
        const remedy =
          nearest === undefined
            ? `remove it; what may stand here: ${known.toSorted().join(", ")}`
            : `did you mean ${nearest}?`;
        const at = path === "" ? key : `${path}.${key}`;
        // Its value is not shown: nobody knows what a key that is not known holds.
        return { code: "UnknownKey", path: at, value: undefined, message: "is not a known key", remedy };
      }),
  );
}

function parentOf(path: string): string {
  return path.includes(".") ? path.slice(0, path.lastIndexOf(".")) : "";
}

function valuesAt(given: object, path: string): readonly Found[] {
  return path
    .replaceAll("[]", ".[]")
    .split(".")
    .reduce<readonly Found[]>(
      (found, step) => found.flatMap((holder) => stepInto(holder, step)),
      [{ path: "", value: given }],
    );
}

function stepInto({ path, value }: Found, step: string): readonly Found[] {
  if (step === "[]") {
    return Array.isArray(value)
      ? value.map((item: unknown, index) => ({ path: `${path}[${index}]`, value: item }))
      : [];
  }
  if (!isPlainHolder(value)) return [];
  const keys = step === "*" ? keysOf(value) : [step];
  return keys.map((key) => ({ path: path === "" ? key : `${path}.${key}`, value: value[key] }));
}

function keysOf(value: unknown): readonly string[] {
  return isPlainHolder(value) ? Object.keys(value).filter((key) => value[key] !== undefined) : [];
}

function isPlainHolder(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isLate(value);
}

function isLate(value: unknown): boolean {
  return pulumi.Output.isInstance(value) || value instanceof Promise;
}
