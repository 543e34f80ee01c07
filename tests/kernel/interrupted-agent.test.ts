import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../lab/processes/index.js";
import type { NetworkStatus } from "../../model/index.js";
import { type AgentHost, AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { baseYaml, startNode } from "./base-node.js";
import { GOALS, InterruptedAgentNode, STATE_FILES } from "./interrupted-agent-node.js";
import { type WholeKernelState, wholeKernelState } from "./whole-kernel-state.js";

/** Seconds that the slow `ip` takes for each command of a batch. */
const pause = 0.15;
/** Milliseconds in which it would have carried out another few. */
const watched = 1_000;
/** Commands after which the agent is killed, in the middle of the first batch: the rules by mark are five. */
const begun = 3;

const stands =
  (network: string) =>
  (networks: ReadonlyMap<string, NetworkStatus>): boolean =>
    networks.get(network)?.conditions.some(({ type, status }) => type === "Applied" && status === "True") ?? false;

describe("E3, E4: an agent that is killed while a program works for it", () => {
  let node: TestNamespaces;
  let pristine: WholeKernelState;
  let folder: string;
  let isSlow: boolean;
  let killed: AgentProcess;

  const carriedOut = async (): Promise<readonly string[]> =>
    (await readFile(join(folder, "carried-out"), "utf8").catch(() => "")).split("\n").slice(0, -1);
  const processes = async (): Promise<string> => (await node.exec("n1", ["ps", "-e", "-o", "args="])).stdout;

  before(async () => {
    node = await startNode();
    pristine = await wholeKernelState(node, "n1");
  });
  after(() => node.end());

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "vlan-router-slow-"));
    await writeFile(join(folder, "ip"), slowIp(join(folder, "carried-out")), { mode: 0o755 });
    isSlow = true;
    const host = inNamespaces(node);
    const path = `PATH=${folder}${delimiter}${process.env.PATH}`;
    const slowHost: AgentHost = {
      exec: host.exec,
      start: (place, argv) => host.start(place, isSlow ? ["env", path, ...argv] : argv),
    };
    killed = await AgentProcess.create(slowHost, "n1", "--config", baseYaml);
    killed.start();
    await waitFor("a batch to begin", async () => (await carriedOut()).length >= begun, { interval: 5 });
    await killed.stop("SIGKILL");
    isSlow = false;
  });
  afterEach(async () => {
    await killed.end();
    await rm(folder, { recursive: true, force: true });
  });

  it("is followed only when that program has ended, and nothing of its batch comes later", async () => {
    const successor = AgentProcess.beside(killed);
    try {
      await successor.configure(baseYaml.replace("vni: 228", "vni: 229"));
      successor.start();
      await successor.logged("agent started");
      const batches = await carriedOut();
      assert.ok(batches.length > begun, "the program ended with its agent, and nothing had to be waited for");
      await successor.until("the plan stands", stands("vxlan229"));
      await sleep(watched);
      assert.deepEqual(await carriedOut(), batches);
      const state = JSON.stringify(await wholeKernelState(node, "n1"));
      assert.match(state, /vxlan229/);
      assert.doesNotMatch(state, /228/);
      await successor.stop();
      assert.equal((await successor.run("cleanup", "--state-directory", successor.stateDirectory())).code, 0);
      assert.deepEqual(await wholeKernelState(node, "n1"), pristine);
    } finally {
      await successor.end();
    }
  });

  for (const [whose, suffix] of [
    ["the agent's", ""],
    ["another", ".other"],
  ] as const) {
    it(`is not cleaned up after before that program has ended, with ${whose} state directory`, async () => {
      const cleanUp = () => killed.run("cleanup", "--state-directory", `${killed.stateDirectory()}${suffix}`);
      assert.match((await cleanUp()).stderr, /an agent works on this node .* stop it first/);
      await waitFor("the clean-up to be let in", async () => (await cleanUp()).code === 0);
      await sleep(watched);
      assert.deepEqual(await wholeKernelState(node, "n1"), pristine);
    });
  }

  it("leaves no monitor behind, even where nothing happens any more that it could tell", async () => {
    const monitors = async () => (await processes()).split("\n").filter((args) => /\bmonitor\b/.test(args));
    await waitFor("the monitors to end", async () => (await monitors()).length === 0, { timeout: 5_000 });
  });
});

describe("E4: an agent that is killed in the middle of a change, whatever its state files hold then", () => {
  let node: InterruptedAgentNode;
  let commands: readonly string[];
  before(async () => {
    node = await InterruptedAgentNode.start();
    commands = await node.undisturbed();
  });
  after(() => node.end());

  for (const [index, files] of STATE_FILES.entries()) {
    const goal = GOALS[index % GOALS.length];
    // A quarter, half and three quarters of the way, and all of it, when the agent does not know yet that it has arrived.
    const share = (index + 1) / STATE_FILES.length;
    it(`files ${files}; then ${goal}`, () =>
      node.interrupt(Math.floor(share * commands.length), files, goal ?? "a clean-up"));
  }
});

/** `ip`, but a batch takes its time, and each command that was carried out is noted. */
function slowIp(note: string): string {
  return `#!/bin/sh
PATH=${process.env.PATH}
case "$*" in
*-json* | *monitor*) exec ip "$@" ;;
esac
while IFS= read -r line; do
  printf '%s\\n' "$line" | ip "$@" || exit 1
  printf '%s\\n' "$line" >>${note}
  sleep ${pause}
done
`;
}
