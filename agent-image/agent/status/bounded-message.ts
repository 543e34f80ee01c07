/**
 * Characters of a message, as the Kubernetes API has it for conditions (metav1.Condition: maxLength 32768). Far below, for an
 * object of etcd holds 1.5 MiB in all and a node may carry hundreds of networks.
 */
const longestMessage = 2048;
/** Characters for the words that say how much was left out. */
const roomForCount = 48;
/** Entries of one kind that a message names; whoever has more of them needs no list to find one. */
const namedEntries = 5;

/** A few of them and how many more there are; none longer than a message may be. */
export function boundedList(texts: readonly string[]): readonly string[] {
  const named = texts.slice(0, namedEntries).map(boundedMessage);
  const more = texts.length - named.length;
  return more > 0 ? [...named, `and ${more} more`] : named;
}

export function boundedMessage(text: string): string {
  if (text.length <= longestMessage) return text;
  const kept = longestMessage - roomForCount;
  return `${text.slice(0, kept)} … (${text.length - kept} characters more)`;
}
