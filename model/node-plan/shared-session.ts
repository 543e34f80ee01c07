import { type BfdPlan, showBfd } from "../configuration/bfd.js";
import type { SpeakerPlan } from "./node-plan.js";

/** What a BGP session between two addresses has one of (RFC 4271 section 4.2), so that all its networks must agree in it. */
export type SessionParameters = Pick<
  SpeakerPlan,
  "localAsn" | "peerAsn" | "routerId" | "holdTime" | "passwordFile" | "ttlSecurity" | "allowOwnAs"
>;

/** With what else networks must agree in that use one pair of addresses; `bfd` undefined: off. */
export type SharedParameters = SessionParameters & { readonly bfd?: BfdPlan | undefined };

/** What the sessions of a network come from; undefined where the node has not the declared address. */
export function sessionSource({ source, vtep }: Pick<SpeakerPlan, "source" | "vtep">): string | undefined {
  return source === undefined ? vtep : (source ?? undefined);
}

/** By the key that people write. */
const parameterKeys: Readonly<Record<keyof SessionParameters, string>> = {
  localAsn: "bgp.myAsn",
  peerAsn: "bgp.peerAsn",
  routerId: "bgp.routerId",
  holdTime: "bgp.holdTime",
  passwordFile: "bgp.passwordFile",
  ttlSecurity: "bgp.ttlSecurity",
  allowOwnAs: "bgp.allowOwnAs",
};

const parameters = Object.keys(parameterKeys) as readonly (keyof SessionParameters)[];

export function sessionParameters(plan: SessionParameters): SessionParameters {
  const { localAsn, peerAsn, routerId, holdTime, passwordFile, ttlSecurity, allowOwnAs } = plan;
  return {
    localAsn,
    peerAsn,
    routerId,
    holdTime,
    ...(passwordFile === undefined ? {} : { passwordFile }),
    ...(ttlSecurity === undefined ? {} : { ttlSecurity }),
    ...(allowOwnAs === undefined ? {} : { allowOwnAs }),
  };
}

/** The same of all that networks must agree in: BFD runs between the two addresses too, and needs no other BGP session when it changes. */
export function sharedDifference(one: SharedParameters, other: SharedParameters): string | undefined {
  const [bfd, otherBfd] = [showBfd(one.bfd), showBfd(other.bfd)];
  return sessionDifference(one, other) ?? (bfd === otherBfd ? undefined : `bgp.bfd (${bfd} and ${otherBfd})`);
}

/**
 * The first parameter in which two networks differ that would share a session, as `bgp.holdTime (30 and 9)`; undefined
 * where they can share it. Validation compares what configurations alone can tell (check-sessions.ts); this is for a node,
 * which knows its addresses.
 */
export function sessionDifference(one: SessionParameters, other: SessionParameters): string | undefined {
  const different = parameters.find((name) => one[name] !== other[name]);
  return different === undefined
    ? undefined
    : `${parameterKeys[different]} (${one[different] ?? "none"} and ${other[different] ?? "none"})`;
}
