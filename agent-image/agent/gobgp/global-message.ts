import type { SpeakerPlan } from "../../../model/index.js";
import { sessionSource } from "../../../model/node-plan/shared-session.js";
import type { ApiMessage } from "./dialect.js";

const bgpPort = 179;
/** As GoBGP says that nobody can connect to it. */
const noPort = -1;

/** A network's speaker as the message `Global`, which names what it holds alike in both majors. */
export function globalMessage(plan: SpeakerPlan): ApiMessage {
  const listening = plan.listen === true ? sessionSource(plan) : undefined;
  return {
    asn: plan.localAsn,
    router_id: plan.routerId,
    listen_port: listening === undefined ? noPort : bgpPort,
    listen_addresses: listening === undefined ? [] : [listening],
  };
}
