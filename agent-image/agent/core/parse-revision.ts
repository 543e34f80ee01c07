import {
  hasUnknown,
  type NetworkRevisionData,
  type NetworkSpec,
  networkSpec,
  parseConfiguration,
  renderMistake,
  sharedBy,
} from "../../../model/index.js";

export type ParsedRevision =
  | { readonly ok: true; readonly spec: NetworkSpec }
  | { readonly ok: false; readonly mistakes: readonly string[] };

/**
 * The one place where a version becomes something to carry. The API server knows the form of the objects, not their
 * sense: in its schema a prefix is a text, and what is no prefix must reach neither kernel nor peers.
 */
export function parseRevision(revision: NetworkRevisionData): ParsedRevision {
  const { network: name, spec } = revision;
  const configuration = { ...sharedBy(revision), networks: [{ ...spec, name }] };
  if (hasUnknown(configuration)) {
    return { ok: false, mistakes: ["it holds a value that Pulumi did not know yet"] };
  }
  const parsed = parseConfiguration(configuration);
  const [network] = parsed.ok ? parsed.value.networks : [];
  return network === undefined
    ? { ok: false, mistakes: parsed.ok ? [] : parsed.mistakes.map(renderMistake) }
    : { ok: true, spec: networkSpec(network) };
}
