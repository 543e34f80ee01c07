import { readFileSync } from "node:fs";

const TAIL_LINES = 15;

/** The last lines of a log, indented, to stand below an error's first line; empty when there is no such file. */
export function logTail(path: string, lines = TAIL_LINES): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
  const tail = text.trimEnd().split("\n").slice(-lines);
  return `\nlast lines of ${path}:\n${tail.map((line) => `  ${line}`).join("\n")}`;
}
