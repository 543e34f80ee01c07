import type { SessionState } from "../../../../model/index.js";
import { BgpError, type ErrorCode, errorCodes } from "../codec/bgp-error.js";
import type { BgpMessage } from "../codec/decode-message.js";
import { describeNotification, isHardReset } from "../codec/notification.js";
import type { OpenMessage } from "../codec/open.js";
import type { RouteRefreshMessage } from "../codec/route-refresh.js";
import type { UpdateMessage } from "../codec/update.js";
import { type Contest, judgeCollision, noContest } from "./collision.js";
import { addressed, type Farewell } from "./farewell.js";
import { type Negotiated, negotiate, proposeOpen } from "./negotiation.js";
import type { SessionConfig } from "./session-config.js";
import {
  collisionWait,
  connectTimeout,
  type FailureKind,
  keepaliveInterval,
  openHoldTime,
  retryDelay,
} from "./timing.js";
import { lowestTtl } from "./ttl-security.js";

/**
 * The finite state machine of RFC 4271 section 8 as a pure function, for one connection. It connects; one that the peer has
 * opened (`accepted`) has a machine of its own, as RFC 4271 section 6.8 wants it, and the two know each other as rivals.
 *
 * Active differs from the RFC in that alone: it is the wait before the next attempt, as in FRR.
 */
export interface SessionMachine {
  readonly state: SessionState;
  /** Attempts in a row that gave no session which stood for a hold time. */
  readonly failures: number;
  /** The session has been Established before, in this process. */
  readonly returning: boolean;
  /** From OpenConfirm on. */
  readonly negotiated: Negotiated | undefined;
  /** Our KEEPALIVE waits for the end of a collision; `confirmed`: the peer's has come. */
  readonly waiting: "for the other connection" | "confirmed" | undefined;
  /** When it became Established, in milliseconds. */
  readonly establishedAt: number | undefined;
}

export type SessionTimer = "connect-retry" | "hold" | "keepalive" | "idle-hold" | "collision" | "send-hold";

export type SessionEvent =
  | { readonly kind: "start" }
  /** Without a farewell the peer sees a lost connection, and may keep our routes (RFC 4724). */
  | { readonly kind: "stop"; readonly farewell: Farewell | undefined }
  | { readonly kind: "connected" }
  /** A connection that the peer has opened. */
  | { readonly kind: "accepted" }
  | { readonly kind: "connection-lost"; readonly reason: string }
  | { readonly kind: "timer-expired"; readonly timer: SessionTimer }
  | { readonly kind: "message"; readonly message: BgpMessage }
  /** `keepRoutes`: false where the fault says that nothing is forwarded any more. */
  | { readonly kind: "fault"; readonly error: BgpError; readonly keepRoutes?: boolean };

export type SessionAction =
  | { readonly kind: "connect" }
  | { readonly kind: "disconnect" }
  | { readonly kind: "send-open"; readonly open: OpenMessage }
  | { readonly kind: "send-keepalive" }
  | ({ readonly kind: "send-notification" } & Farewell)
  | { readonly kind: "start-timer"; readonly timer: SessionTimer; readonly milliseconds: number }
  | { readonly kind: "stop-timer"; readonly timer: SessionTimer }
  | { readonly kind: "negotiated"; readonly negotiated: Negotiated }
  /** The other connection with this peer shall end (RFC 4271 section 6.8). */
  | { readonly kind: "end-rival" }
  | { readonly kind: "established"; readonly negotiated: Negotiated }
  /** `keepRoutes`: false when the peer asks to forget them (RFC 8538 section 3, Hard Reset), or a fault says so. */
  | { readonly kind: "lost"; readonly keepRoutes: boolean }
  | { readonly kind: "deliver"; readonly message: UpdateMessage | RouteRefreshMessage }
  | { readonly kind: "report"; readonly error: string };

export interface Transition {
  readonly machine: SessionMachine;
  readonly actions: readonly SessionAction[];
}

export interface TransitionContext {
  readonly config: SessionConfig;
  /** Milliseconds of any monotonic clock. */
  readonly now: number;
  readonly contest?: Contest;
}

