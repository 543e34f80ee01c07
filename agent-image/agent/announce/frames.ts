import { announcementReply, announcementRequest, gatewayRequest } from "./arp-frame.js";
import { gatewaySolicitation, unsolicitedAdvertisement } from "./ndp-frame.js";
import type { DueAnnouncement } from "./schedule.js";

/** Frames of one step: the announcement itself, and the question to the gateway. */
export const framesOfStep = 2;

/** What a step of an announcement sends, in its order. Neighbor Discovery has one form only. */
export function framesOf({ announcement, form }: DueAnnouncement): readonly Buffer[] {
  const { family, mac, address, gateway } = announcement;
  if (family === 6) {
    return [unsolicitedAdvertisement(mac, address), gatewaySolicitation(mac, address, gateway)];
  }
  const announce = form === "request" ? announcementRequest : announcementReply;
  return [announce(mac, address), gatewayRequest(mac, address, gateway)];
}
