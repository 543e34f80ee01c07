import type { Problem } from "./mistake.js";

/**
 * Syntax of a node's labels (https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/). What no node can
 * carry selects no node, without a word. Written so that RE2, which the API server has, reads the same.
 */
const name = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";
const dnsLabel = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";
export const labelKeyPattern = `^(${dnsLabel}([.]${dnsLabel})*/)?${name}$`;
export const labelValuePattern = `^(${name})?$`;

export const labelValueLength = 63;
/** A DNS name (RFC 1123), a slash and a name. */
const prefixLength = 253;
export const labelKeyLength = prefixLength + 1 + labelValueLength;

const labelKey = new RegExp(labelKeyPattern);
const labelValue = new RegExp(labelValuePattern);

export function labelKeyProblem(key: string): Problem | undefined {
  if (key.length <= labelKeyLength && key.indexOf("/") <= prefixLength && labelKey.test(key)) return undefined;
  return {
    code: "InvalidLabelKey",
    message: "belongs to a key that no node label can have",
    remedy: "write the label's key as kubectl get nodes --show-labels does, such as topology.kubernetes.io/zone",
  };
}

export function labelValueProblem(value: string): Problem | undefined {
  if (labelValue.test(value)) return undefined;
  return {
    code: "InvalidLabelValue",
    message: "is a value that no node label can have",
    remedy: `write at most ${labelValueLength} letters, digits, hyphens, underscores and dots, the first and last a letter or digit`,
  };
}
