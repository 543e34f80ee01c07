export function missing(old: readonly string[], now: readonly string[]): readonly string[] {
  return old.filter((entry) => !now.includes(entry));
}

export function changed(what: string, was: string | number, is: string | number): string {
  return `${what} ${was} becomes ${is}`;
}

export function list(entries: readonly string[]): string {
  return entries.join(", ");
}
