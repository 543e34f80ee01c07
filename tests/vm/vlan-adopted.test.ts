import { itInVm } from "./guest-tests.js";

itInVm("VLAN interfaces that were there before", "vlan-adopted", 6);