export const initialMachine: SessionMachine = {
  state: "Idle",
  failures: 0,
  returning: false,
  negotiated: undefined,
  waiting: undefined,
  establishedAt: undefined,
};

const allTimers: readonly SessionTimer[] = [
  "connect-retry",
  "hold",
  "keepalive",
  "idle-hold",
  "collision",
  "send-hold",
];
const stopAllTimers: readonly SessionAction[] = allTimers.map((timer) => ({ kind: "stop-timer", timer }));

export function transition(machine: SessionMachine, event: SessionEvent, context: TransitionContext): Transition {
  if (event.kind === "stop") {
    return stop(machine, event.farewell);
  }
  if (event.kind === "fault") {
    // In Idle there is nothing to end; the timer of the next attempt runs already, or nobody wants one.
    return machine.state === "Idle" ? stay(machine) : answerFault(machine, event.error, context, event.keepRoutes);
  }
  switch (machine.state) {
    case "Idle":
      return inIdle(machine, event, context);
    case "Connect":
    case "Active":
      return whileConnecting(machine, event, context);
    case "OpenSent":
    case "OpenConfirm":
    case "Established":
      return whileConnected(machine, event, context);
  }
}

function inIdle(machine: SessionMachine, event: SessionEvent, context: TransitionContext): Transition {
  if (event.kind === "accepted") {
    return open(machine, context);
  }
  const starts = event.kind === "start" || (event.kind === "timer-expired" && event.timer === "idle-hold");
  return starts ? connect(machine) : stay(machine);
}

function whileConnecting(machine: SessionMachine, event: SessionEvent, context: TransitionContext): Transition {
  switch (event.kind) {
    case "connected":
      return open(machine, context);
    case "connection-lost":
      return retry(machine, event.reason);
    case "timer-expired":
      if (event.timer !== "connect-retry") {
        return stay(machine);
      }
      return machine.state === "Active"
        ? connect(machine)
        : retry(machine, `no answer to the connection within ${connectTimeout / 1000} s${silenceHint(context.config)}`);
    default:
      return stay(machine);
  }
}

function open(machine: SessionMachine, { config }: TransitionContext): Transition {
  return {
    machine: { ...machine, state: "OpenSent" },
    actions: [
      { kind: "stop-timer", timer: "connect-retry" },
      { kind: "send-open", open: proposeOpen(config, machine.returning) },
      { kind: "start-timer", timer: "hold", milliseconds: openHoldTime },
    ],
  };
}

/**
 * The kernel drops in silence what is not signed with the password or has come through too many routers (RFC 2385 section 2,
 * RFC 5082 section 3), so that both look like a peer that is away.
 */
function silenceHint({ passwordFile, ttlSecurity }: SessionConfig): string {
  const causes = [
    ...(passwordFile === undefined ? [] : [`its password for this node is not the one in ${passwordFile}`]),
    ...(ttlSecurity === undefined ? [] : [`its packets do not arrive with a TTL of ${lowestTtl(ttlSecurity)} or more`]),
  ];
  return causes.length === 0 ? "" : `: the peer is away, or ${causes.join(", or ")}`;
}

function whileConnected(machine: SessionMachine, event: SessionEvent, context: TransitionContext): Transition {
  switch (event.kind) {
    case "message":
      return receive(machine, event.message, context);
    case "connection-lost":
      // RFC 4271 section 8.2.2: OpenSent goes back to Active, the later states to Idle.
      return machine.state === "OpenSent"
        ? retry(machine, event.reason)
        : leave(machine, event.reason, "unreachable", context, []);
    case "timer-expired":
      return onTimer(machine, event.timer, context);
    default:
      return stay(machine);
  }
}

function onTimer(machine: SessionMachine, timer: SessionTimer, context: TransitionContext): Transition {
  if (timer === "hold") {
    const error = new BgpError(errorCodes.holdTimerExpired, "the peer was silent for the whole hold time");
    return answerFault(machine, error, context);
  }
  if (timer === "send-hold") {
    const error = new BgpError(errorCodes.sendHoldTimerExpired, "the peer has taken nothing for minutes");
    return answerFault(machine, error, context);
  }
  if (timer === "collision" && machine.waiting !== undefined && machine.negotiated !== undefined) {
    return endWait(machine, machine.negotiated, context);
  }
  if (timer === "keepalive" && machine.negotiated !== undefined) {
    return { machine, actions: [{ kind: "send-keepalive" }, ...keepaliveTimer(machine.negotiated)] };
  }
  return stay(machine);
}

