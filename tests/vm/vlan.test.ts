import { itInVm } from "./guest-tests.js";

itInVm("VLAN networks", "vlan", 7);
