import { itInVm } from "./guest-tests.js";

// Three plans and five changes.
itInVm("the rendered commands of VLAN plans and of their changes", "plan-render", 8);