function receive(machine: SessionMachine, message: BgpMessage, context: TransitionContext): Transition {
  if (message.kind === "notification") {
    const reason = `the peer ended the session: ${describeNotification(message)}`;
    return leave(machine, reason, "refused", context, [], !isHardReset(message.errorCode));
  }
  switch (machine.state) {
    case "OpenSent":
      return message.kind === "open"
        ? receiveOpen(machine, message, context)
        : answerUnexpected(machine, message, context, errorCodes.unexpectedMessageInOpenSent);
    case "OpenConfirm":
      if (message.kind === "keepalive" && machine.waiting !== undefined) {
        return { machine: { ...machine, waiting: "confirmed" }, actions: holdTimerOf(machine) };
      }
      return message.kind === "keepalive"
        ? establish(machine, context)
        : answerUnexpected(machine, message, context, errorCodes.unexpectedMessageInOpenConfirm);
    default:
      return receiveEstablished(machine, message, context);
  }
}

function receiveOpen(machine: SessionMachine, open: OpenMessage, context: TransitionContext): Transition {
  try {
    const negotiated = negotiate(context.config, open);
    const verdict = collide(open, context);
    if (verdict === "loses") {
      throw new BgpError(
        errorCodes.connectionCollision,
        "another connection with the peer stays (RFC 4271 section 6.8)",
      );
    }
    const waits = verdict === "waits";
    return {
      machine: {
        ...machine,
        state: "OpenConfirm",
        negotiated,
        waiting: waits ? "for the other connection" : undefined,
      },
      actions: [
        ...(verdict === "wins" ? [{ kind: "end-rival" } as const] : []),
        { kind: "negotiated", negotiated },
        ...(waits
          ? [{ kind: "start-timer", timer: "collision", milliseconds: collisionWait } as const]
          : confirmation(negotiated)),
        ...holdTimer(negotiated),
      ],
    };
  } catch (error) {
    if (!(error instanceof BgpError)) {
      throw error;
    }
    return answerFault(machine, error, context);
  }
}

/** What answers an OPEN that fits. */
function confirmation(negotiated: Negotiated): readonly SessionAction[] {
  return [{ kind: "send-keepalive" }, ...keepaliveTimer(negotiated)];
}

/** The other connection has not come so far, so that this one goes on. */
function endWait(machine: SessionMachine, negotiated: Negotiated, context: TransitionContext): Transition {
  const going = { ...machine, waiting: undefined };
  const next = machine.waiting === "confirmed" ? establish(going, context) : stay(going);
  return { machine: next.machine, actions: [...confirmation(negotiated), ...next.actions] };
}

function collide(
  { bgpIdentifier, as }: OpenMessage,
  { config: { routerId, localAsn }, contest = noContest }: TransitionContext,
): ReturnType<typeof judgeCollision> {
  return judgeCollision(contest, { identifier: routerId, as: localAsn }, { identifier: bgpIdentifier, as });
}

function establish(machine: SessionMachine, { now, contest = noContest }: TransitionContext): Transition {
  const { negotiated } = machine;
  if (negotiated === undefined) {
    return stay(machine);
  }
  return {
    machine: { ...machine, state: "Established", returning: true, establishedAt: now },
    actions: [
      ...holdTimer(negotiated),
      ...(contest.rival === undefined ? [] : [{ kind: "end-rival" } as const]),
      { kind: "established", negotiated },
    ],
  };
}

function receiveEstablished(machine: SessionMachine, message: BgpMessage, context: TransitionContext): Transition {
  const alive = holdTimerOf(machine);
  switch (message.kind) {
    case "keepalive":
      return { machine, actions: alive };
    case "update":
    case "route-refresh":
      return { machine, actions: [...alive, { kind: "deliver", message }] };
    default:
      return answerUnexpected(machine, message, context, errorCodes.unexpectedMessageInEstablished);
  }
}

