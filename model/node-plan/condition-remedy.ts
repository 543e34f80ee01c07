import type { PlanCondition } from "./node-plan.js";

/** For reasons whose message says what is, and not what to do about it. */
const remedies: Readonly<Record<string, string>> = {
  AdoptedInterfaceLost:
    "the next pass uses what is there then, or makes an interface of its own; where this comes again, somebody keeps taking it away",
  MtuTooLarge: "raise the MTU of the interface below, or lower the configured one",
  NoVtepAddress:
    "give the node an address of vxlan.nodeNet on an interface that is up, or keep it out with nodeSelector",
  ParentDown: "set the parent interface up on the node; the network follows it",
  ParentMissing: "create the parent interface on the node, correct vlan.parent, or keep the node out with nodeSelector",
  StateNotKept:
    "make room on that file system or make it writable; until then a restart without the API server or file starts from an older configuration",
};

/** What an operator can do; undefined where the message itself ends with it. */
export function conditionRemedy({ reason }: Pick<PlanCondition, "reason">): string | undefined {
  return remedies[reason];
}
