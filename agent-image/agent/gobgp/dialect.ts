import type { SessionState } from "../../../model/index.js";

/** The two majors of GoBGP's API. */
export type ApiVersion = "v3" | "v4";

/** A message as `fromObject` of protobufjs takes it: fields by their names in the .proto file, enums by the names of their values. */
export type ApiMessage = Readonly<Record<string, unknown>>;

/**
 * How one major names what both have. Names and not numbers: most enums of v4 begin with an `UNSPECIFIED` that v3 lacks, so that
 * the same number means something else.
 */
export interface Dialect {
  readonly version: ApiVersion;
  readonly sessionState: Readonly<Record<SessionState, string>>;
  readonly adminUp: string;
  readonly peerType: Readonly<Record<"internal" | "external", string>>;
}

export const dialects: Readonly<Record<ApiVersion, Dialect>> = {
  v3: {
    version: "v3",
    sessionState: {
      Idle: "IDLE",
      Connect: "CONNECT",
      Active: "ACTIVE",
      OpenSent: "OPENSENT",
      OpenConfirm: "OPENCONFIRM",
      Established: "ESTABLISHED",
    },
    adminUp: "UP",
    peerType: { internal: "INTERNAL", external: "EXTERNAL" },
  },
  v4: {
    version: "v4",
    sessionState: {
      Idle: "SESSION_STATE_IDLE",
      Connect: "SESSION_STATE_CONNECT",
      Active: "SESSION_STATE_ACTIVE",
      OpenSent: "SESSION_STATE_OPENSENT",
      OpenConfirm: "SESSION_STATE_OPENCONFIRM",
      Established: "SESSION_STATE_ESTABLISHED",
    },
    adminUp: "ADMIN_STATE_UP",
    peerType: { internal: "PEER_TYPE_INTERNAL", external: "PEER_TYPE_EXTERNAL" },
  },
};
