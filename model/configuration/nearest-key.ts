import type { Problem } from "./mistake.js";

/** What is said of a key that may not stand in its place. */
export function unknownKey(key: string, known: readonly string[]): Problem & { readonly nearest: string | undefined } {
  const nearest = nearestKey(key, known);
  const remedy =
    nearest === undefined
      ? `remove it; what may stand here: ${known.toSorted().join(", ")}`
      : `did you mean ${nearest}?`;
  return { code: "UnknownKey", message: notKnown, remedy, nearest };
}

/** Sets such a key apart from one that is known and stands beside the wrong others. */
export const notKnown = "is not a known key";

/**
 * The known key that was probably meant: the one with the fewest edits, ties by the alphabet. None where more than a third
 * of the letters would change (the measure of rustc for its suggestions): a far key sends people the wrong way.
 */
export function nearestKey(unknown: string, known: readonly string[]): string | undefined {
  const farthest = Math.floor(Math.max(unknown.length, 3) / 3);
  const [nearest] = known
    .map((key) => ({ key, distance: editDistance(unknown.toLowerCase(), key.toLowerCase()) }))
    .filter(({ distance }) => distance <= farthest)
    .sort((left, right) => left.distance - right.distance || (left.key < right.key ? -1 : 1));
  return nearest?.key;
}

/** Optimal string alignment: insertion, deletion, substitution, and two neighbours in the wrong order, each one edit. */
function editDistance(left: string, right: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let index = 0; index < left.length; index++) {
    const next = [index + 1];
    for (let column = 0; column < right.length; column++) {
      const substitute = (row[column] ?? 0) + Number(left[index] !== right[column]);
      const swapped = index > 0 && column > 0 && left[index] === right[column - 1] && left[index - 1] === right[column];
      const swap = swapped ? (before[column - 1] ?? 0) + 1 : substitute;
      next.push(Math.min(substitute, swap, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
