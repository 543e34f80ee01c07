import { join } from "node:path";
import type { Lab } from "../lab.js";
import type { Loss } from "./tcp-probe.js";

/** Milliseconds: fine enough to see a hole of some 20 ms, coarse enough not to disturb the machine. */
const INTERVAL = 20;
const TIMEOUT = 500;

/** Opens TCP connections from the client all the time that `event` takes, and counts those without an answer. */
export async function measureLoss<T>(
  lab: Lab,
  target: { readonly address: string; readonly port: number },
  event: () => Promise<T>,
): Promise<{ readonly loss: Loss; readonly value: T }> {
  const probe = lab.spawn("client", [
    process.execPath,
    join(__dirname, "tcp-probe-main.js"),
    target.address,
    String(target.port),
    String(INTERVAL),
    String(TIMEOUT),
  ]);
  const output: Buffer[] = [];
  probe.child.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
  try {
    const value = await event();
    probe.child.stdin?.end();
    await probe.exit;
    return { loss: JSON.parse(Buffer.concat(output).toString("utf8")) as Loss, value };
  } finally {
    await probe.kill("SIGKILL");
  }
}
