import type { Operation } from "../diff/operation.js";
import type { PlanChange } from "../diff/plan-change.js";
import type { NodeFacts } from "../node-plan/node-facts.js";
import type { NodePlan } from "../node-plan/node-plan.js";
import { mtuRange } from "../numbers/limits.js";
import { routerId } from "../numbers/router-id.js";
import { mainTable } from "../numbers/routing-table.js";
import { renderMark } from "../render/render-mark.js";
import { routerIdVariable, vtepVariable } from "../render/symbolic.js";

/** Puts variables in the place of what an assumed node has made up. */
export interface MadeUpValues {
  readonly operation: (operation: Operation) => Operation;
  readonly message: (message: string) => string;
}

/** Of a node that was asked there is nothing to replace. */
export const noMadeUpValues: MadeUpValues = { operation: (operation) => operation, message: (message) => message };

/**
 * The variables are those of the model's configurationCommands, but that each mark has its table's number, because the node's
 * nft table holds the marks of all its networks. `$OLD_MARK_…` is that of a table which gets another one.
 */
export function madeUpValues(
  { before, after }: Pick<PlanChange, "before" | "after">,
  facts: Pick<NodeFacts, "addresses">,
): MadeUpValues {
  const addresses = facts.addresses.map(({ address }) => [address, vtepVariable] as const);
  const routerIds = facts.addresses.flatMap(({ address, family }) =>
    family === 6 ? [[routerId({}, address), routerIdVariable] as const] : [],
  );
  const links = [...before.networks, ...after.networks].map(({ link }) => link);
  const macs = links.flatMap((link) => ("mac" in link ? [[link.mac, "$MAC"] as const] : []));
  const newMarks = markTables(after);
  const newVariables = new Map([...newMarks].map(([mark, table]) => [mark, `$MARK_${table}`]));
  const remarked = new Set(newMarks.values());
  const oldVariables = new Map(
    [...markTables(before)].map(([mark, table]) => {
      const variable = `${remarked.has(table) ? "$OLD_MARK" : "$MARK"}_${table}`;
      // A table that takes a prefix over has the mark of the one that had it (routing.replaces).
      return [mark, newVariables.get(mark) ?? variable];
    }),
  );
  const inText = replaceAll(new Map<string, string>([...addresses, ...routerIds, ...macs]));
  return {
    operation: (operation) => {
      if (operation.kind === "sysctl") return operation;
      if (operation.kind === "filter") {
        const { ruleset } = operation;
        return ruleset === undefined ? operation : { ...operation, ruleset: inRuleset(ruleset, newVariables) };
      }
      const marks = operation.command.includes(" rule del ") ? oldVariables : newVariables;
      return { ...operation, command: inSelector(inMtu(inText(operation.command), " mtu "), marks) };
    },
    message: (message) => inText(inMtu(message.replace(addressChange, "another $1 address"), " from ")),
  };
}

/** Both addresses would be called `$VTEP`. */
const addressChange = /(VTEP|source) address \S+ becomes [^\s)]+/;

/** By mark as `VALUE/MASK`; no two tables of a node have the same. */
function markTables({ networks }: NodePlan): ReadonlyMap<string, number> {
  return new Map(
    networks
      .flatMap(({ rules }) => rules)
      .flatMap(({ mark, action }): readonly (readonly [string, number])[] =>
        mark === undefined || action.kind !== "lookup" || action.table === mainTable
          ? []
          : [[renderMark(mark), action.table]],
      ),
  );
}

/** In `fwmark VALUE/MASK` of ip. */
function inSelector(command: string, variables: ReadonlyMap<string, string>): string {
  return command.replace(/(?<= fwmark )\S+/, (mark) => {
    const variable = variables.get(mark);
    return variable === undefined ? mark : mark.replace(/^[^/]+/, () => variable);
  });
}

/** In `meta mark set meta mark and ~MASK or VALUE` of nft; all of a ruleset have one mask. */
function inRuleset(ruleset: string, variables: ReadonlyMap<string, string>): string {
  const byValue = new Map([...variables].map(([mark, variable]) => [mark.split("/")[0], variable]));
  return ruleset.replace(/(?<= or )0x[0-9a-f]+$/gm, (value) => byValue.get(value) ?? value);
}

/** Only an assumed node has an MTU above what may be configured. */
function inMtu(text: string, word: " mtu " | " from "): string {
  return text.replace(new RegExp(`(?<=${word})\\d+`), (value) => (Number(value) > mtuRange.maximum ? "$MTU" : value));
}

/** Whole words, so that 10.0.7.25 is not found in 10.0.7.254. A number may follow an IPv4 address behind a colon (RD). */
function replaceAll(variables: ReadonlyMap<string, string>): (text: string) => string {
  if (variables.size === 0) return (text) => text;
  const words = [...variables.keys()].map((word) => word.replaceAll(".", "\\.") + (word.includes(":") ? "(?!:)" : ""));
  const pattern = new RegExp(`(?<![\\w.:])(?:${words.join("|")})(?![\\w./])`, "g");
  return (text) => text.replace(pattern, (word) => variables.get(word) ?? word);
}
