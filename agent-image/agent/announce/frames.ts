import { announcementReply, announcementRequest, gatewayRequest } from "./arp-frame.js";
import { gatewaySolicitation, unsolicitedAdvertisement } from "./ndp-frame.js";
import type { Announcement, DueAnnouncement } from "./schedule.js";

/** At most, of one step: the announcement itself, and the question to the gateway. */
export const framesOfStep = 2;

/** What a step of an announcement sends, in its order. */
export function framesOf({ announcement, form }: DueAnnouncement): readonly Buffer[] {
  const { family, mac, address, gateway } = announcement;
  const question = family === 6 ? gatewaySolicitation : gatewayRequest;
  return [...(form === "none" ? [] : [announcementOf(announcement, form)]), question(mac, address, gateway)];
}

/** Neighbor Discovery has one form only. */
function announcementOf({ family, mac, address }: Announcement, form: "request" | "reply"): Buffer {
  if (family === 6) {
    return unsolicitedAdvertisement(mac, address);
  }
  return form === "request" ? announcementRequest(mac, address) : announcementReply(mac, address);
}