/** RFC 6608: a message that has no place in this state. */
function answerUnexpected(
  machine: SessionMachine,
  message: BgpMessage,
  context: TransitionContext,
  errorCode: ErrorCode,
): Transition {
  const error = new BgpError(errorCode, `a message of type ${message.kind} came in state ${machine.state}`);
  return answerFault(machine, error, context);
}

function answerFault(
  machine: SessionMachine,
  error: BgpError,
  context: TransitionContext,
  keepRoutes?: boolean,
): Transition {
  const failure = error.errorCode === errorCodes.maximumPrefixes ? "over the limit" : "refused";
  // RFC 9384 section 3: what made our own side forget the peer's routes holds for ours too.
  const { errorCode, data } = addressed(error, machine.negotiated, keepRoutes === false || undefined);
  const farewell = { kind: "send-notification", errorCode, data } as const;
  return leave(machine, error.message, failure, context, [farewell], keepRoutes);
}

/** From a connection to Idle, with the wait before the next attempt. */
function leave(
  machine: SessionMachine,
  reason: string,
  failure: FailureKind,
  { config, now }: TransitionContext,
  farewell: readonly SessionAction[],
  keepRoutes = true,
): Transition {
  // Without a hold time ours says what counts as a session that stood, else each attempt would follow the last one at once.
  const holdTime = (machine.negotiated?.holdTime || config.holdTime) * 1000;
  const stood = machine.establishedAt !== undefined && now - machine.establishedAt >= holdTime;
  const failures = stood ? 0 : machine.failures + 1;
  return {
    machine: { ...idle(machine), failures },
    actions: [
      ...farewell,
      { kind: "disconnect" },
      ...stopAllTimers,
      { kind: "report", error: reason },
      ...(machine.state === "Established" ? [{ kind: "lost", keepRoutes } as const] : []),
      { kind: "start-timer", timer: "idle-hold", milliseconds: retryDelay(failures, failure) },
    ],
  };
}

function stop(machine: SessionMachine, farewell: Farewell | undefined): Transition {
  const connected = machine.state === "OpenSent" || machine.state === "OpenConfirm" || machine.state === "Established";
  return {
    machine: { ...idle(machine), failures: 0 },
    actions: [
      ...(connected && farewell !== undefined
        ? [{ kind: "send-notification", ...addressed(farewell, machine.negotiated) } as const]
        : []),
      { kind: "disconnect" },
      ...stopAllTimers,
    ],
  };
}

function connect(machine: SessionMachine): Transition {
  return {
    machine: { ...machine, state: "Connect" },
    actions: [{ kind: "connect" }, { kind: "start-timer", timer: "connect-retry", milliseconds: connectTimeout }],
  };
}

function retry(machine: SessionMachine, reason: string): Transition {
  const failures = machine.failures + 1;
  return {
    machine: { ...machine, state: "Active", failures },
    actions: [
      { kind: "disconnect" },
      ...stopAllTimers,
      { kind: "report", error: reason },
      { kind: "start-timer", timer: "connect-retry", milliseconds: retryDelay(failures, "unreachable") },
    ],
  };
}

function idle(machine: SessionMachine): SessionMachine {
  return { ...machine, state: "Idle", negotiated: undefined, waiting: undefined, establishedAt: undefined };
}

function stay(machine: SessionMachine): Transition {
  return { machine, actions: [] };
}

/** RFC 4271 section 4.2: a negotiated hold time of 0 means neither timer runs. */
function holdTimer({ holdTime }: Negotiated): readonly SessionAction[] {
  return holdTime === 0
    ? [{ kind: "stop-timer", timer: "hold" }]
    : [{ kind: "start-timer", timer: "hold", milliseconds: holdTime * 1000 }];
}

function holdTimerOf({ negotiated }: SessionMachine): readonly SessionAction[] {
  return negotiated === undefined ? [] : holdTimer(negotiated);
}

function keepaliveTimer({ holdTime }: Negotiated): readonly SessionAction[] {
  return holdTime === 0 ? [] : [{ kind: "start-timer", timer: "keepalive", milliseconds: keepaliveInterval(holdTime) }];
}
