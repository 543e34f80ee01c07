import * as pulumi from "@pulumi/pulumi";
import type { Problem } from "../model/configuration/mistake.js";
import { hasForm, textForms } from "../model/configuration/text-forms.js";

/** What one argument must look like, and what is said where it does not. */
export interface ArgumentForm extends Problem {
  readonly accepts: (value: unknown) => boolean;
  /** May hold credentials: its value stands in no error. */
  readonly hidden?: true;
}

/** Where the rest of an argument is judged elsewhere. */
export const anything: ArgumentForm = {
  code: "WrongType",
  accepts: () => true,
  message: "is missing",
  remedy: "write it",
};

const pullPolicies: readonly unknown[] = ["Always", "IfNotPresent", "Never"];

const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string";
const isWord = (value: unknown) => typeof value === "string" && /^\S+$/.test(value);
const isTruthValue = (value: unknown) => typeof value === "boolean";
const isCount = (value: unknown) => typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

export const object: ArgumentForm = {
  code: "WrongType",
  accepts: isObject,
  message: "is not an object",
  remedy: "write { … }",
};

export const clusterAccess: ArgumentForm = {
  code: "WrongType",
  accepts: isObject,
  // A kubeconfig in the wrong place is a secret all the same.
  hidden: true,
  message: "is not an object",
  remedy: "write { kubeconfig: … }, with its content or its path",
};

export const imageReference: ArgumentForm = {
  code: "WrongType",
  accepts: isWord,
  message: "is not the reference of an image",
  remedy: "write the agent's image, such as registry.example.com/vlan-router-agent:0.1.0",
};

export const pullPolicy: ArgumentForm = {
  code: "NotOneOf",
  accepts: (value) => pullPolicies.includes(value),
  message: "is not a pull policy of Kubernetes",
  remedy: "write Always, IfNotPresent or Never",
};

/** A DNS subdomain (RFC 1123), as Kubernetes takes it. */
export const objectName: ArgumentForm = {
  code: "InvalidName",
  accepts: (value) => isText(value) && hasForm(textForms.objectName, value),
  message: "is not the name of an object in Kubernetes",
  remedy: "write at most 253 lower-case letters, digits, inner hyphens and dots",
};

export const namespaceName: ArgumentForm = {
  code: "InvalidName",
  accepts: (value) => isText(value) && hasForm(textForms.networkName, value),
  message: "is not the name of a namespace in Kubernetes",
  remedy: "write at most 63 lower-case letters, digits and inner hyphens",
};

/** Its items are judged one by one. */
export const list: ArgumentForm = {
  code: "WrongType",
  accepts: Array.isArray,
  message: "is not a list",
  remedy: "write it in brackets, also a single one",
};

export const kubeconfig: ArgumentForm = {
  code: "WrongType",
  accepts: (value) => typeof value === "string" && value.trim() !== "",
  hidden: true,
  message: "is empty or not text",
  remedy: "write the content of a kubeconfig file or its path, or leave the key out to use KUBECONFIG",
};

export const contextName: ArgumentForm = {
  code: "WrongType",
  accepts: (value) => typeof value === "string" && value.trim() !== "",
  message: "is not the name of a context",
  remedy: "write a context of the kubeconfig, or leave the key out to use its current one",
};

export const truthValue: ArgumentForm = {
  code: "WrongType",
  accepts: isTruthValue,
  message: "is neither true nor false",
  remedy: "write true or false, without quotes",
};

/** A wait of no time, or of no number, would end before it has begun. */
export const seconds: ArgumentForm = {
  code: "OutOfRange",
  accepts: (value) => typeof value === "number" && Number.isFinite(value) && value > 0,
  message: "is not a time in seconds",
  remedy: "write a number above 0, without quotes",
};

export const tolerance: ArgumentForm = {
  code: "OutOfRange",
  accepts: (value) => isTruthValue(value) || isCount(value),
  message: "is no number of nodes",
  remedy: "write a whole number from 0 on, true for any number of nodes, or false for none",
};

export const pool: ArgumentForm = {
  code: "WrongType",
  accepts: (value) => isTruthValue(value) || isObject(value),
  message: "is not an address pool",
  remedy: "write true, false, or what differs from the defaults as { … }",
};

export const pools: ArgumentForm = {
  code: "WrongType",
  accepts: (value) => isTruthValue(value) || isObject(value),
  message: "says nothing of the networks' pools",
  remedy: "write true for all networks, false for none, or { NETWORK: true }",
};

/** By what it offers, not by its class: a program may have two copies of this package. */
export const router: ArgumentForm = {
  code: "WrongType",
  accepts: (value) => pulumi.Resource.isInstance(value) && "rollout" in value && "admit" in value,
  // It holds the cluster's credentials.
  hidden: true,
  message: "is not a VlanRouter",
  remedy: "give the component itself; of what VlanRouter.fromConfig returns, that is .router",
};

export const yamlText: ArgumentForm = {
  code: "WrongType",
  accepts: isText,
  // A whole configuration.
  hidden: true,
  message: "is not text",
  remedy: "give the text of the configuration file; its content as an object is a value",
};

/** `readFileSync` takes more: a number is an open file, which may never end. */
export const filePath: ArgumentForm = {
  code: "WrongType",
  accepts: (value) => isText(value) && value !== "",
  message: "is not the path of a file",
  remedy: 'write it as text, such as path.join(__dirname, "vlan-router.yaml"); that of a URL is fileURLToPath(url)',
};

/** What is said of it by who reads the configuration. */
export const podNetworks: ArgumentForm = { ...anything, remedy: "write them plain, such as [10.244.0.0/16]" };
export const cni: ArgumentForm = { ...anything, remedy: "write it plain, such as cilium" };

export const partOfConfiguration: ArgumentForm = {
  code: "UnknownKey",
  accepts: () => false,
  message: "stands beside the configuration, which says it",
  remedy: "remove it here and write it in the configuration",
};
