import { planDocument } from "../../../cli/plan/plan-document.js";
import { type PlanReport, reportOf } from "../../../cli/plan/plan-report.js";
import { planText } from "../../../cli/plan/plan-text.js";
import type { NodeFacts } from "../../../model/index.js";
import { configurationOf } from "../model/samples.js";

type Json = Readonly<Record<string, unknown>>;

export interface Inputs {
  readonly facts?: NodeFacts;
  /** The old configuration; its file is old.yaml, that of the new one new.yaml. */
  readonly from?: Json;
}

export function report(now: Json, { facts, from }: Inputs = {}): PlanReport {
  const old = from === undefined ? undefined : { file: "old.yaml", configuration: configurationOf(from) };
  return { errors: [], warnings: [], ...reportOf(configurationOf(now), facts, old) };
}

/** What `plan new.yaml` prints, line by line. */
export function printed(now: Json, inputs: Inputs = {}): readonly string[] {
  return planText(report(now, inputs), "new.yaml").split("\n");
}

/** As a script reads it. */
export function json(now: Json, inputs: Inputs = {}) {
  return JSON.parse(JSON.stringify(planDocument(report(now, inputs), "new.yaml")));
}
