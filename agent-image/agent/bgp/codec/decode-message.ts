import type { KeepaliveMessage } from "./keepalive.js";
import type { Frame } from "./message-header.js";
import { decodeNotification, type NotificationMessage } from "./notification.js";
import { decodeOpen, type OpenMessage } from "./open.js";
import type { AttributeContext } from "./path-attributes.js";
import { decodeRouteRefresh, type RouteRefreshMessage } from "./route-refresh.js";
import { decodeUpdate, type UpdateMessage } from "./update.js";

export type BgpMessage = OpenMessage | UpdateMessage | NotificationMessage | KeepaliveMessage | RouteRefreshMessage;

/** Throws a BgpError, and nothing else, when the session must be reset. */
export function decodeMessage({ kind, body }: Frame, context: AttributeContext): BgpMessage {
  switch (kind) {
    case "open":
      return decodeOpen(body);
    case "update":
      return decodeUpdate(body, context);
    case "notification":
      return decodeNotification(body);
    case "keepalive":
      return { kind: "keepalive" };
    case "route-refresh":
      return decodeRouteRefresh(body);
  }
}
