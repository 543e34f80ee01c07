import type { BfdState } from "../../../model/index.js";

/** By its number (RFC 5880 section 4.1, Sta). */
export const bfdStates: readonly BfdState[] = ["AdminDown", "Down", "Init", "Up"];

/** Those of RFC 5880 section 4.1 (Diag) that this speaker sends. */
export const diagnostics = {
  none: 0,
  detectionTimeExpired: 1,
  neighborSignaledDown: 3,
  administrativelyDown: 7,
} as const;

/** The mandatory section of RFC 5880 section 4.1. All intervals are in microseconds. */
export interface ControlPacket {
  readonly diagnostic: number;
  readonly state: BfdState;
  readonly poll: boolean;
  readonly final: boolean;
  /** The sender's BFD goes on when its control plane does not (C). */
  readonly controlPlaneIndependent: boolean;
  /** The sender wants no periodic packets while the session is Up (D). */
  readonly demand: boolean;
  readonly detectMultiplier: number;
  readonly myDiscriminator: number;
  readonly yourDiscriminator: number;
  readonly desiredMinTxInterval: number;
  readonly requiredMinRxInterval: number;
  readonly requiredMinEchoRxInterval: number;
}

const version = 1;
/** Bytes: without and with the shortest authentication section. */
const plainLength = 24;
const authenticatedLength = 26;

const flags = {
  poll: 0x20,
  final: 0x10,
  controlPlaneIndependent: 0x08,
  authenticationPresent: 0x04,
  demand: 0x02,
  multipoint: 0x01,
} as const;

/** Why a packet is thrown away before a session is looked for. */
export type ValidityRule =
  | "shorter than the mandatory section"
  | "version"
  | "length below the minimum"
  | "length above the payload"
  | "detect multiplier of zero"
  | "multipoint"
  | "my discriminator of zero"
  | "your discriminator of zero in this state"
  | "authentication";

/**
 * The rules of RFC 5880 section 6.8.6 that look at the packet alone, in the order of that section. Each is true for a packet
 * that has to be discarded. The first keeps the others from reading past the end.
 */
const validityRules: readonly (readonly [ValidityRule, (bytes: Buffer) => boolean])[] = [
  // "greater than the payload", for a payload in which a correct length cannot stand
  ["shorter than the mandatory section", (bytes) => bytes.length < plainLength],
  // "If the version number is not correct (1)"
  ["version", (bytes) => bytes.readUInt8(0) >> 5 !== version],
  // "less than the minimum correct value (24 if the A bit is clear, or 26 if the A bit is set)"
  ["length below the minimum", (bytes) => bytes.readUInt8(3) < minimumLength(bytes)],
  // "greater than the payload of the encapsulating protocol"
  ["length above the payload", (bytes) => bytes.readUInt8(3) > bytes.length],
  // "If the Detect Mult field is zero"
  ["detect multiplier of zero", (bytes) => bytes.readUInt8(2) === 0],
  // "If the Multipoint (M) bit is nonzero"
  ["multipoint", (bytes) => hasFlag(bytes, flags.multipoint)],
  // "If the My Discriminator field is zero"
  ["my discriminator of zero", (bytes) => bytes.readUInt32BE(4) === 0],
  // "If the Your Discriminator field is zero and the State field is not Down or AdminDown"
  ["your discriminator of zero in this state", (bytes) => bytes.readUInt32BE(8) === 0 && !isDown(stateOf(bytes))],
  // "If the A bit is set and no authentication is in use": this speaker uses none.
  ["authentication", (bytes) => hasFlag(bytes, flags.authenticationPresent)],
];

function minimumLength(bytes: Buffer): number {
  return hasFlag(bytes, flags.authenticationPresent) ? authenticatedLength : plainLength;
}

function hasFlag(bytes: Buffer, flag: number): boolean {
  return (bytes.readUInt8(1) & flag) !== 0;
}

function stateOf(bytes: Buffer): BfdState {
  // Two bits, four states.
  return bfdStates[bytes.readUInt8(1) >> 6] as BfdState;
}

function isDown(state: BfdState): boolean {
  return state === "Down" || state === "AdminDown";
}

export type DecodedPacket =
  | { readonly kind: "packet"; readonly packet: ControlPacket }
  | { readonly kind: "discard"; readonly rule: ValidityRule };

/** The payload of a UDP datagram. Never throws; what RFC 5880 section 6.8.6 throws away comes with the rule that says so. */
export function decodeControlPacket(bytes: Buffer): DecodedPacket {
  for (const [rule, isBroken] of validityRules) {
    if (isBroken(bytes)) {
      return { kind: "discard", rule };
    }
  }
  return {
    kind: "packet",
    packet: {
      diagnostic: bytes.readUInt8(0) & 0x1f,
      state: stateOf(bytes),
      poll: hasFlag(bytes, flags.poll),
      final: hasFlag(bytes, flags.final),
      controlPlaneIndependent: hasFlag(bytes, flags.controlPlaneIndependent),
      demand: hasFlag(bytes, flags.demand),
      detectMultiplier: bytes.readUInt8(2),
      myDiscriminator: bytes.readUInt32BE(4),
      yourDiscriminator: bytes.readUInt32BE(8),
      desiredMinTxInterval: bytes.readUInt32BE(12),
      requiredMinRxInterval: bytes.readUInt32BE(16),
      requiredMinEchoRxInterval: bytes.readUInt32BE(20),
    },
  };
}

/** 24 bytes, without authentication. */
export function encodeControlPacket(packet: ControlPacket): Buffer {
  const bytes = Buffer.alloc(plainLength);
  bytes.writeUInt8((version << 5) | packet.diagnostic, 0);
  bytes.writeUInt8((bfdStates.indexOf(packet.state) << 6) | flagBits(packet), 1);
  bytes.writeUInt8(packet.detectMultiplier, 2);
  bytes.writeUInt8(plainLength, 3);
  bytes.writeUInt32BE(packet.myDiscriminator, 4);
  bytes.writeUInt32BE(packet.yourDiscriminator, 8);
  bytes.writeUInt32BE(packet.desiredMinTxInterval, 12);
  bytes.writeUInt32BE(packet.requiredMinRxInterval, 16);
  bytes.writeUInt32BE(packet.requiredMinEchoRxInterval, 20);
  return bytes;
}

function flagBits({ poll, final, controlPlaneIndependent, demand }: ControlPacket): number {
  return (
    (poll ? flags.poll : 0) |
    (final ? flags.final : 0) |
    (controlPlaneIndependent ? flags.controlPlaneIndependent : 0) |
    (demand ? flags.demand : 0)
  );
}
