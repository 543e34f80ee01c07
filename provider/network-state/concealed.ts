import type { Mistake } from "../../model/index.js";
import type { Environment } from "../environment.js";
import { PartialFailure } from "../partial-failure.js";
import { PlainError } from "../plain-error.js";
import type { NetworkStateArguments } from "./state.js";

/** As the engine shows a secret. */
const concealed = "[secret]";

/**
 * What the networks of a program hold of values that it marked as secret: the provider gets them in plain, and says them in no
 * mistake, line, command or drift.
 */
export class SecretTexts {
  private readonly texts = new Set<string>();

  /** Learns the secrets of a network, in the words of the program and in those of the normal form. */
  learn(network: Pick<Partial<NetworkStateArguments>, "secrets" | "spec" | "addressPool">): void {
    for (const path of network.secrets ?? []) {
      const root = path.startsWith("addressPool") ? network : network.spec;
      for (const text of leaves(valueAt(root, stepsOf(path)))) this.texts.add(text);
    }
  }

  /** The text without them. */
  hide(text: string): string {
    // The longest first: one may stand in another.
    return [...this.texts]
      .sort((one, other) => other.length - one.length)
      .reduce((shown, secret) => shown.replaceAll(alone(secret), concealed), text);
  }

  /** The mistake without them; its value is the secret itself where the place is one, however it would be shown. */
  hideIn(mistake: Mistake, { secrets = [] }: Pick<NetworkStateArguments, "secrets">): Mistake {
    const path = listed(mistake.path);
    const isSecret = secrets.some((secret) => path.startsWith(listed(secret)) || listed(secret).startsWith(path));
    return isSecret && mistake.value !== undefined ? { ...mistake, value: concealed } : mistake;
  }

  /** The environment, which prints none of them. */
  environment(open: Environment): Environment {
    return {
      connect: (...parameters) => open.connect(...parameters),
      now: () => open.now(),
      sleep: (ms) => open.sleep(ms),
      log: (line) => open.log(this.hide(line)),
      logOnce: (subject, line) => open.logOnce(subject, this.hide(line)),
    };
  }

  /** The error as it may be shown. */
  error(error: unknown): unknown {
    if (!(error instanceof Error) || this.hide(error.message) === error.message) return error;
    if (error instanceof PartialFailure) {
      const [summary = "", ...details] = error.reasons.map((reason) => this.hide(reason));
      return new PartialFailure(summary, error.id, error.properties, details);
    }
    return error instanceof PlainError ? new PlainError(this.hide(error.message)) : error;
  }
}

/** `routing` may stand for the only item of the list that it is in the normal form. */
function listed(path: string): string {
  return path.replace(/^routing(?=\.|$)/, "routing[0]");
}

function stepsOf(path: string): readonly string[] {
  return path.split(/[.[\]]+/).filter((step) => step !== "");
}

function valueAt(root: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((value, step, index) => {
    const within = index > 0 && steps[index - 1] === "routing" && Array.isArray(value) && !/^\d+$/.test(step);
    const holder = within ? value[0] : value;
    return typeof holder === "object" && holder !== null ? (holder as Record<string, unknown>)[step] : undefined;
  }, root);
}

/** Texts and numbers in a value: a truth value cannot be told from any other. */
function leaves(value: unknown): readonly string[] {
  if (typeof value === "number") return [String(value)];
  if (typeof value === "string") return value.trim() === "" ? [] : [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [];
}

/** Not as a part of a longer word or number, nor a number that is the place in a list. */
function alone(text: string): RegExp {
  const escaped = text.replaceAll(/[$()*+./?[\\\]^{|}-]/g, "\\$&");
  const before = /^\d+$/.test(text) ? "\\w.[" : "\\w.";
  return new RegExp(`(?<![${before}])${escaped}(?!\\w|\\.\\w)`, "g");
}
