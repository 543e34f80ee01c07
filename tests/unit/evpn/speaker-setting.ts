import type { BfdMonitor } from "../../../agent-image/agent/bfd/bfd-service.js";
import { EvpnSpeaker } from "../../../agent-image/agent/evpn/evpn-speaker.js";
import type { SequenceMemory } from "../../../agent-image/agent/evpn/sequence-memory.js";
import type { SpeakerPlan } from "../../../model/index.js";
import { hex } from "../bgp/bytes.js";
import { reflectorOpen, ScriptedPeers, TestClock } from "./scripted-peer.js";

/** RFC 4271 section 4.1, RFC 2918. */
export const messageType = { open: 1, update: 2, notification: 3, keepalive: 4, routeRefresh: 5 } as const;
const { open, keepalive } = messageType;

export const endOfRib = hex("0000 0006 800f03 001946");

/** Node n2 (10.0.7.12, MAC ..12) answers for 203.0.113.10 with the given MAC mobility sequence. */
export function otherNodeClaims(sequence: number): Buffer {
  const body = hex(`
    0000 005e
    900e0030 0019 46 04 0a00070c 00
      02 25 0001 0a00070c 00e4 00000000000000000000 00000000 30 020000000012 20 cb00710a 0000e4
    400101 00  50020000  400504 00000064
    c01018 030c000000000008 0002fde9000000e4 0600000000000000`);
  body.writeUInt32BE(sequence, body.length - 4);
  return body;
}

export function sent(...messages: readonly (readonly [type: number, body: Buffer])[]): string[] {
  return messages.map(([type, body]) => `0${type}${body.toString("hex")}`);
}

export interface Setting {
  readonly speaker: EvpnSpeaker;
  readonly peers: ScriptedPeers;
  readonly clock: TestClock;
  /** Networks of `forwarding` events since the last look. */
  readonly changed: () => string[];
}

/** AS 65001, hold time 9 s, EVPN and four-byte AS numbers, but no graceful restart (RFC 4271 section 4.2, RFC 5492). */
export const openWithoutRestart = hex("04 fde9 0009 0a000713 0e 020c 0104 0019 00 46 4104 0000fde9");

export interface SettingOptions {
  readonly restarted?: boolean;
  readonly sequences?: SequenceMemory;
  readonly bfd?: BfdMonitor;
  readonly log?: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

export function setting({ log, restarted = false, ...options }: SettingOptions = {}): Setting {
  const peers = new ScriptedPeers();
  const clock = new TestClock();
  const speaker = new EvpnSpeaker({
    ...options,
    log: (_level, message, fields) => log?.(message, fields ?? {}),
    restarted,
    connect: peers.connect,
    clock,
    random: () => 0.5,
  });
  const changed: string[] = [];
  speaker.on("forwarding", (network) => changed.push(network));
  return { speaker, peers, clock, changed: () => changed.splice(0) };
}

/** Declares networks and answers the OPEN on the session that they share. */
export async function established(
  networks: Readonly<Record<string, SpeakerPlan>>,
  options: SettingOptions = {},
): Promise<Setting> {
  const made = setting(options);
  void made.speaker.setNetworks(Object.entries(networks).map(([network, plan]) => ({ network, plan })));
  await accept(made);
  return made;
}

export async function accept({ peers, clock }: Setting): Promise<void> {
  await clock.advance(0);
  peers.last.send(open, reflectorOpen);
  peers.last.send(keepalive, Buffer.alloc(0));
  await clock.advance(0);
}
