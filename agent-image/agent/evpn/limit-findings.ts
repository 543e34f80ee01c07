import type { PlanCondition } from "../../../model/index.js";
import type { Fill } from "../bgp/rib/route-limit.js";
import { messageBurst, sustainedMessages } from "../bgp/session/message-rate.js";
import { named } from "./findings.js";

/** How much of its limits one peer uses. */
export interface PeerLimits {
  readonly peer: string;
  readonly routes: Fill;
  readonly routeLimit: number;
  readonly messages: Fill;
}

/** How many MACs of others a network has. */
export interface MacLimit {
  readonly macs: Fill;
  readonly macLimit: number;
}

/** Which limits are near, and which hold something back. Without counts: a status that changes with each route is written for ever. */
export function limitFindings({ macs, macLimit }: MacLimit, peers: readonly PeerLimits[]): PlanCondition[] {
  return [...routeLimit(peers), ...ofMacs(macs, macLimit), ...messageRate(peers)];
}

function routeLimit(peers: readonly PeerLimits[]): PlanCondition[] {
  const [near, over] = (["near the limit", "over the limit"] as const).map((fill) =>
    peers.filter(({ routes }) => routes === fill).map(({ peer, routeLimit: limit }) => `${peer} (${limit})`),
  );
  const remedy = "let it send only those of the networks that this node carries, or raise bgp.maxRoutes";
  return [
    ...tell(
      "RoutesNearLimit",
      near,
      (who) => `three quarters of the routes that are taken have come from ${who}: ${remedy}`,
    ),
    ...tell(
      "RouteLimitReached",
      over,
      (who) =>
        `more routes came than are taken from ${who}: its session was ended (RFC 4486), what it told is dropped after the restart ` +
        `time, and it is tried again after some minutes; ${remedy}`,
    ),
  ];
}

function ofMacs(macs: Fill, limit: number): PlanCondition[] {
  const remedy = "look for a host that invents MACs, or raise bgp.maxMacs";
  switch (macs) {
    case "fine":
      return [];
    case "near the limit":
      return [
        {
          reason: "MacsNearLimit",
          message: `the network has three quarters of the ${limit} MACs that the kernel gets: ${remedy}`,
        },
      ];
    case "over the limit":
      return [
        {
          reason: "MacLimitReached",
          message: `the network has more than the ${limit} MACs that the kernel gets: frames to the later ones are flooded; ${remedy}`,
        },
      ];
  }
}

function messageRate(peers: readonly PeerLimits[]): PlanCondition[] {
  const [near, over] = (["near the limit", "over the limit"] as const).map((fill) =>
    peers.filter(({ messages }) => messages === fill).map(({ peer }) => peer),
  );
  const remedy = "look which routes come and go there";
  return [
    ...tell(
      "MessagesNearLimit",
      near,
      (who) =>
        `${who} sends messages so fast that it will soon have used up the ${messageBurst} that may come at any speed, and be read ` +
        `at ${sustainedMessages} a second: ${remedy}`,
    ),
    ...tell(
      "MessageRateLimited",
      over,
      (who) => `${who} sends messages without end and is read at ${sustainedMessages} a second: ${remedy}`,
    ),
  ];
}

function tell(reason: string, peers: readonly string[] | undefined, message: (who: string) => string): PlanCondition[] {
  return peers === undefined || peers.length === 0 ? [] : [{ reason, message: message(named(peers)) }];
}
