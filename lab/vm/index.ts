export { runInVm, type VmCommand, type VmResult } from "./run-in-vm.js";
export { ensureVm, type VirtualMachine } from "./virtual-machine.js";
