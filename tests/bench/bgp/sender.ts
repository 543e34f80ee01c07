/**
 * A BGP peer that sends a table made beforehand: `node sender.js CONNECT NETWORKS HOSTS FORM`. CONNECT is the receiver's address,
 * or `-` for a receiver that connects by itself. A line `table` on standard input sends all, `move HOST` the move of one host;
 * standard output says `listening`, `established` and, in nanoseconds of CLOCK_MONOTONIC, when the bytes of a line went out.
 */
import { connect, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { evpnFamilyBytes } from "../../../agent-image/agent/bgp/codec/address-family.js";
import { keepaliveBytes } from "../../../agent-image/agent/bgp/codec/keepalive.js";
import { MessageFramer } from "../../../agent-image/agent/bgp/codec/message-header.js";
import { encodeOpen } from "../../../agent-image/agent/bgp/codec/open.js";
import { asn, endOfRib, firstVni, moveBytes, type RouteForm, senderAddress, tableBytes } from "./table-bytes.js";

const bgpPort = 179;
/** Seconds; longer than any measurement pauses. */
const holdTime = 240;
/** Milliseconds between two attempts to reach a receiver that is starting. */
const retryDelay = 100;

const [receiver = "-", networks = "1", hosts = "0", form = "mac-ip"] = process.argv.slice(2);
const vnis = Array.from({ length: Number(networks) }, (_, index) => firstVni + index);
const table = Buffer.concat([...vnis.map((vni) => tableBytes(vni, Number(hosts), form as RouteForm)), endOfRib]);
const open = encodeOpen({
  kind: "open",
  as: asn,
  holdTime,
  bgpIdentifier: senderAddress,
  capabilities: [
    { kind: "multiprotocol", family: { afi: evpnFamilyBytes.readUInt16BE(0), safi: evpnFamilyBytes.readUInt8(2) } },
    { kind: "four-octet-as", as: asn },
  ],
});
let current: Socket | undefined;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function speak(socket: Socket): void {
  const framer = new MessageFramer();
  let established = false;
  socket.on("error", () => undefined);
  socket.on("data", (chunk) => {
    for (const { kind } of framer.push(chunk)) {
      if (kind === "open") socket.write(Buffer.concat([open, keepaliveBytes]));
      if (kind !== "keepalive") continue;
      socket.write(keepaliveBytes);
      if (!established) say("established");
      established = true;
      current = socket;
    }
  });
}

function reach(address: string): void {
  const socket = connect({ host: address, port: bgpPort, localAddress: senderAddress, noDelay: true });
  speak(socket);
  socket.on("close", () => setTimeout(reach, retryDelay, address));
}

function send(name: string, bytes: Buffer): void {
  const start = process.hrtime.bigint();
  current?.write(bytes);
  say(`${name} ${start}`);
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const [word, host] = line.split(" ");
  if (word === "table") send("table", table);
  else send(line, moveBytes(firstVni, Number(host), form as RouteForm));
});

if (receiver === "-") {
  createServer({ noDelay: true }, speak).listen(bgpPort, senderAddress, () => say("listening"));
} else {
  say("listening");
  reach(receiver);
}
