import * as pulumi from "@pulumi/pulumi";
import { knownKeys } from "../model/configuration/field-help.js";
import { notKnown, unknownKey as unknownKeyProblem } from "../model/configuration/nearest-key.js";
import type { Mistake } from "../model/index.js";
import * as forms from "./argument-forms.js";

/** An argument by its place: `nodes.tolerateUnreachable`; `[]` stands for each item of a list, `*` for each key. */
interface ArgumentRule {
  readonly path: string;
  readonly form: forms.ArgumentForm;
  readonly required?: true;
  /** The program must know it while it runs: an Output is a mistake. */
  readonly plain?: true;
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
  { path: "metallbNamespace", form: forms.namespaceName },
  { path: "bgpPasswordSecret", form: forms.objectName },
  { path: "retainDefinitions", form: forms.truthValue, plain: true },
  ...waiting,
];

function poolAt(place: string): readonly ArgumentRule[] {
  return [
    { path: place, form: forms.pool, plain: true },
    { path: `${place}.name`, form: forms.objectName, plain: true },
    { path: `${place}.namespace`, form: forms.namespaceName },
    { path: `${place}.addresses`, form: forms.list },
    { path: `${place}.autoAssign`, form: forms.truthValue },
  ];
}

export const routerArguments: ArgumentTable = {
  rules: [
    ...agents,
    { path: "podNetworks", form: forms.podNetworks, plain: true },
    { path: "podNetworks[]", form: forms.podNetworks, plain: true },
    { path: "cni", form: forms.cni, plain: true },
  ],
};

export const fromConfigArguments: ArgumentTable = {
  rules: [
    ...agents,
    { path: "value", form: forms.anything },
    { path: "yaml", form: forms.yamlText, plain: true },
    { path: "file", form: forms.filePath, plain: true },
    ...["podNetworks", "cni"].map((path) => ({ path, form: forms.partOfConfiguration })),
    { path: "networkTimeoutSeconds", form: forms.seconds },
    { path: "addressPools", form: forms.pools, plain: true },
    ...poolAt("addressPools.*"),
  ],
};

export const networkArguments: ArgumentTable = {
  rules: [
    { path: "router", form: forms.router, plain: true },
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

const isLateText = "comes as an Output, and the program itself must know it";

interface Found {
  readonly path: string;
  readonly value: unknown;
}

function ruleMistakes(given: object, { path, form, required, plain }: ArgumentRule): readonly Mistake[] {
  return valuesAt(given, path).flatMap(({ path: place, value }): readonly Mistake[] => {
    const { code, message, remedy } = form;
    if (isLate(value))
      return plain ? [{ code: "WrongType", path: place, value: undefined, message: isLateText, remedy }] : [];
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
      .map((key) => unknownKey(path === "" ? key : `${path}.${key}`, known)),
  );
}

/** Its value is not shown: nobody knows what a key that is not known holds. */
function unknownKey(path: string, known: readonly string[]): Mistake {
  const { nearest: _, ...problem } = unknownKeyProblem(path.slice(path.lastIndexOf(".") + 1), known);
  return { ...problem, path, value: undefined };
}

/**
 * A mistake in a network's own arguments, among which the component's options stand: a key that is neither may be meant for
 * either.
 */
export function amongOptions(mistake: Mistake, type: unknown): Mistake {
  if (mistake.code !== "UnknownKey" || /[.[]/.test(mistake.path) || mistake.message !== notKnown) return mistake;
  const options = networkArguments.rules.map(({ path }) => path).filter((path) => !path.includes("."));
  return unknownKey(mistake.path, [...knownKeys(["networks", 0], type), ...options]);
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
