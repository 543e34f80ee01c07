/** Where an agent keeps what it must know again after a restart; on the node, so that it outlives the pod. */
export const agentStateDirectory = "/var/lib/vlan-router";
/** Where an agent in a cluster finds the keys of the Secret with the passwords of BGP sessions, a file each. */
export const passwordDirectory = "/etc/vlan-router/bgp-passwords";
/** Where an agent says what it does; gone with the pod. */
export const agentRuntimeDirectory = "/run/vlan-router";
