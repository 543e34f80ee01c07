/**
 * Runs one EVPN speaker in the namespace of a node, told what to do by a test: each line on standard input is a call, each
 * line on standard output the answer to it. The argument `restarted` says that it follows one that left forwarding in the kernel.
 */
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";
import { BfdService } from "../../agent-image/agent/bfd/bfd-service.js";
import { EvpnSpeaker } from "../../agent-image/agent/evpn/evpn-speaker.js";
import type { LogLevel } from "../../agent-image/agent/evpn/log.js";
import { GobgpApi } from "../../agent-image/agent/gobgp/gobgp-api.js";
import type { SpeakerPlan } from "../../model/index.js";

export type SpeakerCall =
  | { readonly call: "setNetworks"; readonly networks: readonly { network: string; plan: SpeakerPlan }[] }
  | { readonly call: "setAddresses"; readonly network: string; readonly addresses: readonly string[] }
  | { readonly call: "initialStateKnown" | "endBfdThread" }
  | { readonly call: "sessions" | "forwarding" | "notices"; readonly network: string }
  | { readonly call: "close"; readonly notify: boolean };

let bfdThread: Worker | undefined;

function startBfdThread(): Worker {
  bfdThread = new Worker(join(__dirname, "../../agent-image/agent/bfd/bfd-thread.js"));
  return bfdThread;
}

async function main(): Promise<void> {
  const log = (level: LogLevel, message: string, fields?: object) =>
    void process.stderr.write(`${level} ${message} ${JSON.stringify(fields ?? {})}\n`);
  const speaker = new EvpnSpeaker({
    restarted: process.argv.includes("restarted"),
    log,
    bfd: new BfdService({
      startThread: startBfdThread,
      onFailure: ({ message }) => log("error", "BFD has ended", { message }),
    }),
  });
  const gobgp = new GobgpApi({ speaker, log, onChange: () => undefined });
  for await (const line of createInterface({ input: process.stdin })) {
    const answer = await perform(speaker, gobgp, JSON.parse(line) as SpeakerCall);
    process.stdout.write(`${JSON.stringify({ answer: answer ?? null })}\n`);
  }
}

function perform(speaker: EvpnSpeaker, gobgp: GobgpApi, call: SpeakerCall): unknown {
  switch (call.call) {
    case "setNetworks":
      gobgp.setNetworks(call.networks);
      return speaker.setNetworks(call.networks);
    case "setAddresses":
      return speaker.setAddresses(call.network, call.addresses);
    case "initialStateKnown":
      return speaker.initialStateKnown();
    case "sessions":
      return speaker.sessions(call.network);
    case "forwarding":
      return speaker.forwarding(call.network);
    case "notices":
      return speaker.notices().get(call.network) ?? [];
    case "endBfdThread":
      return bfdThread?.terminate();
    case "close":
      gobgp.close();
      return speaker.close({ notify: call.notify });
  }
}

if (require.main === module) {
  void main();
}
