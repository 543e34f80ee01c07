import { connect } from "node:net";

/**
 * Whether a TCP connection comes about. A refusal is an answer too: the host was reached, and this node is not cut off.
 *
 * @param timeout milliseconds
 */
export function probeTcp(host: string, port: number, timeout: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const finish = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(timeout, () => finish(false));
    socket.once("connect", () => finish(true));
    socket.once("error", (error: NodeJS.ErrnoException) => finish(error.code === "ECONNREFUSED"));
  });
}
