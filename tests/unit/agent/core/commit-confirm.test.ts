import assert from "node:assert/strict";
import { test } from "node:test";
import type { CarriedNetwork } from "../../../../agent-image/agent/core/carried-network.js";
import { CommitConfirm } from "../../../../agent-image/agent/core/commit-confirm.js";
import type { Probe } from "../../../../agent-image/agent/core/ports.js";
import type { Rejection } from "../../../../agent-image/agent/core/rejections.js";

const network = (name: string, revision: string): CarriedNetwork =>
  ({ name, uid: `uid of ${name}`, revision, podNetworks: [], spec: {} }) as unknown as CarriedNetwork;
const known = (name: string, answers: boolean): Probe => ({ kind: "known", name, answers });

/** A node whose network is well as long as none of the bad revisions is carried. */
class Node {
  readonly confirm: CommitConfirm;
  readonly #bad: readonly string[];
  #verdict = Promise.withResolvers<void>();

  constructor(confirmed: readonly CarriedNetwork[], bad: readonly string[], rejected: readonly Rejection[] = []) {
    this.#bad = bad;
    this.confirm = new CommitConfirm({
      confirmed,
      rejected,
      patience: 0,
      run: async (probe) => probe.kind === "known" && probe.answers,
      onVerdict: () => this.#verdict.resolve(),
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
  }

  #probes(carried: readonly CarriedNetwork[]): readonly Probe[] {
    return [known("API server", !carried.some(({ revision }) => this.#bad.includes(revision)))];
  }

  /** Revisions that are carried after the next verdict. */
  async want(standing: readonly CarriedNetwork[], ...wanted: readonly CarriedNetwork[]): Promise<readonly string[]> {
    const carried = await this.confirm.choose(wanted, this.#probes(standing));
    this.confirm.applied(this.#probes(carried));
    return carried.map(({ revision }) => revision);
  }

  async verdict(): Promise<void> {
    await this.#verdict.promise;
    this.#verdict = Promise.withResolvers();
  }

  /** Goes through a trial that fails. */
  async fail(standing: readonly CarriedNetwork[], ...wanted: readonly CarriedNetwork[]): Promise<void> {
    await this.want(standing, ...wanted);
    await this.verdict();
    await this.want(standing, ...wanted);
    await this.verdict();
  }
}

const good = network("edge", "r1");
const bad = network("edge", "r2");
const message =
  "revision r2 was taken back: with it failed what was well before and is well again: API server; revision r1 is back; " +
  "correct the network, a new revision is tried again";

test("a revision that was taken back is not tried again, after a restart neither", async () => {
  const node = new Node([good], ["r2"]);
  await node.fail([good], bad);
  assert.deepEqual(await node.want([good], bad), ["r1"]);
  assert.deepEqual(node.confirm.refusal(bad), { reason: "ChangeReverted", message });
  const rejections = node.confirm.rejections();
  assert.deepEqual(rejections, [
    { uid: "uid of edge", revision: "r2", condition: { reason: "ChangeReverted", message } },
  ]);

  const successor = new Node([good], ["r2"], rejections);
  assert.deepEqual(await successor.want([good], bad), ["r1"]);
  assert.equal(successor.confirm.refusal(bad)?.message, message);
});

test("it is forgotten when another revision is wanted, and the other is tried", async () => {
  const rejected = { uid: "uid of edge", revision: "r2", condition: { reason: "ChangeReverted", message } };
  const node = new Node([good], [], [rejected]);
  assert.deepEqual(await node.want([good], network("edge", "r3")), ["r3"]);
  assert.deepEqual(node.confirm.rejections(), []);
  await node.verdict();
  assert.deepEqual(node.confirm.confirmed([network("edge", "r3")]), [network("edge", "r3")]);
  node.confirm.close();
});

test("networks that changed together are taken back together, and each names the others", async () => {
  const [inner, outer] = [network("inner", "i1"), network("inner", "i2")];
  const still = network("still", "s1");
  const before = [good, inner, still];
  const node = new Node(before, ["r2"]);
  await node.fail(before, bad, outer, still);
  assert.deepEqual(await node.want(before, bad, outer, still), ["r1", "i1", "s1"]);
  assert.match(
    node.confirm.refusal(outer)?.message ?? "",
    /; changed and taken back with it, so that each may be the cause: edge;/,
  );
  assert.match(node.confirm.refusal(bad)?.message ?? "", /so that each may be the cause: inner;/);
  assert.equal(node.confirm.refusal(still), undefined);
});

test("what goes by declaration is no loss: a removed network's probes are not asked", async () => {
  const other = network("other", "o1");
  const node = new Node([good, other], []);
  const standing = [known("network edge", true), known("network other", true)];
  assert.deepEqual(await node.confirm.choose([network("edge", "r3")], standing), [network("edge", "r3")]);
  node.confirm.applied([known("network edge", true)]);
  await node.verdict();
  assert.equal(node.confirm.refusal(network("edge", "r3")), undefined);
});
