import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Result, run } from "../../lab/processes/index.js";
import { Stack } from "../../lab/pulumi/stack.js";
import { locateToolchain } from "../../lab/toolchain/index.js";
import type { BehaviourStack, Driver, Outcome } from "../support/provider-behaviour/driver.js";
import type { Operation, Program } from "../support/provider-behaviour/scenario.js";
import { behaviourFolder, behaviourProject } from "./behaviour-program.js";
import { stateOf } from "./stack-state.js";

const networkState = "pulumi-nodejs:dynamic/vlan-router:NetworkState";
/** Without it a preview's JSON is a digest of another shape than that of the other commands. */
const streamingPreview = { PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true" };

/** As much of an engine event as is read here (pulumi/pulumi sdk/go/common/apitype/events.go). */
interface EngineEvent {
  readonly diagnosticEvent?: { readonly message: string; readonly severity: string };
  readonly resourcePreEvent?: { readonly metadata: StepMetadata };
  readonly resOutputsEvent?: { readonly metadata: StepMetadata };
}

interface StepMetadata {
  readonly op: string;
  readonly type: string;
  readonly new: { readonly inputs: Readonly<Record<string, unknown>> } | null;
}

/** Each step is a command of the real engine, which runs the program by the real language host. */
export const engineDriver: Driver = {
  name: "engine",
  async stack(context, kubeconfig) {
    const directory = await mkdtemp(join(tmpdir(), "vlan-router-behaviour-"));
    context.after(() => rm(directory, { recursive: true, force: true }));
    const project = await behaviourFolder(join(directory, "project"));
    const { KUBECONFIG: _, ...outer } = process.env;
    const stack = new Stack(
      {
        stateDirectory: directory,
        admin: (argv, options = {}) =>
          run(argv, { ...options, env: { ...(outer as Record<string, string>), ...options.env, ...streamingPreview } }),
      },
      locateToolchain(),
      { project, name: "prod" },
    );
    await stack.init();
    const declare = (program: Program | undefined) =>
      stack.configure(program === undefined ? {} : { [`${behaviourProject}:network`]: program }, {
        [`${behaviourProject}:kubeconfig`]: kubeconfig,
      });
    return {
      async preview(program) {
        await declare(program);
        const events = eventsOf(await stack.preview("--json"));
        return { ...outcome(events), shows: plannedInputs(events) };
      },
      async up(program) {
        await declare(program);
        return withState(stack, await stack.up("--skip-preview", "--json"));
      },
      async refresh() {
        return withState(stack, await stack.refresh("--yes", "--skip-preview", "--json"));
      },
      async destroy() {
        return withState(stack, await stack.destroy("--skip-preview", "--json"));
      },
    } satisfies BehaviourStack;
  },
};

async function withState(stack: Stack, result: Result): Promise<Outcome> {
  const shown = (await stateOf(stack)).find(({ type }) => type === networkState);
  return { ...outcome(eventsOf(result)), shows: shown?.outputs ?? {} };
}

function eventsOf({ stdout, stderr }: Result): readonly EngineEvent[] {
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  if (lines.length === 0) throw new Error(`the engine wrote no event: ${stdout}\n${stderr}`);
  return lines.map((line) => JSON.parse(line) as EngineEvent);
}

function outcome(events: readonly EngineEvent[]): Omit<Outcome, "shows"> {
  const told = (severity: (name: string) => boolean) =>
    events.flatMap(({ diagnosticEvent: said }) =>
      said !== undefined && severity(said.severity) ? [said.message] : [],
    );
  const does = operation(stepsOf(events).map(({ op }) => op));
  return {
    ...(does === undefined ? {} : { does }),
    refuses: told((severity) => severity === "error").join("\n"),
    says: told((severity) => severity.startsWith("info")).join("\n"),
  };
}

function stepsOf(events: readonly EngineEvent[]): readonly StepMetadata[] {
  return events.flatMap(({ resourcePreEvent, resOutputsEvent }) => {
    const metadata = resourcePreEvent?.metadata ?? resOutputsEvent?.metadata;
    return metadata?.type === networkState ? [metadata] : [];
  });
}

/** A replacement is told in several steps; a refresh tells first that it looks, then what it found. */
function operation(steps: readonly string[]): Operation | undefined {
  if (steps.some((step) => step.includes("replace"))) return "replace";
  return (["create", "update", "delete", "same"] as const).findLast((word) => steps.includes(word));
}

/** What the engine would give to the provider, as a reviewer reads it. */
function plannedInputs(events: readonly EngineEvent[]): Readonly<Record<string, unknown>> {
  return stepsOf(events).findLast((step) => step.new !== null && step.op !== "delete-replaced")?.new?.inputs ?? {};
}
