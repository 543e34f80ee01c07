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

/** Commands of one program and family, which one process of iproute2 executes. */
interface Run {
  readonly program: "ip" | "bridge";
  readonly family: Family | undefined;
  readonly commands: readonly string[];
}

type Step = Run | Exclude<Operation, { readonly kind: "ip" | "bridge" }>;

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
  const [applied] = await applyGroups(commands, sysctlRoot, [operations], onError);
  return applied ?? { done: [], errors: [] };
}

/**
 * Executes several lists, each in its order. They do not wait for one another, so what is alike in them shares a process: with one
 * for each network, 500 networks took 40 s from nothing instead of 2 s (docs/benchmarks.md). With `stop` only the list that
 * failed ends.
 */
export async function applyGroups(
  commands: CommandRunner,
  sysctlRoot: string,
  groups: readonly (readonly Operation[])[],
  onError: OnError,
): Promise<readonly Applied[]> {
  const results = groups.map((operations) => new GroupResult(steps(operations), onError));
  const layers = Math.max(0, ...results.map(({ steps }) => steps.length));
  for (let layer = 0; layer < layers; layer++) {
    await applyLayer(commands, sysctlRoot, layer, results, onError);
  }
  return results.map(({ done, errors }) => ({ done, errors }));
}

/** A list, and what came of it so far. */
class GroupResult {
  readonly steps: readonly Step[];
  readonly done: string[] = [];
  readonly errors: string[] = [];
  private readonly onError: OnError;

  constructor(steps: readonly Step[], onError: OnError) {
    this.steps = steps;
    this.onError = onError;
  }

  /** Undefined when the list has no such step, or has ended. */
  step(layer: number): Step | undefined {
    return this.onError === "stop" && this.errors.length > 0 ? undefined : this.steps[layer];
  }

  add({ done, errors }: Applied): void {
    for (const text of done) this.done.push(text);
    for (const text of errors) this.errors.push(text);
  }
}

/** Neighbouring commands of one program and family share a process. */
function steps(operations: readonly Operation[]): readonly Step[] {
  const result: Step[] = [];
  let last: { readonly key: string; readonly commands: string[] } | undefined;
  for (const operation of operations) {
    if (operation.kind === "sysctl" || operation.kind === "filter" || operation.kind === "ethtool") {
      result.push(operation);
      last = undefined;
      continue;
    }
    const family = familyOption(operation.command);
    const key = runKey(operation.kind, family);
    if (last?.key === key) last.commands.push(operation.command);
    else {
      const commands = [operation.command];
      result.push({ program: operation.kind, family, commands });
      last = { key, commands };
    }
  }
  return result;
}

function runKey(program: Run["program"], family: Family | undefined): string {
  return `${program} ${family ?? ""}`;
}

interface Part {
  readonly group: GroupResult;
  readonly run: Run;
}

async function applyLayer(
  commands: CommandRunner,
  sysctlRoot: string,
  layer: number,
  groups: readonly GroupResult[],
  onError: OnError,
): Promise<void> {
  const parts: Part[] = [];
  for (const group of groups) {
    const step = group.step(layer);
    if (step === undefined) continue;
    if ("program" in step) parts.push({ group, run: step });
    else group.add(await attempt(() => applySingle(commands, sysctlRoot, step)));
  }
  for (const alike of Map.groupBy(parts, ({ run }) => runKey(run.program, run.family)).values()) {
    await runParts(commands, alike, onError);
  }
}

async function applySingle(commands: CommandRunner, sysctlRoot: string, step: Exclude<Step, Run>): Promise<Applied> {
  if (step.kind === "sysctl") writeSysctl(sysctlRoot, step.sysctl.name, step.sysctl.value);
  else if (step.kind === "ethtool") await commands.run(step.command.split(" "));
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

/** Parts of several lists in one process. With `stop` it ends at the first failure, and another one does what comes after that list. */
async function runParts(commands: CommandRunner, parts: readonly Part[], onError: OnError): Promise<void> {
  let left = parts;
  while (left.length > 0) {
    const failed = await runBatch(commands, left, onError);
    left = failed === undefined ? [] : left.slice(failed + 1);
  }
}

/** Tells the lists what came of their commands. Returns the index of the part at which the process stopped. */
async function runBatch(
  commands: CommandRunner,
  parts: readonly Part[],
  onError: OnError,
): Promise<number | undefined> {
  const failures = await failuresOf(commands, parts, onError);
  if (typeof failures === "string") {
    for (const { group } of parts) group.add({ done: [], errors: [failures] });
    return undefined;
  }
  let line = 0;
  for (const [index, { group, run }] of parts.entries()) {
    for (const command of run.commands) {
      line += 1;
      const why = failures.get(line);
      group.add(why === undefined ? { done: [command], errors: [] } : { done: [], errors: [`${command}: ${why}`] });
      if (why !== undefined && onError === "stop") return index;
    }
  }
  return undefined;
}

/** By line, counted from 1; or one text when the process failed as a whole. */
async function failuresOf(
  commands: CommandRunner,
  parts: readonly Part[],
  onError: OnError,
): Promise<ReadonlyMap<number, string> | string> {
  const [first] = parts;
  if (first === undefined) return new Map();
  const { program, family } = first.run;
  const argv = [
    program,
    ...(family === undefined ? [] : [`-${family}`]),
    ...(onError === "continue" ? ["-force"] : []),
    "-batch",
    "-",
  ];
  const lines = parts.flatMap(({ run }) => run.commands.map((command) => `${batchLine(command)}\n`));
  try {
    await commands.run(argv, lines.join(""));
    return new Map();
  } catch (error) {
    const failures = error instanceof CommandFailure ? parseBatchFailures(error.stderr) : undefined;
    return failures === undefined || failures.size === 0 ? messageOf(error) : failures;
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
    return { done: [], errors: [messageOf(error)] };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
