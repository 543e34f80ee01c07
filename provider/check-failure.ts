import { type Mistake, renderMistake } from "../model/index.js";

/**
 * Why a check refuses its inputs. The engine shows a `property` with the value that it finds under just this name at the top of
 * the inputs: `{<nil>}` for a path, the whole of an object else (pulumi/pulumi pkg/resource/deploy/step_generator.go,
 * issueCheckFailures). So it stays empty, and the reason says path and value.
 */
export interface CheckFailure {
  readonly property: "";
  readonly reason: string;
}

/** @param path of the component's argument, as its user writes it; empty where no single argument is wrong */
export function checkFailure(path: string, reason: string): CheckFailure {
  return { property: "", reason: path === "" ? reason : `${path}: ${reason}` };
}

export function mistakeFailure(mistake: Mistake): CheckFailure {
  return { property: "", reason: renderMistake(mistake) };
}
