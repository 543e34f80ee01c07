import { type Prefix, parsePrefix } from "../address/prefix.js";
import type { ObservedRule } from "./observed-state.js";

/** Sources of which a rule takes all packets, or nearly all. */
export interface RuleReach {
  /** These alone; absent: any. */
  readonly from?: Prefix;
  /** All but these. */
  readonly except?: Prefix;
}

/** What the kernel gives as the interface of entry of packets that the node itself sends (LOOPBACK_IFINDEX, net/ipv4/route.c). */
const ownPackets = "lo";

/**
 * Undefined for a rule that takes no packet, or only a part that somebody wanted apart: exceptions of a CNI, marks of an overlay, one
 * program's ports or user. A part is also what comes in by another interface than `lo`, a bridge of pods too: never are all packets
 * from a public prefix among it, for the node itself answers some and pods of other interfaces others, and no rule tells
 * whether there are pods behind an interface.
 */
export function ruleReach(rule: ObservedRule): RuleReach | undefined {
  const { further } = rule;
  if (!rule.plain && (further === undefined || further.idle)) return undefined;
  // A default route is what our packets would take of that table, and it is the first to be passed over.
  if (further?.suppresses === true && rule.action.kind === "lookup") return undefined;
  const from = rule.from === undefined ? undefined : parsePrefix(rule.from);
  if (further?.inverted === true) return complement(rule, from);
  const { to, mark } = rule;
  const isPart = to !== undefined || mark !== undefined || further?.others === true;
  if (isPart || (further?.iif ?? ownPackets) !== ownPackets) return undefined;
  return from === undefined ? {} : { from };
}

/**
 * `not` is about all selectors together (fib_rule_match, net/core/fib_rules.c). What all but a mark, a port or an interface is, is
 * nearly everything; a source alone leaves out just that, and without a selector nothing is left.
 */
function complement({ to, mark, further }: ObservedRule, from: Prefix | undefined): RuleReach | undefined {
  if (to !== undefined || mark !== undefined || further?.others === true || further?.iif !== undefined) return {};
  return from === undefined ? undefined : { except: from };
}
