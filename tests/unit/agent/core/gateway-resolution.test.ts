import assert from "node:assert/strict";
import { test } from "node:test";
import {
  followGateways,
  gatewayEntries,
  hearGateway,
  noResolutions,
  type Resolutions,
  silentGateways,
  takeQuestions,
} from "../../../../agent-image/agent/core/gateway-resolution.js";
import type { GatewayTarget } from "../../../../agent-image/agent/core/gateway-targets.js";

const target: GatewayTarget = {
  network: "edge",
  device: "vxlan228",
  mac: "02:e4:0a:00:07:0b",
  gateway: "203.0.113.1",
};
const gatewayMac = "02:00:00:00:02:fe";
const answer = { address: "203.0.113.1", mac: gatewayMac };
const middle = (): number => 0.5;
const nothing = (): undefined => undefined;

/** Milliseconds at which questions were asked, when somebody looks every 250 ms. */
function play(
  start: Resolutions,
  from: number,
  until: number,
): { readonly asked: readonly number[]; end: Resolutions } {
  const asked: number[] = [];
  let current = start;
  for (let now = from; now <= until; now += 250) {
    const taken = takeQuestions(current, now, middle);
    current = taken.resolutions;
    asked.push(...taken.questions.map(() => now));
  }
  return { asked, end: current };
}

test("a gateway is asked for at once, each second while it does not answer, and each 10 s after half a minute of that", () => {
  const { asked } = play(followGateways(noResolutions, [target], 0), 0, 60_000);
  assert.deepEqual(asked.slice(0, 4), [0, 1_000, 2_000, 3_000]);
  assert.deepEqual(asked.slice(-4), [30_000, 40_000, 50_000, 60_000]);
  assert.equal(asked.length, 34);
});

test("one that answers is asked each 10 s, before the kernel doubts it after 15 s", () => {
  const heard = hearGateway(play(followGateways(noResolutions, [target], 0), 0, 0).end, "vxlan228", answer, 50);
  assert.deepEqual(play(heard, 1_000, 21_000).asked, [1_000, 11_000, 21_000]);
});

test("who answers is kept for 30 s, who is asked for no longer is not", () => {
  const heard = hearGateway(followGateways(noResolutions, [target], 0), "vxlan228", answer, 0);
  const entry = [{ device: "vxlan228", gateway: "203.0.113.1", mac: gatewayMac }];
  assert.deepEqual(gatewayEntries(heard, nothing, 29_999), entry);
  assert.deepEqual(gatewayEntries(heard, nothing, 30_000), []);
  assert.deepEqual(gatewayEntries(followGateways(heard, [target], 1_000), nothing, 1_000), entry);
  assert.deepEqual(gatewayEntries(followGateways(heard, [], 1_000), nothing, 1_000), []);
});

test("who sends ARP on another interface, or is another host, is no gateway", () => {
  const asked = followGateways(noResolutions, [target], 0);
  assert.equal(hearGateway(asked, "eth0", answer, 0), asked);
  assert.equal(hearGateway(asked, "vxlan228", { ...answer, address: "203.0.113.66" }, 0), asked);
});

test("what an EVPN route says needs no answer, and goes before one", () => {
  const asked = followGateways(noResolutions, [target], 0);
  const learned = (): string => "02:00:00:00:00:19";
  const entry = [{ device: "vxlan228", gateway: "203.0.113.1", mac: "02:00:00:00:00:19" }];
  assert.deepEqual(gatewayEntries(asked, learned, 0), entry);
  assert.deepEqual(gatewayEntries(hearGateway(asked, "vxlan228", answer, 0), learned, 0), entry);
});

test("an address that can be the sender now asks at once; another MAC of the interface starts anew", () => {
  const heard = hearGateway(play(followGateways(noResolutions, [target], 0), 0, 0).end, "vxlan228", answer, 50);
  const sender = followGateways(heard, [{ ...target, sender: "203.0.113.10" }], 500);
  assert.deepEqual(
    takeQuestions(sender, 500, middle).questions.map((question) => question.sender),
    ["203.0.113.10"],
  );
  const remade = followGateways(heard, [{ ...target, mac: "02:e4:0a:00:07:0c" }], 500);
  assert.deepEqual(gatewayEntries(remade, nothing, 500), []);
});

test("a gateway is called silent after half a minute without an answer, until it answers", () => {
  const asked = followGateways(noResolutions, [target], 0);
  assert.deepEqual(silentGateways(asked, 29_999), []);
  assert.deepEqual(silentGateways(asked, 30_000), [target]);
  assert.deepEqual(silentGateways(hearGateway(asked, "vxlan228", answer, 31_000), 31_000), []);
});
