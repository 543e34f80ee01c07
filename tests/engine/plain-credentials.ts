import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { adminToken } from "./bare-api-server.js";

/** Characters of base64 at each end of a text that depend on what stands beside it. */
const sharedCharacters = 4;

/**
 * The test's token, which is the secret of its kubeconfig, and how it looks inside a longer text in base64: three bytes are
 * four characters, so that depends on where it starts.
 */
const forms: readonly string[] = [
  adminToken,
  ...[0, 1, 2].map((offset) =>
    Buffer.from(`${" ".repeat(offset)}${adminToken}`)
      .toString("base64")
      .slice(sharedCharacters, -sharedCharacters),
  ),
];

/**
 * @param what the text is, for the error
 * @throws when the text shows the test's credentials, with what stands around them
 */
export function assertNoCredentials(text: string, what: string): void {
  for (const form of forms) {
    const at = text.indexOf(form);
    if (at >= 0) throw new Error(`${what} shows credentials: ${text.slice(Math.max(0, at - 200), at + 100)}`);
  }
}

/** Every file below a folder with its content. */
export async function filesBelow(folder: string): Promise<readonly (readonly [string, string])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(files.map(async (file) => [file, await readFile(file, "latin1")] as const));
}
