import { itInVm } from "./guest-tests.js";

itInVm("VLAN interfaces on every kind of parent", "vlan-forms", 9);
