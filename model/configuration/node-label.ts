import type { Problem } from "./mistake.js";
import { hasForm, labelPrefixLength, textForms } from "./text-forms.js";

/**
 * Syntax of a node's labels (https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/): what no node can
 * carry would select no node, without a word.
 */
export function labelKeyProblem(key: string): Problem | undefined {
  if (hasForm(textForms.labelKey, key) && key.indexOf("/") <= labelPrefixLength) return undefined;
  return {
    code: "InvalidLabelKey",
    message: "belongs to a key that no node label can have",
    remedy: "write the label's key as kubectl get nodes --show-labels does, such as topology.kubernetes.io/zone",
  };
}

export function labelValueProblem(value: string): Problem | undefined {
  if (hasForm(textForms.labelValue, value)) return undefined;
  return {
    code: "InvalidLabelValue",
    message: "is a value that no node label can have",
    remedy:
      `write at most ${textForms.labelValue.maxLength} letters, digits, hyphens, underscores and dots, ` +
      "the first and last a letter or digit",
  };
}
