import assert from "node:assert/strict";
import { it } from "node:test";
import { type Client, clients, type Outcome, type Outcomes } from "./return-path-node.js";
import { proxyBackend, type ServiceProxy } from "./service-proxies.js";

/**
 * `network`: answered, and each reply packet left by our interface. `inside`: answered, and none left by it, for the caller is
 * in the cluster. The others are calls that cannot work, each with the reason.
 */
export type Expected =
  | "network"
  | "inside"
  /** The request of a node comes by the gateway and its reply would go to it directly: rp_filter of `all` drops the request. */
  | "two ways"
  /** Without marks the way back of a translated request is looked for by the backend's address: dropped like the above. */
  | "unmarked"
  /** Without marks the reply is routed before it has its public source back: it leaves by the default gateway. */
  | "wrong door"
  /** The request reaches its backend as it came, and the answer of another node goes past this one, untranslated. */
  | "past the node"
  /** Requests find no way to their backend, or replies only as far as our interface, whose tunnel finds none either. */
  | "unrouted"
  /** The kernel does one thing or another, so nothing is held. */
  | "undetermined";

/** One column for each client, in the order of {@link clients}. */
export type Row = readonly [Expected, Expected, Expected, Expected, Expected, Expected];
export type Matrix = readonly (readonly [ServiceProxy, ...Row])[];

const isAnswer = (expected: Expected | undefined): boolean => expected === "network" || expected === "inside";

/** Which calls should be answered. */
export function answeredCalls(matrix: Matrix): (proxy: ServiceProxy, client: Client) => boolean {
  const rows = new Map(matrix.map(([proxy, ...row]) => [proxy, row]));
  return (proxy, client) => isAnswer(rows.get(proxy)?.[clients.indexOf(client)]);
}

/** Calls that the reverse path check stops. */
export const stoppedCalls = (matrix: Matrix): number =>
  matrix.flatMap(([, ...row]) => row).filter((cell) => cell === "two ways" || cell === "unmarked").length;

/** A call is SYN-ACK, data and FIN at the least, and the kernel joins segments of one connection. */
const fewestReplies = 4;

/** One test for each call. */
export function itAnswers(matrix: Matrix, outcomes: () => Outcomes): void {
  for (const [proxy, ...row] of matrix) {
    for (const [column, client] of clients.entries()) {
      const expected = row[column];
      if (expected === "undetermined") continue;
      it(`${proxy} from ${client}: ${expected}`, () => {
        const outcome = outcomes().get(proxy)?.get(client);
        assert.ok(outcome);
        const { answer, byNetwork, byDefaultGateway } = outcome;
        assert.equal(answer, isAnswer(expected) ? proxyBackend(proxy) : undefined);
        if (expected === "network") assert.ok(byNetwork >= fewestReplies, `${byNetwork} by our interface`);
        // A server repeats its SYN-ACK for a minute (tcp_synack_retries): one of an earlier setting may come later.
        else if (expected === "past the node") assert.ok(byNetwork < fewestReplies, `${byNetwork} by our interface`);
        else if (expected !== "unrouted") assert.equal(byNetwork, 0);
        if (expected === "wrong door") assert.ok(byDefaultGateway > 0);
        else assert.equal(byDefaultGateway, 0);
      });
    }
  }
}

/** Answers and reply packets (by our interface / at the default gateway), for the record of a run. */
export function outcomeTable(outcomes: Outcomes): string {
  const line = (head: string, cells: readonly string[]) =>
    head.padEnd(58) + cells.map((cell) => cell.padEnd(22)).join("");
  const cell = ({ answer, byNetwork, byDefaultGateway }: Outcome) =>
    `${answer ?? "no answer"} ${byNetwork}/${byDefaultGateway}`;
  const rows = [...outcomes].map(([proxy, row]) => line(proxy, [...row.values()].map(cell)));
  return [line("", clients), ...rows].join("\n");
}
