import { type AddressFamily, isEvpn } from "./address-family.js";
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

/** RFC 2918: send everything again. The other subtypes (RFC 7313) need a capability that we do not offer. */
const plainRefresh = 0;

/** Whether it asks for our EVPN routes; anything else is ignored (RFC 2918 section 4, RFC 7313 section 5). */
export function isRefreshRequest({ family, subtype }: RouteRefreshMessage): boolean {
  return isEvpn(family) && subtype === plainRefresh;
}

/** Another length is only possible with outbound filters (RFC 5291), which are not negotiated. */
export function decodeRouteRefresh(body: Buffer): RouteRefreshMessage {
  if (body.length !== bodyLength) {
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
