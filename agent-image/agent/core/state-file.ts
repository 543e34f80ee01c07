import { mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** Where the new content of a file is written; it stays there when the writer dies. */
export function unfinishedPath(path: string): string {
  return `${path}.new`;
}

/**
 * Replaces a file whole: whoever reads it finds the old or the new content, also after a power cut, because the
 * content is on disk before the name points to it.
 *
 * @throws Error that names the path
 */
export async function writeFileAtomically(path: string, content: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const temporary = unfinishedPath(path);
    const file = await open(temporary, "w", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    // What the kernel says of a write names no file.
    throw new Error(`${path} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}

export type StateRead<State> =
  | { readonly kind: "read"; readonly state: State }
  | { readonly kind: "absent" }
  | { readonly kind: "unusable"; readonly reason: string };

/** Reads JSON state of the given format version. A file that cannot be used is told apart from none. */
export async function readState<State>(path: string, format: number): Promise<StateRead<State>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? { kind: "absent" } : { kind: "unusable", reason: message };
  }
  try {
    const stored = JSON.parse(text) as { readonly format?: unknown; readonly state?: State };
    return stored.format === format && stored.state !== undefined
      ? { kind: "read", state: stored.state }
      : { kind: "unusable", reason: `format ${String(stored.format)}, this agent reads ${format}` };
  } catch (error) {
    return { kind: "unusable", reason: (error as Error).message };
  }
}

export async function writeState<State>(path: string, format: number, state: State): Promise<void> {
  await writeFileAtomically(path, `${JSON.stringify({ format, state }, undefined, 2)}\n`);
}
