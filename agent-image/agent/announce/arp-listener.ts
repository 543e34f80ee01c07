import { type ArpSender, readSender } from "./arp-frame.js";
import type { ArpEar } from "./packet-socket.js";

/** Milliseconds between two looks: what waits for an answer is a route, not a packet. */
const lookPeriod = 100;
/** Frames of one look, so that a storm on some segment cannot hold up the agent; the socket drops what it cannot keep. */
const framesOfLook = 1000;

export interface ArpListener {
  close(): void;
}

/** Tells of everybody who sends ARP on any interface of the node, except of the node itself. */
export function startArpListener(ear: ArpEar, onSender: (device: string, sender: ArpSender) => void): ArpListener {
  const timer = setInterval(() => {
    for (let count = 0; count < framesOfLook; count += 1) {
      const heard = ear.receive();
      if (heard === undefined) {
        return;
      }
      const sender = readSender(heard.frame);
      if (sender !== undefined) {
        onSender(heard.device, sender);
      }
    }
  }, lookPeriod);
  return {
    close() {
      clearInterval(timer);
      ear.close();
    },
  };
}
