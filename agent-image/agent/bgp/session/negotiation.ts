import { evpnFamily, isEvpn } from "../codec/address-family.js";
import { BgpError, errorCodes } from "../codec/bgp-error.js";
import { evpnCapabilityBytes, type GracefulRestart } from "../codec/capabilities.js";
import { maximumExtendedMessageLength, maximumMessageLength } from "../codec/message-header.js";
import type { OpenMessage } from "../codec/open.js";
import { isInternal, type SessionConfig } from "./session-config.js";

/** What both OPEN messages together give. */
export interface Negotiated {
  /** Seconds; 0: neither side sends keepalives. */
  readonly holdTime: number;
  readonly fourOctetAs: boolean;
  readonly maximumMessageLength: number;
  readonly peerIdentifier: string;
  /** RFC 7313: a replay of routes is marked at its begin and end. */
  readonly enhancedRefresh: boolean;
  readonly peerRestart: GracefulRestart | undefined;
  /** Seconds for which the peer's EVPN routes are kept after its restart time (RFC 9494); 0: they are not. */
  readonly longLivedStaleTime: number;
}

/** Seconds that we ask a peer to keep our routes; FRR and Cumulus default to the same. */
export const restartTime = 120;

/** RFC 4271 section 4.2: 1 and 2 are not allowed. */
const minimumHoldTime = 3;

/**
 * Our OPEN. `returning`: this process has had the session before, so forwarding went on while the connection was away
 * (RFC 4724 section 3). ADD-PATH and IPv4 unicast are left out on purpose: nothing here would read them.
 */
export function proposeOpen(config: SessionConfig, returning: boolean): OpenMessage {
  const restarted = config.restarted && !returning;
  const family = { ...evpnFamily, forwardingPreserved: restarted || returning };
  return {
    kind: "open",
    as: config.localAsn,
    holdTime: config.holdTime,
    bgpIdentifier: config.routerId,
    capabilities: [
      { kind: "multiprotocol", family: evpnFamily },
      { kind: "route-refresh" },
      { kind: "enhanced-route-refresh" },
      { kind: "extended-message" },
      {
        kind: "graceful-restart",
        restart: {
          restarted,
          notification: true,
          time: restartTime,
          families: [family],
        },
      },
      // Peers may send us routes that they keep so. Ours they shall forget after the restart time: a node that is dead for so long
      // must not draw traffic.
      { kind: "long-lived-graceful-restart", families: [{ ...family, staleTime: 0 }] },
      { kind: "four-octet-as", as: config.localAsn },
    ],
  };
}

/** Checks the peer's OPEN against the configuration (RFC 4271 section 6.2); throws a BgpError when it does not fit. */
export function negotiate(config: SessionConfig, open: OpenMessage): Negotiated {
  if (open.as !== config.peerAsn) {
    // AS 0 is refused by the same comparison (RFC 7607).
    throw new BgpError(errorCodes.badPeerAs, `the peer says it is AS ${open.as}; AS ${config.peerAsn} is configured`);
  }
  if (open.bgpIdentifier === "0.0.0.0" || (isInternal(config) && open.bgpIdentifier === config.routerId)) {
    // RFC 6286 section 2.2
    throw new BgpError(
      errorCodes.badBgpIdentifier,
      `the peer's BGP identifier ${open.bgpIdentifier} is zero or our own; give each speaker of the AS one of its own`,
    );
  }
  if (open.holdTime !== 0 && open.holdTime < minimumHoldTime) {
    const message = `the peer's hold time of ${open.holdTime} s is neither 0 nor at least ${minimumHoldTime} s`;
    throw new BgpError(errorCodes.unacceptableHoldTime, message);
  }
  if (!open.capabilities.some((offer) => offer.kind === "multiprotocol" && isEvpn(offer.family))) {
    // RFC 5492 section 3
    throw new BgpError(
      errorCodes.unsupportedCapability,
      "the peer does not offer L2VPN EVPN; activate the neighbour in its address family",
      evpnCapabilityBytes,
    );
  }
  const offers = (kind: OpenMessage["capabilities"][number]["kind"]): boolean =>
    open.capabilities.some((offer) => offer.kind === kind);
  const peerRestart = open.capabilities.find((offer) => offer.kind === "graceful-restart")?.restart;
  const longLived = open.capabilities.find((offer) => offer.kind === "long-lived-graceful-restart");
  return {
    // RFC 4271 section 4.2: 0 only when one side insists; we never propose it.
    holdTime: Math.min(open.holdTime, config.holdTime),
    fourOctetAs: offers("four-octet-as"),
    maximumMessageLength: offers("extended-message") ? maximumExtendedMessageLength : maximumMessageLength,
    peerIdentifier: open.bgpIdentifier,
    enhancedRefresh: offers("route-refresh") && offers("enhanced-route-refresh"),
    peerRestart,
    // RFC 9494 section 3.1: without graceful restart the capability means nothing.
    longLivedStaleTime: peerRestart === undefined ? 0 : (longLived?.families.find(isEvpn)?.staleTime ?? 0),
  };
}
