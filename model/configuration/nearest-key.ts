/** The known key with the fewest edits away from the unknown one; ties go to the first in the alphabet. */
export function nearestKey(unknown: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((key) => ({ key, distance: editDistance(unknown.toLowerCase(), key.toLowerCase()) }))
    .sort((left, right) => left.distance - right.distance || (left.key < right.key ? -1 : 1));
  return ranked[0]?.key;
}

/** Levenshtein distance, one row at a time. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...left].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...right].entries()) {
      const substitute = (row[column] ?? 0) + Number(letter !== other);
      next.push(Math.min(substitute, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
