/** Ctrl-C, twice, while `pulumi up` waits for the nodes, on the real engine: what is left, and how it goes on. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Result, type RunOptions, run, waitFor } from "../../lab/processes/index.js";
import { Stack } from "../../lab/pulumi/stack.js";
import { locateToolchain } from "../../lab/toolchain/index.js";
import { behaviourFolder, behaviourProject } from "../engine/behaviour-program.js";
import { stateOf } from "../engine/stack-state.js";
import { written } from "../support/network-fixtures.js";
import { ScriptedCluster } from "../support/provider-behaviour/scripted-cluster.js";

const networkState = "pulumi-nodejs:dynamic/vlan-router:NetworkState";

test("an update that is interrupted while it waits leaves the object, and the next one takes it up again", async (context) => {
  const cluster = await ScriptedCluster.start(context);
  const directory = await mkdtemp(join(tmpdir(), "vlan-router-interrupted-"));
  context.after(() => rm(directory, { recursive: true, force: true }));
  const project = await behaviourFolder(join(directory, "project"));
  let interrupt: (() => Promise<unknown>) | undefined;
  const place = {
    stateDirectory: directory,
    admin: (argv: readonly string[], options: RunOptions = {}) =>
      interrupt === undefined ? run(argv, options) : interrupted(argv, options, interrupt),
  };
  const stack = new Stack(place, locateToolchain(), { project, name: "prod" });
  await stack.init();
  const network = { name: "customers", ...written, timeoutSeconds: 300 };
  const kubeconfig = { [`${behaviourProject}:kubeconfig`]: cluster.server.kubeconfig };
  await stack.configure({ [`${behaviourProject}:network`]: network }, kubeconfig);

  cluster.apply({ reports: { n2: "absent" } });
  interrupt = () => waitFor("the network to be declared", () => cluster.networks().customers, { timeout: 120_000 });
  const { code, stdout, stderr } = await stack.up("--skip-preview");
  interrupt = undefined;
  assert.notEqual(code, 0);
  assert.match(`${stdout}${stderr}`, /error: update cancelled/);
  const networksOf = async () => (await stateOf(stack)).filter(({ type }) => type === networkState);
  assert.deepEqual(await networksOf(), []);
  assert.ok(cluster.networks().customers);

  cluster.apply({ reports: {} });
  const second = await stack.up("--skip-preview");
  assert.equal(second.code, 0, `${second.stdout}${second.stderr}`);
  assert.match(second.stdout, /NetworkState::customers-state, interrupted while creating/);
  assert.deepEqual(
    (await networksOf()).map(({ outputs }) => outputs.ready),
    [true],
  );
});

/** As a terminal does it: when it is time, the whole group of processes gets the signal. */
async function interrupted(
  [program = "", ...args]: readonly string[],
  options: RunOptions,
  isTime: () => Promise<unknown>,
): Promise<Result> {
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString("utf8");
  });
  const ended = once(child, "exit") as Promise<[code: number | null]>;
  await isTime();
  process.kill(-(child.pid ?? 0), "SIGINT");
  // The first one only keeps the engine from beginning anything else.
  await sleep(2_000);
  process.kill(-(child.pid ?? 0), "SIGINT");
  const [code] = await ended;
  // A language host that outlives the engine holds its pipes open.
  child.stdout.destroy();
  child.stderr.destroy();
  return { code: code ?? 1, stdout: stdout?.() ?? "", stderr: stderr?.() ?? "" };
}
