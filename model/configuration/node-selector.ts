/** Whether a `nodeSelector` picks a node with these labels; a network without selector is for every node. */
export function selects(
  selector: Readonly<Record<string, string>> | undefined,
  labels: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(selector ?? {}).every(([key, value]) => labels[key] === value);
}
