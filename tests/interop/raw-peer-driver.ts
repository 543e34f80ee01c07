/**
 * A BGP peer that says whatever a test tells it: `node raw-peer-driver.js ADDRESS OPEN`, the message in hexadecimal. It takes
 * one connection after the other, answers OPEN and KEEPALIVE, sends each line of standard input as bytes, and prints each
 * message that it receives, all in hexadecimal. Words tell when it listens and when its connection comes and goes.
 */
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";

const bgpPort = 179;
/** RFC 4271 section 4.1: marker, length, type. */
const headerLength = 19;
const lengthOffset = 16;
const typeOffset = 18;
const openType = 1;
const keepaliveType = 4;
const keepalive = Buffer.from(`${"ff".repeat(16)}001304`, "hex");

function serve(address: string, open: Buffer): void {
  let current: Socket | undefined;
  createServer({ noDelay: true }, (socket) => {
    current = socket;
    let received = Buffer.alloc(0);
    // A peer that resets its connection is what many tests want.
    socket.on("error", () => undefined);
    socket.on("close", () => process.stdout.write("closed\n"));
    process.stdout.write("connected\n");
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= headerLength && received.length >= received.readUInt16BE(lengthOffset)) {
        const message = received.subarray(0, received.readUInt16BE(lengthOffset));
        received = received.subarray(message.length);
        const type = message.readUInt8(typeOffset);
        if (type === openType) socket.write(Buffer.concat([open, keepalive]));
        if (type === keepaliveType) socket.write(keepalive);
        process.stdout.write(`${message.toString("hex")}\n`);
      }
    });
  }).listen(bgpPort, address, () => process.stdout.write("listening\n"));
  createInterface({ input: process.stdin }).on("line", (line) => current?.write(Buffer.from(line, "hex")));
}

const [address = "", open = ""] = process.argv.slice(2);
if (require.main === module) serve(address, Buffer.from(open, "hex"));
