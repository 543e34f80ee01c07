import { createInterface } from "node:readline";
import { printable } from "../bgp/codec/printable.js";
import { explainStream, IncompleteMessage } from "../bgp/explain/explain-message.js";
import { explanationJson, explanationText } from "../bgp/explain/explanation-text.js";
import { type ExitCode, exitCode } from "./exit-code.js";

export interface BgpDecodeOptions {
  readonly sort: "ibgp" | "ebgp";
  readonly json: boolean;
  /** Both sides have offered extended messages (RFC 8654). */
  readonly extended?: boolean;
}

/** Where the text comes from and goes to. */
export interface DecodeStreams {
  readonly input: NodeJS.ReadableStream;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

const processStreams: DecodeStreams = {
  input: process.stdin,
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
};

/** Between two bytes of a dump: blanks, and the colons that Wireshark copies. */
const separators = /[\s:]+/g;

/** As much of what is no message as tells which line it was. */
function shown(text: string): string {
  const longest = 60;
  return printable(text.length > longest ? `${text.slice(0, longest)}…` : text);
}

/** Explains the BGP messages in hex; `-` reads more of them, one a line, from the input. */
export async function runBgpDecode(
  texts: readonly string[],
  { sort, json, extended = false }: BgpDecodeOptions,
  { input, out, error }: DecodeStreams = processStreams,
): Promise<ExitCode> {
  let worst: ExitCode = exitCode.fine;
  const decode = (place: string, text: string): void => {
    const digits = text.replaceAll(separators, "");
    if (!/^([0-9a-f]{2})+$/i.test(digits)) {
      worst = exitCode.refused;
      error(`${place}: "${shown(text)}" is no message in hex; write pairs of hex digits, from the 16 bytes ff on\n`);
      return;
    }
    try {
      for (const explanation of explainStream(Buffer.from(digits, "hex"), { internal: sort === "ibgp", extended })) {
        out(`${json ? explanationJson(explanation) : explanationText(explanation)}\n`);
      }
    } catch (reason) {
      if (!(reason instanceof IncompleteMessage)) throw reason;
      worst = exitCode.refused;
      error(`${place}: ${reason.message}; give whole messages\n`);
    }
  };
  for (const [index, text] of texts.entries()) {
    if (text !== "-") {
      decode(`argument ${index + 1}`, text);
      continue;
    }
    let line = 0;
    for await (const read of createInterface({ input })) {
      line += 1;
      if (read.trim() !== "") decode(`line ${line}`, read);
    }
  }
  return worst;
}
