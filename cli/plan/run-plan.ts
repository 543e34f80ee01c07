import { resolve } from "node:path";
import { type ParseResult, parseConfigurationFile, parseNodeFacts } from "../../model/index.js";
import { type ExitCode, exitCode } from "../exit-code.js";
import { type InputMistake, mistakeLine } from "./input-mistake.js";
import { planDocument } from "./plan-document.js";
import { type PlanReport, reportOf } from "./plan-report.js";
import { planText } from "./plan-text.js";
import { readInput } from "./read-input.js";

export interface PlanOptions {
  /** File name, or `-` for standard input; so are the next two. */
  readonly config: string;
  readonly node?: string;
  readonly from?: string;
  readonly json: boolean;
}

/** Reads the files, prints the report, and returns the exit code. */
export async function runPlan(options: PlanOptions): Promise<ExitCode> {
  const report = await makeReport(options);
  if (options.json) {
    process.stdout.write(`${JSON.stringify(planDocument(report, options.config), undefined, 2)}\n`);
  } else {
    const lines = [
      ...report.errors.map(mistakeLine),
      ...report.warnings.map((warning) => `warning: ${mistakeLine(warning)}`),
    ];
    process.stderr.write(lines.map((line) => `${line}\n`).join(""));
    if (report.errors.length === 0) process.stdout.write(planText(report, options.config));
  }
  return report.errors.length === 0 ? exitCode.fine : exitCode.mistakes;
}

async function makeReport({ config, node, from }: PlanOptions): Promise<PlanReport> {
  const fromStandardInput = [config, node, from].filter((file) => file === "-");
  if (fromStandardInput.length > 1) return { errors: [readTwice], warnings: [], networks: [] };
  const wanted = await parseInput(config, parseConfigurationFile);
  const facts = await parseOptional(node, parseNodeFacts);
  const old = await parseOptional(from, parseConfigurationFile);
  // A file that is both has the same mistakes twice.
  const isSameFile = from !== undefined && resolve(from) === resolve(config);
  const errors = [wanted, facts, isSameFile ? undefined : old].flatMap((input) => input?.errors ?? []);
  // What the old configuration is warned of was so before, and is told of the new one where it stays.
  const warnings = [wanted, facts].flatMap((input) => input?.warnings ?? []);
  if (errors.length > 0 || wanted.value === undefined) return { errors, warnings, networks: [] };
  const before = from === undefined || old?.value === undefined ? undefined : { file: from, configuration: old.value };
  return { errors, warnings, ...reportOf(wanted.value, facts?.value, before) };
}

const readTwice: InputMistake = {
  code: "ReadTwice",
  file: "-",
  path: "",
  value: undefined,
  message: "is named for more than one input",
  remedy: "standard input can be read once; write the others to files",
};

/** What came of one file. */
interface ParsedInput<Value> {
  /** Undefined when there are errors. */
  readonly value: Value | undefined;
  readonly errors: readonly InputMistake[];
  readonly warnings: readonly InputMistake[];
}

async function parseInput<Value>(
  file: string,
  parse: (text: string) => ParseResult<Value>,
): Promise<ParsedInput<Value>> {
  const input = await readInput(file);
  if (input.kind === "mistake") return { value: undefined, errors: [input.mistake], warnings: [] };
  const result = parse(input.text);
  const warnings = result.warnings.map((warning) => ({ ...warning, file }));
  return result.ok
    ? { value: result.value, errors: [], warnings }
    : { value: undefined, errors: result.mistakes.map((mistake) => ({ ...mistake, file })), warnings };
}

async function parseOptional<Value>(
  file: string | undefined,
  parse: (text: string) => ParseResult<Value>,
): Promise<ParsedInput<Value> | undefined> {
  return file === undefined ? undefined : parseInput(file, parse);
}
