import { type AddressFamily, evpnFamily, isEvpn } from "./address-family.js";
import { BgpError, errorCodes } from "./bgp-error.js";
import { encodeMessage } from "./message-header.js";

/** RFC 2918 section 3 with RFC 7313 section 3.2: AFI (2) | subtype (1) | SAFI (1). */
export interface RouteRefreshMessage {
  readonly kind: "route-refresh";
  readonly family: AddressFamily;
  /** 0: send all routes again; 1 and 2 mark begin and end of such a replay. */
  readonly subtype: number;
}

const bodyLength = 4;

/** RFC 2918 and RFC 7313 section 3.2, by what the sender wants: all routes again, or to mark a replay of its own. */
const subtypes = { request: 0, begin: 1, end: 2 } as const;

export type RefreshPurpose = keyof typeof subtypes;

/** Undefined for another address family (RFC 2918 section 4) and an unknown subtype (RFC 7313 section 5): both are ignored. */
export function refreshPurpose({ family, subtype }: RouteRefreshMessage): RefreshPurpose | undefined {
  const purposes = Object.keys(subtypes) as RefreshPurpose[];
  return isEvpn(family) ? purposes.find((purpose) => subtypes[purpose] === subtype) : undefined;
}

export function encodeRouteRefresh(purpose: RefreshPurpose): Buffer {
  const { afi, safi } = evpnFamily;
  return encodeMessage("route-refresh", Buffer.from([afi >>> 8, afi & 0xff, subtypes[purpose], safi]));
}

/** Another length is only possible with outbound filters (RFC 5291), which are not negotiated, and for unknown subtypes. */
export function decodeRouteRefresh(body: Buffer): RouteRefreshMessage {
  const unknown = body.length > bodyLength && body.readUInt8(2) > subtypes.end;
  if (body.length !== bodyLength && !unknown) {
    // RFC 7313 section 5: the data is the whole message.
    const whole = encodeMessage("route-refresh", body);
    const message = `ROUTE-REFRESH has ${body.length} bytes after its header, not ${bodyLength}`;
    throw new BgpError(errorCodes.invalidRouteRefreshLength, message, whole);
  }
  return {
    kind: "route-refresh",
    family: { afi: body.readUInt16BE(0), safi: body.readUInt8(3) },
    subtype: body.readUInt8(2),
  };
}
