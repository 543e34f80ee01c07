import type { MarkFact } from "../node-plan/node-facts.js";
import type { Mark } from "../node-plan/node-plan.js";
import type { Cni } from "./cni.js";

/**
 * Bits 4 to 13: outside kube-proxy (0x4000 and 0x8000: iptables.masqueradeBit, and its KUBE-MARK-DROP), Calico (0xffff0000:
 * Felix' iptablesMarkMask) and Tailscale (0xff0000: tailscale/tailscale wgengine/router and util/linuxfw). A VXLAN or VLAN id
 * does not fit; marks are therefore given out by the node itself.
 */
export const markMask = 0x3ff0;
/**
 * Bits 12 and 13: what Cilium leaves beside kube-proxy. It marks with 0x0f00, and with identities in 0xffff00ff
 * (cilium/cilium pkg/datapath/linux/linux_defaults/mark.go).
 */
export const ciliumMarkMask = 0x3000;
/** Bits 8 to 13: Antrea has 0xff (antrea-io/antrea pkg/agent/types/marks.go), and bits 30 and 31. */
const antreaMarkMask = 0x3f00;
/**
 * Bit 13 alone: of OVN-Kubernetes (ovn-kubernetes/ovn-kubernetes go-controller/pkg/node) services have 0x1745ec
 * (gateway_shared_intf.go), egress addresses 0x3f0 (controllers/egressip/egressip.go, 1008), and the n-th user-defined network
 * 0x1000 + n (gateway_udn.go).
 */
const ovnKubernetesMarkMask = 0x2000;

/** The bits of a packet's mark that are ours beside kube-proxy and this CNI. */
export function markMaskOf(cni: Cni | undefined): number {
  switch (cni) {
    case "cilium":
      return ciliumMarkMask;
    case "antrea":
      return antreaMarkMask;
    case "ovn-kubernetes":
      return ovnKubernetesMarkMask;
    default:
      return markMask;
  }
}

export interface MarkAssignment {
  readonly marks: ReadonlyMap<number, Mark>;
  /** Tables for which no mark was left. */
  readonly exhausted: readonly number[];
}

/** How many networks a mask can tell apart; the value 0 is every packet without a mark. */
export function markCapacity(mask: number): number {
  return 2 ** mask.toString(2).replaceAll("0", "").length - 1;
}

/**
 * One mark for each table. A table keeps the mark that the kernel's rules already hold, or replies of open connections
 * would lose their way in an upgrade; others get the lowest value that nobody holds, the marks of tables which are about
 * to go only when nothing else is left.
 */
export function assignMarks(
  tables: readonly number[],
  existing: readonly MarkFact[],
  mask: number = markMask,
): MarkAssignment {
  const wanted = new Set([...tables].sort((left, right) => left - right));
  const usable = existing
    .filter(({ mark }) => mark.mask === mask && mark.value !== 0 && (mark.value & ~mask) === 0)
    .sort((left, right) => left.table - right.table || left.mark.value - right.mark.value);
  const values = new Map<number, number>();
  const taken = new Set<number>();
  for (const { table, mark } of usable) {
    if (!wanted.has(table) || values.has(table) || taken.has(mark.value)) continue;
    values.set(table, mark.value);
    taken.add(mark.value);
  }
  const leaving = usable.map(({ mark }) => mark.value).filter((value) => !taken.has(value));
  const free = freeValues(mask, new Set([...taken, ...leaving]), new Set(leaving));
  const exhausted: number[] = [];
  for (const table of wanted) {
    if (values.has(table)) continue;
    const next = free.next();
    if (next.done === true) exhausted.push(table);
    else values.set(table, next.value);
  }
  return { marks: new Map([...values].map(([table, value]) => [table, { value, mask }])), exhausted };
}

/** Every value inside the mask in ascending order, those of leaving tables last. */
function* freeValues(mask: number, taken: ReadonlySet<number>, leaving: ReadonlySet<number>): Generator<number> {
  // (value - mask) & mask counts up through the subsets of the mask's bits.
  for (let value = (-mask & mask) >>> 0; value !== 0; value = ((value - mask) & mask) >>> 0)
    if (!taken.has(value)) yield value;
  yield* [...leaving].sort((left, right) => left - right);
}
