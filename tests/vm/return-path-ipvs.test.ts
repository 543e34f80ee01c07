import { itInVm } from "./guest-tests.js";

// Seven settings, each with three services, six clients and what is told.
itInVm("the return path of IPVS", "return-path-ipvs", 133);
