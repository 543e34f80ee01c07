import { routerName } from "../../model/index.js";

/** Why a network cannot be made in a cluster without the singleton, and what to do. */
export const missingRouter = `the cluster has no VlanRouter "${routerName}", so no node would carry the network; declare a VlanRouter component and pass it as "router"`;
