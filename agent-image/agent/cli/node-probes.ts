import type { NodeProbes, Probe } from "../core/ports.js";
import { probeGateway } from "../probes/gateway-probe.js";
import { probeTcp } from "../probes/tcp-probe.js";
import type { TcpTarget } from "./agent-options.js";

/** Milliseconds that an answer may take: who is asked may be busy, but is near. A change waits so long for the silent. */
const timeout = 500;

/**
 * @param patience milliseconds
 * @param apiServerAnswers absent on a node without Kubernetes
 */
export function nodeProbes(
  targets: readonly TcpTarget[],
  patience: number,
  apiServerAnswers?: (timeout: number) => Promise<boolean>,
): NodeProbes {
  const hosts = targets.map(
    ({ host, port }): Probe => ({
      kind: "tcp",
      name: `${host.includes(":") ? `[${host}]` : host}:${port}`,
      host,
      port,
    }),
  );
  return {
    ofNode: apiServerAnswers === undefined ? hosts : [{ kind: "apiServer", name: "API server" }, ...hosts],
    patience,
    run(probe) {
      switch (probe.kind) {
        case "known":
          return Promise.resolve(probe.answers);
        case "apiServer":
          return apiServerAnswers?.(timeout) ?? Promise.resolve(false);
        case "tcp":
          return probeTcp(probe.host, probe.port, timeout);
        case "gateway":
          return probeGateway(probe.device, probe.mac, probe.gateway, timeout);
      }
    },
  };
}
