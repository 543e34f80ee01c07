/** The lab's workload: says which pod on which node answers, and from which address the question came. */
import { createServer } from "node:http";
import { hostname } from "node:os";

const port = Number(process.env.PORT);

createServer((request, response) => {
  const answer = { pod: hostname(), node: process.env.NODE_NAME, client: request.socket.remoteAddress };
  // One connection for each request, so that every request is balanced anew.
  response.writeHead(200, { "Content-Type": "application/json", Connection: "close" });
  response.end(`${JSON.stringify(answer)}\n`);
}).listen(port, "0.0.0.0", () => process.stdout.write(`listening on port ${port}\n`));

// PID 1 of a container has no default action for signals.
process.on("SIGTERM", () => process.exit(0));
