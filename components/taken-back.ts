/**
 * Fields that somebody edited are drift, which an update takes back. Without it Pulumi's Kubernetes provider ends with a
 * conflict between field managers, at preview already (pulumi/pulumi-kubernetes#2280).
 */
export const takenBack = { "pulumi.com/patchForce": "true" } as const;
