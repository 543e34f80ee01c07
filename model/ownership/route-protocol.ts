/**
 * Our number on every route and rule, so that ownership can be read from the kernel itself. 118 (0x76) is used by
 * nobody: 186 to 192 belong to BGP and FRR daemons, 248 to kube-vip, 17 to kube-router and GoBGP.
 */
export const routeProtocol = 118;
