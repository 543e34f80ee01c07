/** Recommended labels (kubernetes.io/docs, "Recommended Labels"). */
export const objectLabels = {
  "app.kubernetes.io/name": "vlan-router",
  "app.kubernetes.io/component": "agent",
  "app.kubernetes.io/managed-by": "pulumi",
} as const;

/** The DaemonSet's selector: immutable, so it holds nothing that may ever change. */
export const selectorLabels = { "app.kubernetes.io/name": "vlan-router" } as const;
