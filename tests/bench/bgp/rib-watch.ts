/**
 * Asks another daemon again and again how many routes of the sender it has taken: `node rib-watch.js gobgp PROGRAM COUNT`, or
 * `frr SOCKET COUNT`. Says in nanoseconds of CLOCK_MONOTONIC when it had all.
 */
import { execFile } from "node:child_process";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { senderAddress } from "./table-bytes.js";

/** Milliseconds between an answer and the next question: GoBGP's command takes as long itself. */
const interval = 20;

const run = promisify(execFile);

interface GobgpNeighbour {
  readonly afi_safis?: readonly { readonly state?: { readonly accepted?: number } }[];
}

async function acceptedByGobgp(program: string): Promise<number> {
  const { stdout } = await run(program, ["neighbor", senderAddress, "-j"]);
  const { afi_safis = [] } = JSON.parse(stdout) as GobgpNeighbour;
  return afi_safis[0]?.state?.accepted ?? 0;
}

/** A question to bgpd on its vty socket: text and a zero byte; the answer ends with three zero bytes and a result. */
function acceptedByFrr(socketPath: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath, () => socket.write("enable\0show bgp l2vpn evpn summary json\0"));
    let answer = Buffer.alloc(0);
    socket.on("error", reject);
    socket.on("data", (chunk) => {
      answer = Buffer.concat([answer, chunk]);
      const text = answer.toString("latin1");
      const [json] = /\{.*\}/s.exec(text) ?? [];
      if (json === undefined || !/\}\s*\0\0\0.$/s.test(text)) return;
      socket.destroy();
      const { peers = {} } = JSON.parse(json) as { peers?: Record<string, { pfxRcd?: number }> };
      resolve(peers[senderAddress]?.pfxRcd ?? 0);
    });
  });
}

async function main(kind: string, place: string, count: number): Promise<void> {
  const accepted = kind === "gobgp" ? acceptedByGobgp : acceptedByFrr;
  process.stdout.write("asking\n");
  while ((await accepted(place)) < count) await sleep(interval);
  process.stdout.write(`all ${process.hrtime.bigint()}\n`);
}

const [kind = "", place = "", count = "0"] = process.argv.slice(2);
void main(kind, place, Number(count));
