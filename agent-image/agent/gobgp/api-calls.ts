import { canonicalAddress } from "../../../model/address/address.js";
import type { EvpnSpeaker } from "../evpn/evpn-speaker.js";
import { type ApiMessage, type ApiVersion, dialects } from "./dialect.js";
import { globalMessage } from "./global-message.js";
import { peerMessage } from "./peer-message.js";

/** What the API reads of the speaker. */
export type ObservedSpeaker = Pick<EvpnSpeaker, "plan" | "neighbours">;

/** Answers to one call: one, or as many as stream. */
export type ApiCall = (request: ApiMessage) => readonly ApiMessage[];

/** The calls that are answered for one network, by their names in the .proto files. */
export function apiCalls(
  network: string,
  speaker: ObservedSpeaker,
  version: ApiVersion,
): Readonly<Record<string, ApiCall>> {
  const dialect = dialects[version];
  return {
    GetBgp: () => {
      const plan = speaker.plan(network);
      return [{ global: plan === undefined ? {} : globalMessage(plan) }];
    },
    ListPeer: (request) => {
      const withSent = (request.enable_advertised ?? request.enableAdvertised) === true;
      const wanted = String(request.address ?? "");
      return speaker
        .neighbours(network)
        .filter(({ target }) => wanted === "" || canonicalAddress(target.peer) === canonicalAddress(wanted))
        .map((neighbour) => ({ peer: peerMessage(neighbour, dialect, withSent) }));
    },
  };
}

/** Why a call is not answered. */
export function notServed(call: string): string {
  return (
    `${call} is not served: what this speaker does is declared in the network's configuration; ` +
    "its state is read with GetBgp and ListPeer (gobgp global, gobgp neighbor)"
  );
}
