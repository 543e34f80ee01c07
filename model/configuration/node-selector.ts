/** The label that names one node (kubernetes.io/hostname is unique by convention of the kubelet). */
export const hostnameLabel = "kubernetes.io/hostname";

/** Whether a `nodeSelector` picks a node with these labels; a network without selector is for every node. */
export function selects(
  selector: Readonly<Record<string, string>> | undefined,
  labels: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(selector ?? {}).every(([key, value]) => labels[key] === value);
}

/** Whether a node can have the labels of both selectors. */
export function canMeet(
  one: Readonly<Record<string, string>> | undefined,
  other: Readonly<Record<string, string>> | undefined,
): boolean {
  return Object.entries(one ?? {}).every(([key, value]) => other?.[key] === undefined || other[key] === value);
}
