import { itInVm } from "./guest-tests.js";

itInVm("VLAN interfaces that somebody changes", "vlan-changes", 6);
