import type { FrameEar } from "./packet-socket.js";

/** Milliseconds between two looks: what waits for an answer is a route, not a packet. */
const lookPeriod = 100;
/** Frames of one look, so that a storm on some segment cannot hold up the agent; the socket drops what it cannot keep. */
const framesOfLook = 1000;

export interface FrameListener {
  close(): void;
}

/**
 * Tells of everybody who speaks for an address on any interface of the node, except of the node itself.
 *
 * @param read what a frame says of its sender; undefined for one that says nothing
 */
export function startFrameListener<Sender>(
  ear: FrameEar,
  read: (frame: Buffer) => Sender | undefined,
  onSender: (device: string, sender: Sender) => void,
): FrameListener {
  const timer = setInterval(() => {
    for (let count = 0; count < framesOfLook; count += 1) {
      const heard = ear.receive();
      if (heard === undefined) {
        return;
      }
      const sender = read(heard.frame);
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
