/** Owner of the fields that we apply, in `metadata.managedFields`. */
export const fieldManager = "pulumi-vlan-router";
