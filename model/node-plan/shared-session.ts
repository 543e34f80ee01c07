import type { SpeakerPlan } from "./node-plan.js";

/** What a BGP session between two addresses has one of (RFC 4271 section 4.2), so that all its networks must agree in it. */
export type SessionParameters = Pick<
  SpeakerPlan,
  "localAsn" | "peerAsn" | "routerId" | "holdTime" | "passwordFile" | "ttlSecurity" | "allowOwnAs"
>;

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
