import type { SysctlPlan } from "../node-plan/node-plan.js";

export function renderSysctl(sysctl: SysctlPlan): string {
  return `sysctl -w ${sysctl.name}=${sysctl.value}`;
}
