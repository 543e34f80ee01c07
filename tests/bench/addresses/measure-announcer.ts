/** One node that owns many addresses: what its announcements send and cost. Prints a {@link Measured}. */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { KeptClaim } from "../../../agent-image/agent/addresses/claim-store.js";
import { ownedAddresses } from "../../../agent-image/agent/addresses/owned-addresses.js";
import { startAnnouncer } from "../../../agent-image/agent/announce/announcer.js";
import { readSender } from "../../../agent-image/agent/announce/arp-frame.js";
import { startFrameListener } from "../../../agent-image/agent/announce/frame-listener.js";
import { openArpEar, openPacketSocket } from "../../../agent-image/agent/announce/packet-socket.js";
import { planAnnouncementsOf } from "../../../agent-image/agent/core/announcements.js";
import type { NetworkPlan, NodePlan } from "../../../model/index.js";
import { usageOf } from "../kernel/usage.js";
import type { Measured } from "./measurement.js";

/** Milliseconds for which the steady state is measured: a whole interval, so that each address comes once. */
const steadyWindow = 60_000;
/** Looks at who owns what, of which the mean is told. */
const looks = 20;

const count = Number(process.argv[2]);
const device = "public0";
const mac = readFileSync(`/sys/class/net/${device}/address`, "utf8").trim();
const addresses = Array.from({ length: count }, (_, index) => `203.0.${index >> 8}.${index & 255}`);
const announcement = {
  family: 4,
  prefix: "203.0.0.0/16",
  gateway: "203.0.255.254",
  enabled: true,
  interval: 60,
} as const;
const plan: NodePlan = {
  networks: [{ network: "edge", link: { name: device }, announcements: [announcement] } as unknown as NetworkPlan],
  unplanned: [],
};
const claims = addresses.map(
  (address, index): KeptClaim => ({
    service: `default/service-${index}`,
    node: "n1",
    object: `l2-${index}`,
    statedAt: "2026-01-01T10:00:00Z",
    interfaces: [],
    addresses: [address],
  }),
);

function look() {
  const owned = ownedAddresses({
    nodeName: "n1",
    networks: [{ network: "edge", device, prefixes: [announcement.prefix] }],
    claims,
    serviceAddresses: addresses,
    kernelAddresses: [],
  });
  return planAnnouncementsOf({ owned, confirmed: true, repeated: false }, plan, [
    { name: device, mtu: 1500, up: true, mac },
  ]).announcements;
}

async function main(): Promise<void> {
  const looked = await usageOf(async () => {
    for (let turn = 1; turn < looks; turn += 1) look();
    return look();
  });
  const sent: { readonly at: number; readonly target: string }[] = [];
  const socket = openPacketSocket();
  const counted = {
    send: (to: string, frame: Buffer): void => {
      socket.send(to, frame);
      sent.push({ at: performance.now(), target: frame.subarray(38, 42).join(".") });
    },
    close: () => socket.close(),
  };
  const announcer = startAnnouncer(counted, (error) => {
    throw error;
  });
  const listener = startFrameListener(openArpEar(), readSender, () => undefined);
  const start = performance.now();
  announcer.set(looked.result);
  const steps = 5;
  while (sent.length < count * steps * 2) await sleep(10);
  const seen = new Map(sent.toReversed().map(({ at, target }) => [target, at] as const));
  const first = Math.max(...addresses.map((address) => seen.get(address) ?? Number.POSITIVE_INFINITY)) - start;
  const burst = (sent.at(-1)?.at ?? 0) - start;
  const mostFrames = Math.max(
    ...sent.map(({ at }, index) => sent.findIndex((other, later) => later >= index && other.at >= at + 1000) - index),
  );
  const before = sent.length;
  const { usage } = await usageOf(() => sleep(steadyWindow));
  const measured: Measured = {
    addresses: count,
    first,
    burst,
    mostFrames,
    steadyFrames: ((sent.length - before) * 1000) / usage.wall,
    steadyCore: (100 * usage.cpu) / usage.wall,
    look: looked.usage.cpu / looks,
  };
  listener.close();
  announcer.close();
  process.stdout.write(JSON.stringify(measured));
}

void main();
