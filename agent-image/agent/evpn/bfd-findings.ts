import type { PlanCondition } from "../../../model/index.js";
import { controlPorts } from "../bfd/udp-port.js";
import type { BfdSilence } from "./peer-liveness.js";

/** Peers that BFD does not watch although it should: BGP goes on with them, as RFC 5882 section 4.2.1 has it. */
export function bfdFindings(silences: readonly BfdSilence[], holdTime: number): PlanCondition[] {
  if (silences.length === 0) {
    return [];
  }
  const reasons = silences.map(reasonOf).join("; ");
  return [
    { reason: "BfdDown", message: `${reasons}; until then its death is noticed after the hold time (${holdTime} s)` },
  ];
}

function reasonOf({ local, peer, hop, shutDown, problem }: BfdSilence): string {
  const port = `UDP port ${controlPorts[hop]}`;
  if (problem?.code === "EADDRINUSE") {
    return (
      `BFD with ${peer} cannot run: another program, such as bfdd of FRR, holds ${port} of ${local}; stop BFD there, ` +
      "or set bgp.bfd to false"
    );
  }
  if (problem !== undefined) {
    return `BFD with ${peer} cannot run (${problem.message}) and is tried again`;
  }
  if (shutDown) {
    return `${peer} has BFD shut down (AdminDown): start it there again, or set bgp.bfd to false`;
  }
  const other =
    hop === "single" ? "through routers (then bgp.bfd.multihop is true)" : "on the same segment (then it is false)";
  return (
    `${peer} does not answer BFD on ${port}: enable it there for ${local}, let the port through, look whether the peer takes ` +
    `this node to be ${other}, or set bgp.bfd to false`
  );
}
