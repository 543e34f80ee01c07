import { hideSecrets, isSecretKey, withoutSecret } from "./hidden-secrets.js";
import type { Mistake, MistakeCode } from "./mistake.js";

export type Path = readonly (string | number)[];

/** A mistake before it is known how its place was written in the source. */
export interface Finding {
  readonly code: MistakeCode;
  /** In the normal form, where `routing` is a list. */
  readonly path: Path;
  /** Left out where the place as a whole is meant. */
  readonly value?: unknown;
  /** The last key of the path may be a piece of a secret. */
  readonly hidesKey?: true;
  /** The known key that was probably meant by the last key of the path. */
  readonly meantKey?: string;
  readonly message: string;
  readonly remedy: string;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The path as the source has it: a single subnet, or nothing, may stand there without a list around it. */
export function sourcePath(source: unknown, path: Path): Path {
  let current = source;
  const result: (string | number)[] = [];
  for (const step of path) {
    if (step === 0 && current !== undefined && !Array.isArray(current)) continue;
    result.push(step);
    current =
      isObject(current) || Array.isArray(current) ? (current as Record<string | number, unknown>)[step] : undefined;
  }
  return result;
}

export function valueAt(source: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      isObject(value) || Array.isArray(value) ? (value as Record<string | number, unknown>)[step] : undefined,
    source,
  );
}

/** `networks[0].vxlan.vni` */
export function renderPath(path: Path): string {
  return path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`),
    "",
  );
}

/** The one place where a finding becomes what people see, so that no secret of the source goes further. */
export function toMistake(finding: Finding, source: unknown): Mistake {
  const path = sourcePath(source, finding.path);
  const written = valueAt(source, path);
  const value = finding.value === undefined || written === undefined ? finding.value : written;
  const shownPath = finding.hidesKey ? path.slice(0, -1) : path;
  const isSecret = path.some((step) => typeof step === "string" && isSecretKey(step));
  return {
    code: finding.code,
    path: renderPath(shownPath.map((step) => (typeof step === "string" ? withoutSecret(step) : step))),
    value: isSecret ? undefined : hideSecrets(value),
    message: finding.message,
    remedy: finding.remedy,
  };
}
