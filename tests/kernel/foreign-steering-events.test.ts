import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { waitFor } from "../../lab/processes/index.js";
import type { PlanCondition } from "../../model/index.js";
import { FollowedNode } from "./followed-node.js";
import { monotonicTime } from "./remote-reconciler.js";

/** Milliseconds. The agent's heartbeat comes after 30 s and the follower here has none, so that only the event can be the cause. */
const noticeLimit = 5_000;

/** `before`: where a rule without a priority comes to stand, just before our first. The networks inside are all IPv4. */
const families = [
  { family: 4, prefix: "203.0.113.0/24", before: 2999, source: 4016 },
  { family: 6, prefix: "2001:db8:228::/64", before: 3899, source: 4128 },
] as const;

interface Steering {
  readonly what: string;
  /** Command lines of `ip -FAMILY`, in this order. */
  readonly set: readonly string[];
  readonly undo: readonly string[];
  readonly condition: PlanCondition;
}

function steerings({ family, prefix, before: place, source }: (typeof families)[number]): readonly Steering[] {
  const taken = (rule: string): PlanCondition => ({
    reason: "ForeignRule",
    message:
      `another program's rule (protocol 0) at priority ${place} ${rule} takes packets from ${prefix} before ours at ` +
      `${source}; remove it or move it behind 4257`,
  });
  const toTunnel = "route add default dev vpn0 table 51820";
  const offTunnel = "route del default dev vpn0 table 51820";
  const past = "rule add table main suppress_prefixlength 0";
  return [
    {
      what: "all that is not marked, to a VPN: its default route comes behind the rule, as wg-quick sets them",
      set: ["rule add not fwmark 51820 table 51820", past, toTunnel],
      undo: ["rule del not fwmark 51820 table 51820", "rule del table main suppress_prefixlength 0"],
      condition: taken("not from all fwmark 0xca6c lookup 51820"),
    },
    {
      what: "all that the node sends, to a table whose default route goes again",
      set: [toTunnel, "rule add iif lo table 51820"],
      undo: [offTunnel],
      condition: taken("from all iif lo lookup 51820"),
    },
    {
      what: "the main table's rule, which goes and comes back",
      set: ["rule del priority 32766"],
      undo: ["rule add priority 32766 lookup main"],
      condition: {
        reason: "MainTableNotLookedUp",
        message:
          `no IPv${family} rule looks up the main table for all packets: requests find no way to pods and other nodes; ` +
          `bring it back with: ip -${family} rule add priority 32766 lookup main`,
      },
    },
  ];
}

/** An empty table 51820 for the next case, whatever the last one left. */
const forget = (family: number): string =>
  `ip -${family} route flush table 51820 2>/dev/null; ip -${family} rule del iif lo table 51820 2>/dev/null; true`;

for (const each of families) {
  describe(`what leads IPv${each.family} packets past our rules is told when it comes, and no longer when it goes`, () => {
    let followed: FollowedNode;

    before(async () => {
      followed = await FollowedNode.start([
        "link add vpn0 type veth peer name vpn1",
        "link set vpn0 up",
        "link set vpn1 up",
      ]);
    });
    after(() => followed?.end());

    /** The conflicts of the newest comparison since the commands. */
    async function becomes(commands: readonly string[], expected: readonly PlanCondition[]): Promise<void> {
      const start = monotonicTime();
      for (const command of commands) await followed.shell(`ip -${each.family} ${command}`);
      const told = async (): Promise<readonly PlanCondition[] | undefined> => {
        const last = (await followed.reconciler.passes()).at(-1);
        return last !== undefined && last.at > start ? last.conflicts : undefined;
      };
      await waitFor("the conditions", async () => JSON.stringify(await told()) === JSON.stringify(expected), {
        timeout: noticeLimit,
      }).catch(async (error: Error) => assert.deepEqual(await told(), expected, error.message));
      console.log(`${commands.join("; ")}: told after ${(monotonicTime() - start).toFixed(0)} ms`);
    }

    for (const { what, set, undo, condition } of steerings(each)) {
      it(what, async () => {
        await becomes(set, [condition]);
        await becomes(undo, []);
        await followed.shell(forget(each.family));
      });
    }
  });
}
