/** `tcp-probe-main.js ADDRESS PORT INTERVAL TIMEOUT`: probes until standard input ends, then prints the loss as JSON. */
import { once } from "node:events";
import { lossOf, probeTcp } from "./tcp-probe.js";

const [address = "", port, interval, timeout] = process.argv.slice(2);
process.stdin.resume();
probeTcp(
  { address, port: Number(port), interval: Number(interval), timeout: Number(timeout) },
  once(process.stdin, "end"),
).then((attempts) => process.stdout.write(`${JSON.stringify(lossOf(attempts))}\n`));
