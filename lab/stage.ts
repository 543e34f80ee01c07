import { existsSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Isolation } from "./isolation/index.js";
import type { Lab } from "./lab.js";

const STAGES = ["fabric", "kubernetes"] as const;

/** How far a lab is made: each stage holds the one before. */
export type Stage = "nothing" | (typeof STAGES)[number];

/** How far a lab was made whole; "nothing" as well when its processes have ended or somebody was interrupted in making it. */
export function stageOf(lab: Lab): Stage {
  const file = stageFile(lab);
  if (Isolation.find(lab.stateDirectory) === undefined || !existsSync(file)) return "nothing";
  const text = readFileSync(file, "utf8").trim();
  return STAGES.find((stage) => stage === text) ?? "nothing";
}

/** Remembers that the lab is whole up to this stage, or, with "nothing", that it is being changed and may be left half made. */
export async function recordStage(lab: Lab, stage: Stage): Promise<void> {
  if (stage === "nothing") await rm(stageFile(lab), { force: true });
  else await writeFile(stageFile(lab), `${stage}\n`);
}

function stageFile(lab: Lab): string {
  return join(lab.stateDirectory, "stage");
}
