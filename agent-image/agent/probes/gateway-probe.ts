import { setTimeout as sleep } from "node:timers/promises";
import { gatewayRequest, readReply } from "../announce/arp-frame.js";
import { openArpSocket } from "../announce/packet-socket.js";

/** Milliseconds between two looks for the answer, and after which the question is asked again. */
const lookPeriod = 10;
const repeatPeriod = 300;
/** RFC 5227 section 2.1.1: a probe has no sender address, so it changes nobody's ARP cache. */
const noSender = "0.0.0.0";

/**
 * Whether the IPv4 gateway answers ARP on a network's interface. Without an own address there: this is no claim.
 *
 * @param timeout milliseconds
 * @returns false also when the interface is not there
 */
export async function probeGateway(device: string, mac: string, gateway: string, timeout: number): Promise<boolean> {
  let socket: ReturnType<typeof openArpSocket> | undefined;
  try {
    socket = openArpSocket(device);
    const request = gatewayRequest(mac, noSender, gateway);
    const end = performance.now() + timeout;
    for (let asked = Number.NEGATIVE_INFINITY; performance.now() < end; await sleep(lookPeriod)) {
      if (performance.now() - asked >= repeatPeriod) {
        asked = performance.now();
        socket.send(device, request);
      }
      for (let frame = socket.receive(); frame !== undefined; frame = socket.receive()) {
        if (readReply(frame)?.address === gateway) return true;
      }
    }
    return false;
  } catch {
    return false;
  } finally {
    socket?.close();
  }
}
