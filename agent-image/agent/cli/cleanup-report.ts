import { type Remaining, shellWord } from "../../../model/index.js";
import { type ExitCode, exitCode } from "./exit-code.js";

/** What a clean-up did, or with `dryRun` what it would do. Printed as it is by `--json`. */
export interface CleanupReport {
  readonly dryRun: boolean;
  /** Why nothing was done, or for a dry run why nothing would be; null when it was, or would be. */
  readonly refused: Refusal | null;
  /** Commands of iproute2 and nft, in order. Those that failed are in `errors`. */
  readonly commands: readonly string[];
  readonly files: readonly string[];
  readonly directories: readonly string[];
  /** What others have on interfaces of ours, which goes with them. */
  readonly goesAlong: readonly string[];
  readonly stays: readonly Remaining[];
  readonly errors: readonly string[];
}

export interface Refusal {
  /** A CamelCase word, stable for machines. */
  readonly reason: "NotPermitted" | "AgentRuns" | "LockUnusable" | "KernelUnreadable";
  readonly message: string;
}

export function refusedReport(dryRun: boolean, refused: Refusal): CleanupReport {
  return { dryRun, refused, commands: [], files: [], directories: [], goesAlong: [], stays: [], errors: [] };
}

/** What was asked for was not done. A dry run reads beside an agent that runs; only in earnest that is a refusal. */
export function isRefused({ dryRun, refused }: CleanupReport): boolean {
  return refused !== null && !(dryRun && refused.reason === "AgentRuns");
}

/** A dry run has done what it was asked for when it could read everything, whatever would happen in earnest. */
export function cleanupExitCode(report: CleanupReport): ExitCode {
  const { dryRun, stays, errors } = report;
  if (isRefused(report)) return exitCode.refused;
  if (dryRun) return exitCode.fine;
  return errors.length > 0 || stays.some(({ ours }) => ours) ? exitCode.failure : exitCode.fine;
}

/**
 * A shell script: the commands as they ran or would run, and as comments what goes along and what stays. A dry run's does the
 * same when it is run as root.
 */
export function cleanupText(report: CleanupReport): string {
  const { commands, files, directories, goesAlong, stays, dryRun } = report;
  const lines = [
    ...commands,
    ...files.map((path) => `rm ${shellWord(path)}`),
    ...directories.map((path) => `rmdir ${shellWord(path)}`),
  ];
  const nothing = lines.length === 0 && report.errors.length === 0 && !stays.some(({ ours }) => ours);
  return [
    ...(nothing ? [`# nothing of vlan-router ${dryRun ? "is" : "was"} on this node`] : lines),
    ...goesAlong.map((text) => `# goes along: ${text}`),
    ...stays.map(({ message }) => `# stays: ${message}`),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

/** For standard error. */
export function cleanupComplaints(report: CleanupReport): string {
  const { refused, errors } = report;
  const verdict = isRefused(report) ? "refused, nothing was changed" : "would be refused";
  const refusal = refused === null ? [] : [`${verdict}: ${refused.message}`];
  return [...refusal, ...errors].map((text) => `vlan-router cleanup: ${text}\n`).join("");
}
