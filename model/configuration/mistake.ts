import { printable, showSource, showValue } from "./show-value.js";

/** One thing that is wrong in a configuration: where, what stands there, why it is wrong and what to write instead. */
export interface Mistake {
  /** CamelCase and stable, so that machines can tell mistakes apart. */
  readonly code: MistakeCode;
  /** `networks[0].vxlan.vni` as it stands in the source; empty for the whole document. */
  readonly path: string;
  readonly value: unknown;
  /** Continues the value as a sentence: `has host bits`. */
  readonly message: string;
  readonly remedy: string;
  /** In a file, counted from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** What a check of one value found; its place is known to the caller. */
export type Problem = Pick<Mistake, "code" | "message" | "remedy">;

export type MistakeCode =
  | "AmbiguousNumber"
  | "AutomaticRouteTarget"
  | "BfdSlowerThanHoldTime"
  | "CniPort"
  | "CniTable"
  | "CniTunnel"
  | "DuplicateKey"
  | "DuplicateName"
  | "DuplicatePeer"
  | "DuplicatePrefix"
  | "DuplicateRemote"
  | "DuplicateRouteTarget"
  | "DuplicateSegment"
  | "DuplicateStaticAddress"
  | "EmptyConfiguration"
  | "FamilyMismatch"
  | "ForeignInterface"
  | "GatewayIsNetworkAddress"
  | "GatewayOutsidePrefix"
  | "GobgpPortClash"
  | "HostBits"
  | "InterfaceEnslaved"
  | "InvalidAddress"
  | "InvalidAsn"
  | "InvalidInterfaceName"
  | "InvalidLabelKey"
  | "InvalidLabelValue"
  | "InvalidName"
  | "InvalidPrefix"
  | "InvalidRouteDistinguisher"
  | "InvalidRouteTarget"
  | "InvalidSyntax"
  | "MarksExhausted"
  | "Missing"
  | "MtuBelowIpv6"
  | "NestedPrefix"
  | "NetworkAddress"
  | "NoAssignableAddress"
  | "NoPodNetworkOfFamily"
  | "NobodyToFloodTo"
  | "NotAssignable"
  | "NotOneOf"
  | "InvalidPath"
  | "NotSupported"
  | "NotUnicast"
  | "OutOfRange"
  | "OverlapsNodeNet"
  | "OverlapsPodNetwork"
  | "OverlapsSourceAddress"
  | "OwnInterface"
  | "PeerInsidePublicPrefix"
  | "PortInUse"
  | "PrefixReplaced"
  | "RarelyAnnounced"
  | "ReplacesNothing"
  | "ReservedAsn"
  | "ReservedTable"
  | "RouteDistinguisherClash"
  | "RouteTargetClash"
  | "SegmentInUse"
  | "SessionParametersDiffer"
  | "SeveralDocuments"
  | "SharedRouteDistinguisher"
  | "SharedRouterId"
  | "TableClash"
  | "UnknownKey"
  | "UnusedRemotes"
  | "UnknownValue"
  | "WrongType";

export type ParseResult<Value> =
  | { readonly ok: true; readonly value: Value; readonly warnings: readonly Mistake[] }
  | { readonly ok: false; readonly mistakes: readonly Mistake[]; readonly warnings: readonly Mistake[] };

/** One line: `networks[0].vxlan.vni: 254 is the kernel's main routing table; set routing.table (line 5, column 12)`. */
export function renderMistake(mistake: Omit<Mistake, "code"> & { readonly code: string }): string {
  const where = mistake.path === "" ? "configuration" : mistake.path;
  const sentence = [shownValue(mistake), mistake.message].filter((part) => part !== "").join(" ");
  const position = mistake.line === undefined ? "" : ` (line ${mistake.line}, column ${mistake.column ?? 1})`;
  // Paths hold keys of the source too, and messages values of other places.
  return printable(`${where}: ${sentence}; ${mistake.remedy}${position}`);
}

/** An ambiguous number is shown as it stands in the file: its value is what readers of YAML do not agree on. */
function shownValue({ code, value }: { readonly code: string; readonly value: unknown }): string {
  return code === "AmbiguousNumber" && typeof value === "string" ? showSource(value) : showValue(value);
}
