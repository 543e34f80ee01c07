import { evpnFamily } from "../bgp/codec/address-family.js";
import type { GracefulRestart } from "../bgp/codec/capabilities.js";
import type { OpenMessage } from "../bgp/codec/open.js";
import type { MessageCounts } from "../bgp/session/message-counts.js";
import { restartTime } from "../bgp/session/negotiation.js";
import { isInternal } from "../bgp/session/session-config.js";
import { keepaliveInterval } from "../bgp/session/timing.js";
import { lowestTtl } from "../bgp/session/ttl-security.js";
import type { Neighbour } from "../evpn/neighbour.js";
import { capabilityMessages, familyMessage } from "./capability-message.js";
import type { ApiMessage, Dialect } from "./dialect.js";

/**
 * A neighbour as the message `Peer`. The command `gobgp neighbor` reads nested messages without asking whether they are there, and
 * panics: empty ones stand for what there is nothing to say of. Passwords are not told.
 *
 * @param withSent whether to say how many routes were sent, which GoBGP does on demand alone
 */
export function peerMessage(neighbour: Neighbour, dialect: Dialect, withSent: boolean): ApiMessage {
  const { target, config, details, routes } = neighbour;
  const family = familyMessage(evpnFamily);
  const identity = {
    neighbor_address: target.peer,
    peer_asn: config.peerAsn,
    local_asn: config.localAsn,
    type: dialect.peerType[isInternal(config) ? "internal" : "external"],
  };
  return {
    apply_policy: {},
    conf: { ...identity, allow_own_asn: config.allowOwnAs ?? 0 },
    ebgp_multihop: {},
    route_reflector: {},
    route_server: {},
    ttl_security: config.ttlSecurity === undefined ? {} : { enabled: true, ttl_min: lowestTtl(config.ttlSecurity) },
    state: { ...identity, ...stateFields(neighbour, dialect) },
    timers: timersMessage(neighbour),
    transport: { local_address: target.local, remote_address: target.peer },
    graceful_restart: {
      enabled: true,
      restart_time: restartTime,
      notification_enabled: true,
      longlived_enabled: true,
      peer_restart_time: peerRestart(details.peerOpen)?.time ?? 0,
      peer_restarting: peerRestart(details.peerOpen)?.restarted ?? false,
    },
    afi_safis: [
      {
        mp_graceful_restart: { config: { enabled: true } },
        config: { family, enabled: true },
        state: {
          family,
          enabled: true,
          received: routes.received,
          accepted: routes.imported,
          advertised: withSent ? routes.sent : 0,
        },
      },
    ],
  };
}

function stateFields({ status, details, losses }: Neighbour, dialect: Dialect): ApiMessage {
  const { ownOpen, peerOpen, received, sent } = details;
  return {
    session_state: dialect.sessionState[status.state],
    admin_state: dialect.adminUp,
    messages: { received: countsMessage(received), sent: countsMessage(sent) },
    queues: {},
    flops: losses,
    router_id: peerOpen?.bgpIdentifier ?? "",
    local_cap: capabilityMessages(ownOpen?.capabilities ?? [], dialect.version),
    remote_cap: capabilityMessages(peerOpen?.capabilities ?? [], dialect.version),
    ...(dialect.version === "v4" ? { disconnect_message: status.lastError ?? "" } : {}),
  };
}

function countsMessage(counts: MessageCounts): ApiMessage {
  const { open, update, notification, keepalive, "route-refresh": refresh } = counts;
  const total = open + update + notification + keepalive + refresh;
  return { open, update, notification, keepalive, refresh, total };
}

/** Without a time of the last session the command prints that there was none, whatever the state. */
function timersMessage({ config, status, details, establishedAt }: Neighbour): ApiMessage {
  const negotiated = details.negotiatedHoldTime;
  const isUp = status.state === "Established";
  return {
    config: { hold_time: config.holdTime, keepalive_interval: keepaliveSeconds(config.holdTime) },
    state: {
      ...(negotiated === undefined
        ? {}
        : { negotiated_hold_time: negotiated, keepalive_interval: keepaliveSeconds(negotiated) }),
      ...(establishedAt === undefined ? {} : { uptime: timestamp(establishedAt) }),
      ...(establishedAt === undefined || isUp ? {} : { downtime: timestamp(new Date(status.since)) }),
    },
  };
}

/** The field holds whole seconds. */
function keepaliveSeconds(holdTime: number): number {
  return Math.floor(keepaliveInterval(holdTime) / 1000);
}

/** As google.protobuf.Timestamp. */
function timestamp(time: Date): ApiMessage {
  const milliseconds = time.getTime();
  return { seconds: Math.floor(milliseconds / 1000), nanos: (milliseconds % 1000) * 1_000_000 };
}

function peerRestart(open: OpenMessage | undefined): GracefulRestart | undefined {
  return open?.capabilities.find((capability) => capability.kind === "graceful-restart")?.restart;
}
