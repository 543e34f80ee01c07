import {
  type Configuration,
  type NodeFacts,
  type ParseResult,
  parseConfigurationFile,
  parseNodeFacts,
} from "../../model/index.js";
import { type ExitCode, exitCode } from "../exit-code.js";
import { type InputMistake, mistakeLine } from "./input-mistake.js";
import { configuredNetworks, plannedNetworks } from "./network-report.js";
import { type PlanReport, planDocument } from "./plan-report.js";
import { planText } from "./plan-text.js";
import { readInput } from "./read-input.js";

export interface PlanOptions {
  /** File name, or `-` for standard input; so is the next. */
  readonly config: string;
  readonly node?: string;
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
    if (report.errors.length === 0) process.stdout.write(planText(report));
  }
  return report.errors.length === 0 ? exitCode.fine : exitCode.mistakes;
}

async function makeReport({ config, node }: PlanOptions): Promise<PlanReport> {
  if (config === "-" && node === "-") return { errors: [readTwice], warnings: [], networks: [] };
  const wanted = await parseInput(config, parseConfigurationFile);
  const facts = node === undefined ? undefined : await parseInput(node, parseNodeFacts);
  const inputs = [wanted, facts].filter((input) => input !== undefined);
  const errors = inputs.flatMap((input) => input.errors);
  const warnings = inputs.flatMap((input) => input.warnings);
  if (errors.length > 0 || wanted.value === undefined) return { errors, warnings, networks: [] };
  return { errors, warnings, ...reportOf(wanted.value, facts?.value) };
}

const readTwice: InputMistake = {
  code: "ReadTwice",
  file: "-",
  path: "",
  value: undefined,
  message: "is named for both inputs",
  remedy: "standard input can be read once; write the other to a file",
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

function reportOf(configuration: Configuration, facts: NodeFacts | undefined): Pick<PlanReport, "node" | "networks"> {
  return facts === undefined
    ? { networks: configuredNetworks(configuration) }
    : { node: facts.nodeName, networks: plannedNetworks(configuration, facts) };
}
