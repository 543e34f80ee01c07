import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { Worker } from "node:worker_threads";
import { BfdService } from "../../../agent-image/agent/bfd/bfd-service.js";
import type { BfdNews, BfdTarget } from "../../../agent-image/agent/bfd/bfd-speaker.js";
import type { BfdOrder } from "../../../agent-image/agent/bfd/thread-messages.js";
import { TestClock } from "../evpn/scripted-peer.js";

const parameters = { minTxInterval: 300, minRxInterval: 300, multiplier: 3 };
const target: BfdTarget = { local: "10.0.7.11", peer: "10.0.7.19", hop: "single" };

/**
 * A thread that answers each order with a problem whose text is the order, and beside it what a session would be held by (a descriptor
 * that no process has). The multiplier 5 makes it throw, 6 leave without a word.
 */
const thread = `
  const { parentPort } = require("node:worker_threads");
  parentPort.on("message", (order) => {
    if (order.kind === "end") return parentPort.close();
    if (order.parameters?.multiplier === 5) throw new Error("a mistake");
    if (order.parameters?.multiplier === 6) process.exit(3);
    const problem = { code: "", message: JSON.stringify(order) };
    parentPort.postMessage({ id: order.id, news: { kind: "problem", problem }, held: { descriptor: 2 ** 30 } });
  });`;

class Setting {
  readonly clock = new TestClock();
  readonly failures: string[] = [];
  readonly news: string[] = [];
  threads = 0;
  readonly service: BfdService;
  #current: Worker | undefined;
  #heard: () => void = () => undefined;

  constructor() {
    this.service = new BfdService({
      clock: this.clock,
      onFailure: ({ message }) => this.failures.push(message),
      startThread: () => {
        this.threads += 1;
        this.#current = new Worker(thread, { eval: true });
        return this.#current;
      },
    });
  }

  open() {
    return this.service.open(target, parameters, (news: BfdNews) => {
      assert.ok(news.kind === "problem");
      this.news.push(news.problem.message);
      this.#heard();
    });
  }

  /** What the thread was told last. */
  async order(): Promise<BfdOrder> {
    if (this.news.length === 0) await new Promise<void>((resolve) => (this.#heard = resolve));
    return JSON.parse(this.news.splice(0).at(-1) ?? "") as BfdOrder;
  }

  /** Until the thread has ended. */
  async ended(): Promise<void> {
    await new Promise((resolve) => this.#current?.once("exit", resolve));
  }
}

let setting: Setting | undefined;

afterEach(() => setting?.service.end());

async function running() {
  const made = new Setting();
  setting = made;
  const handle = made.open();
  await made.order();
  return { made, handle };
}

const ways = [
  { name: "an error that nobody has caught", multiplier: 5, message: "a mistake" },
  { name: "an end without a word", multiplier: 6, message: "the thread has ended with code 3" },
] as const;

for (const { name, multiplier, message } of ways) {
  describe(`the thread's end by ${name}`, () => {
    test("after a long life: told, and the next thread is started at once, with the sessions as they were held", async () => {
      const { made, handle } = await running();
      await made.clock.advance(10_000);
      const ended = made.ended();
      handle.configure({ ...parameters, multiplier });
      await ended;
      assert.deepEqual([made.failures, made.news.splice(0)], [[message], [message]]);
      handle.configure(parameters);
      await made.clock.advance(0);
      assert.deepEqual(await made.order(), { kind: "open", id: 1, target, parameters, held: { descriptor: 2 ** 30 } });
    });

    test("soon after its start: a new session, and not at once, so that what ends it each time keeps no core busy", async () => {
      const { made, handle } = await running();
      const ended = made.ended();
      handle.configure({ ...parameters, multiplier });
      await ended;
      assert.deepEqual([made.failures, made.news.splice(0)], [[message], [message]]);
      handle.configure(parameters);
      await made.clock.advance(999);
      assert.deepEqual(made.news, []);
      await made.clock.advance(1);
      assert.deepEqual(await made.order(), { kind: "open", id: 1, target, parameters });
    });
  });
}

test("a session that is closed while no thread runs does not come back", async () => {
  const { made, handle } = await running();
  const ended = made.ended();
  handle.configure({ ...parameters, multiplier: 5 });
  await ended;
  handle.close();
  made.news.splice(0);
  const other = made.open();
  await made.clock.advance(1000);
  const order = await made.order();
  assert.equal(order.kind === "open" && order.id, 2);
  other.close();
});

test("an end that is wanted is no failure, and starts nothing", async () => {
  const { made } = await running();
  await made.service.end();
  await made.clock.advance(60_000);
  assert.deepEqual([made.failures, made.threads], [[], 1]);
});
