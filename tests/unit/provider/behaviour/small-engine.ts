import { isDeepStrictEqual } from "node:util";
import type { Outcome } from "../../../support/provider-behaviour/driver.js";
import { type CheckedInputs, type DynamicMethods, InitFailure, type Properties } from "./dynamic-methods.js";

interface Held {
  readonly id: string;
  readonly inputs: Properties;
  readonly outs: Properties;
  /** Why it is not well. */
  readonly failure?: string;
}

type Result = Omit<Outcome, "says">;

const nothing: Result = { does: "same", refuses: "", shows: {} };

/**
 * What the engine does with one dynamic resource (pulumi/pulumi pkg/resource/deploy/step_generator.go and step.go), as far
 * as the provider can tell: which methods are called, in which order, with which of the old values.
 */
export class SmallEngine {
  private held: Held | undefined;

  constructor(private readonly methods: DynamicMethods) {}

  /** @param news inputs of the program; nothing when it does not declare the resource */
  async deploy(news: Properties | undefined, preview: boolean): Promise<Result> {
    const { held } = this;
    if (news === undefined) return preview || held === undefined ? nothing : this.destroy();
    const checked = await this.methods.check(held?.inputs ?? {}, news);
    if (checked.failures.length > 0) return refused(checked);
    if (held === undefined) return preview ? shown("create", checked) : this.create(checked.inputs, "create");
    const replaces = await this.methods.diff(held.id, held.outs, checked.inputs);
    if (replaces.length > 0) return this.replace(held, news, preview);
    if (held.failure === undefined && isDeepStrictEqual(held.inputs, checked.inputs)) {
      return { does: "same", refuses: "", shows: held.outs };
    }
    return preview ? shown("update", checked) : this.update(held, checked.inputs);
  }

  async refresh(): Promise<Result> {
    const { held } = this;
    if (held === undefined) return nothing;
    const { id, inputs, outs } = await this.methods.read(held.id, held.outs);
    this.held = id === "" ? undefined : { id, inputs, outs };
    const same = isDeepStrictEqual([held.inputs, held.outs], [inputs, outs]);
    return { does: id === "" ? "delete" : same ? "same" : "update", refuses: "", shows: outs };
  }

  async destroy(): Promise<Result> {
    if (this.held === undefined) return nothing;
    await this.methods.delete(this.held.id, this.held.outs);
    this.held = undefined;
    return { does: "delete", refuses: "", shows: {} };
  }

  /** A replacement is checked as a new resource, without the old inputs. */
  private async replace(held: Held, news: Properties, preview: boolean): Promise<Result> {
    const checked = await this.methods.check({}, news);
    if (checked.failures.length > 0) return refused(checked);
    if (preview) return shown("replace", checked);
    await this.methods.delete(held.id, held.outs);
    this.held = undefined;
    return this.create(checked.inputs, "replace");
  }

  private async create(inputs: Properties, does: "create" | "replace"): Promise<Result> {
    try {
      const { id, outs } = await this.methods.create(inputs);
      this.held = { id, inputs, outs };
      return { does, refuses: "", shows: outs };
    } catch (error) {
      return this.failed(error, inputs, does);
    }
  }

  private async update(held: Held, inputs: Properties): Promise<Result> {
    try {
      const outs = await this.methods.update(held.id, held.outs, inputs);
      this.held = { id: held.id, inputs, outs };
      return { does: "update", refuses: "", shows: outs };
    } catch (error) {
      return this.failed(error, inputs, "update");
    }
  }

  private failed(error: unknown, inputs: Properties, does: "create" | "replace" | "update"): Result {
    if (error instanceof InitFailure) {
      const { id, outs, message: failure } = error;
      this.held = { id, inputs, outs, failure };
    }
    return {
      does,
      refuses: error instanceof Error ? error.message : String(error),
      shows: this.held?.outs ?? {},
    };
  }
}

function refused({ failures }: CheckedInputs): Result {
  return { refuses: failures.map(told).join("\n"), shows: {} };
}

function shown(does: "create" | "update" | "replace", { inputs }: CheckedInputs): Result {
  return { does, refuses: "", shows: inputs };
}

/** As the engine prints it (issueCheckFailures); what it finds under a path is nothing. */
function told({ property, reason }: CheckedInputs["failures"][number]): string {
  return property === "" ? reason : `property ${property} value {<nil>} has a problem: ${reason}`;
}
