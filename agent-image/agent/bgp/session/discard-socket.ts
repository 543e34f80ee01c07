import type { Duplex } from "node:stream";

/** Closes a connection that nobody wants; what goes wrong with it meanwhile is nobody's any more. */
export function discardSocket(socket: Duplex): void {
  socket.on("error", () => undefined).destroy();
}
