import { setTimeout as sleep } from "node:timers/promises";
import { gatewayRequest, readReply } from "../announce/arp-frame.js";
import { linkLocalSolicitation, readAdvertisement } from "../announce/ndp-frame.js";
import { type DeviceSocket, openAdvertisementSocket, openArpSocket } from "../announce/packet-socket.js";

/** Milliseconds between two looks for the answer, and after which the question is asked again. */
const lookPeriod = 10;
const repeatPeriod = 300;
/** RFC 5227 section 2.1.1: a probe has no sender address, so it changes nobody's ARP cache. */
const noSender = "0.0.0.0";

/** How a family asks who has an address. */
interface Question {
  readonly open: (device: string) => DeviceSocket;
  readonly frame: (mac: string, gateway: string) => Buffer;
  /** The address that a frame answers for. */
  readonly answered: (frame: Buffer) => string | undefined;
}

const questions = {
  4: {
    open: openArpSocket,
    frame: (mac, gateway) => gatewayRequest(mac, noSender, gateway),
    answered: (frame) => readReply(frame)?.address,
  },
  6: {
    open: openAdvertisementSocket,
    frame: linkLocalSolicitation,
    answered: readAdvertisement,
  },
} as const satisfies Readonly<Record<4 | 6, Question>>;

/**
 * Whether the gateway answers ARP or Neighbor Discovery on a network's interface. Without a public address there: this is no claim.
 *
 * @param gateway in canonical form
 * @param timeout milliseconds
 * @returns false also when the interface is not there
 */
export async function probeGateway(device: string, mac: string, gateway: string, timeout: number): Promise<boolean> {
  const { open, frame, answered }: Question = questions[gateway.includes(":") ? 6 : 4];
  let socket: DeviceSocket | undefined;
  try {
    socket = open(device);
    const question = frame(mac, gateway);
    const end = performance.now() + timeout;
    for (let asked = Number.NEGATIVE_INFINITY; performance.now() < end; await sleep(lookPeriod)) {
      if (performance.now() - asked >= repeatPeriod) {
        asked = performance.now();
        socket.send(device, question);
      }
      for (let heard = socket.receive(); heard !== undefined; heard = socket.receive()) {
        if (answered(heard) === gateway) return true;
      }
    }
    return false;
  } catch {
    return false;
  } finally {
    socket?.close();
  }
}
