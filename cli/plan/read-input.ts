import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { FileMistakeCode, InputMistake } from "./input-mistake.js";

/** Bytes. A network takes some 300, so this holds more networks than there are VLAN ids and VNIs in use anywhere. */
const largestInput = 16 * 1024 * 1024;

const mebibyte = 1024 * 1024;

export type Input =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "mistake"; readonly mistake: InputMistake };

/** The whole of a text file, or of standard input for `-`. Never more than 16 MiB, also of a device or a pipe. */
export async function readInput(file: string): Promise<Input> {
  const refused = (code: FileMistakeCode, message: string, remedy: string): Input => ({
    kind: "mistake",
    mistake: { code, file, path: "", value: undefined, message, remedy },
  });
  const tooLarge = () =>
    refused("FileTooLarge", `is larger than ${largestInput / mebibyte} MiB`, "name a configuration or facts file");
  try {
    if (file !== "-") {
      const found = await stat(file);
      if (found.isDirectory()) return refused("IsDirectory", "is a directory", "name a file in it");
      if (found.size > largestInput) return tooLarge();
    }
    const bytes = await readLimited(file === "-" ? process.stdin : createReadStream(file));
    if (bytes === undefined) return tooLarge();
    const text = decode(bytes);
    return text === undefined
      ? refused("NotText", "is not text in UTF-8", "name a YAML or JSON file")
      : { kind: "text", text };
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    switch (code) {
      case "ENOENT":
      case "ENOTDIR":
      case "ENAMETOOLONG":
      case "ELOOP":
        return refused("FileNotFound", "is not there", "check the name, or write - for standard input");
      case "EACCES":
      case "EPERM":
        return refused("NotReadable", "may not be read", "give yourself the right to read it");
      default:
        return refused("NotReadable", `could not be read (${message})`, "name a file that can be read");
    }
  }
}

/** Undefined when there is more than the limit. */
async function readLimited(stream: Readable): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestInput) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Undefined for anything but UTF-8 without NUL. A byte order mark is dropped, as YAML allows one (YAML 1.2.2 section 5.2). */
function decode(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
