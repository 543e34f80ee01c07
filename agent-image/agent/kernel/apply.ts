import { type Family, nftFamily, nftTableName, type Operation, operationText, sealOf } from "../../../model/index.js";
import { CommandFailure, type CommandRunner } from "./command-runner.js";
import { observeFilter } from "./observe.js";
import { writeSysctl } from "./sysctl.js";

export interface Applied {
  /** What was done, as text. */
  readonly done: readonly string[];
  /** What failed: the operation, why. */
  readonly errors: readonly string[];
}

/** Part of a batch: what one process of iproute2 executes. */
interface Run {
  readonly program: "ip" | "bridge";
  readonly family?: Family;
  readonly commands: readonly string[];
}

/** After an error the rest is left out (`stop`), or tried all the same (`continue`): for operations that stand alone. */
export type OnError = "stop" | "continue";

/**
 * Executes operations in their order, as few processes as possible. Failures are results, not exceptions: another network's
 * operations must still run.
 */
export async function apply(
  commands: CommandRunner,
  sysctlRoot: string,
  operations: readonly Operation[],
  onError: OnError,
): Promise<Applied> {
  const done: string[] = [];
  const errors: string[] = [];
  for (const step of steps(operations)) {
    const result = await attempt(() => applyStep(commands, sysctlRoot, step, onError));
    done.push(...result.done);
    errors.push(...result.errors);
    if (errors.length > 0 && onError === "stop") break;
  }
  return { done, errors };
}

type Step = Run | Exclude<Operation, { readonly kind: "ip" | "bridge" }>;

/** Neighbouring commands of one program and family share a process. */
function steps(operations: readonly Operation[]): readonly Step[] {
  const result: Step[] = [];
  for (const operation of operations) {
    if (operation.kind === "sysctl" || operation.kind === "filter") {
      result.push(operation);
      continue;
    }
    const family = familyOption(operation.command);
    const last = result.at(-1);
    if (last !== undefined && "program" in last && last.program === operation.kind && last.family === family) {
      result[result.length - 1] = { ...last, commands: [...last.commands, operation.command] };
    } else {
      result.push({
        program: operation.kind,
        ...(family === undefined ? {} : { family }),
        commands: [operation.command],
      });
    }
  }
  return result;
}

async function applyStep(commands: CommandRunner, sysctlRoot: string, step: Step, onError: OnError): Promise<Applied> {
  if ("program" in step) return runBatch(commands, step, onError);
  if (step.kind === "sysctl") await writeSysctl(sysctlRoot, step.sysctl.name, step.sysctl.value);
  else if (step.ruleset === undefined) await commands.run(["nft", "delete", "table", nftFamily, nftTableName]);
  else await loadFilter(commands, step.ruleset);
  return { done: [operationText(step)], errors: [] };
}

/** Loads in one transaction; the seal comes after it, see `sealOf`. */
async function loadFilter(commands: CommandRunner, ruleset: string): Promise<void> {
  await commands.run(["nft", "-f", "-"], ruleset);
  const filter = await observeFilter(commands);
  if (filter === undefined) throw new Error(`table ${nftFamily} ${nftTableName} is not there after nft -f`);
  const seal = sealOf(ruleset, filter.listing);
  await commands.run(["nft", "add", "chain", nftFamily, nftTableName, seal]);
}

async function runBatch(commands: CommandRunner, run: Run, onError: OnError): Promise<Applied> {
  const argv = [
    run.program,
    ...(run.family === undefined ? [] : [`-${run.family}`]),
    ...(onError === "continue" ? ["-force"] : []),
    "-batch",
    "-",
  ];
  try {
    await commands.run(argv, run.commands.map((command) => `${batchLine(command)}\n`).join(""));
    return { done: run.commands, errors: [] };
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const failures = parseBatchFailures(error.stderr);
    if (failures.size === 0) throw error;
    const [first = 0] = failures.keys();
    const tried = onError === "continue" ? run.commands : run.commands.slice(0, first);
    return {
      done: tried.filter((_, index) => !failures.has(index + 1)),
      errors: [...failures].map(([line, why]) => `${run.commands[line - 1]}: ${why}`),
    };
  }
}

/**
 * Lines of a batch that failed, counted from 1, with the reason. iproute2 prints what went wrong and then
 * `Command failed FILE:LINE`.
 */
export function parseBatchFailures(stderr: string): ReadonlyMap<number, string> {
  const failures = new Map<number, string>();
  let reason: string[] = [];
  for (const line of stderr.split("\n")) {
    const failed = /^Command failed \S+:(\d+)$/.exec(line)?.[1];
    if (failed === undefined) reason.push(line.trim());
    else {
      failures.set(Number(failed), reason.filter((text) => text !== "").join(" "));
      reason = [];
    }
  }
  return failures;
}

/** `ip -6 rule add …` is the line `rule add …` of a batch for family 6. */
function batchLine(command: string): string {
  return command.replace(/^(?:ip|bridge) (?:-[46] )?/, "");
}

function familyOption(command: string): Family | undefined {
  const option = /^ip -([46]) /.exec(command)?.[1];
  return option === undefined ? undefined : option === "4" ? 4 : 6;
}

async function attempt(work: () => Promise<Applied>): Promise<Applied> {
  try {
    return await work();
  } catch (error) {
    return { done: [], errors: [error instanceof Error ? error.message : String(error)] };
  }
}
