import assert from "node:assert/strict";
import { test } from "node:test";
import { hex } from "../bgp/bytes.js";
import { plan228 } from "./plan.js";
import { endOfRib, messageType, type Setting, setting } from "./speaker-setting.js";

const { open, update, keepalive } = messageType;

/** RFC 9494 section 5. */
const longLivedStale = "ffff0006";
const noLongLived = "ffff0007";

/** A Type-2 of the host 02:00:00:00:99:X behind 10.0.7.X, with a community. */
function host(last: string, community?: string): Buffer {
  const communities = community === undefined ? "" : `c00804 ${community}`;
  const attributes = `
    900e002c 0019 46 04 0a0007${last} 00
      02 21 0001 0a0007${last} 0002 00000000000000000000 00000000 30 0200000099${last} 00 0000e4
    400101 00  50020000  400504 00000064  ${communities}
    c01010 030c000000000008 0002fde9000000e4`;
  const length = hex(attributes).length.toString(16).padStart(4, "0");
  return hex(`0000 ${length} ${attributes}`);
}

/** AS 65001, hold time 9 s, EVPN and four-byte AS numbers, with further capabilities (RFC 5492). */
function openWith(capabilities: string): Buffer {
  const all = `0104 0019 00 46 4104 0000fde9 ${capabilities}`;
  const size = hex(all).length;
  const byte = (value: number) => value.toString(16).padStart(2, "0");
  return hex(`04 fde9 0009 0a000713 ${byte(size + 2)} 02${byte(size)} ${all}`);
}

async function begin(capabilities: string): Promise<Setting> {
  const made = setting();
  void made.speaker.setNetworks([{ network: "a", plan: plan228 }]);
  await made.clock.advance(0);
  await answer(made, capabilities);
  for (const body of [host("01"), host("02", noLongLived), endOfRib]) {
    made.peers.last.send(update, body);
  }
  await made.clock.advance(0);
  return made;
}

async function answer({ peers, clock }: Setting, capabilities: string): Promise<void> {
  peers.last.send(open, openWith(capabilities));
  peers.last.send(keepalive, Buffer.alloc(0));
  await clock.advance(0);
}

function lose({ peers }: Setting): void {
  peers.accepting = false;
  peers.last.close();
}

const held = ({ speaker }: Setting) => (speaker.forwarding("a")?.hosts ?? []).map(({ mac }) => mac.slice(-2)).join();

/** Graceful restart of 20 s for EVPN, as GoBGP writes it, and what stands behind it of long-lived graceful restart. */
const restart = "4006 0014 00194600";
const staleFor = (time: string) => `4707 00194680 ${time}`;

/** When what is gone, in seconds after the loss. */
const offers: readonly { readonly name: string; readonly capabilities: string; readonly gone: object }[] = [
  { name: "100 s", capabilities: `${restart} ${staleFor("000064")}`, gone: { 20: "01", 120: "" } },
  { name: "time 0 for EVPN, as FRR 8.4", capabilities: `${restart} ${staleFor("000000")}`, gone: { 20: "" } },
  { name: "no family, as Cisco", capabilities: `${restart} 4700`, gone: { 20: "" } },
  { name: "another family", capabilities: `${restart} 4707 00010180 000064`, gone: { 20: "" } },
  {
    name: "100 s without graceful restart, where it means nothing",
    capabilities: staleFor("000064"),
    gone: { 120: "" },
  },
  {
    name: "100 s and a restart time of 0: it begins at once",
    capabilities: `4006 0000 00194600 ${staleFor("000064")}`,
    gone: { 0: "01", 100: "" },
  },
];
for (const { name, capabilities, gone } of offers) {
  test(`long-lived graceful restart of a peer that offers ${name}`, async () => {
    const made = await begin(capabilities);
    assert.equal(held(made), "01,02");
    const began = made.clock.now();
    lose(made);
    let expected = "01,02";
    for (const [seconds, left] of Object.entries(gone)) {
      const at = Number(seconds) * 1000;
      if (at > 0) {
        await made.clock.advance(began + at - 500 - made.clock.now());
        assert.equal(held(made), expected, `before ${seconds} s`);
      }
      await made.clock.advance(began + at + 500 - made.clock.now());
      assert.equal(held(made), left, `after ${seconds} s`);
      expected = left;
    }
  });
}

test("194 days, the longest that a peer can ask for, are as long as a timer can wait, and not none at all", async () => {
  const made = await begin(`${restart} ${staleFor("ffffff")}`);
  const { clock } = made;
  const delays: number[] = [];
  const schedule = clock.schedule.bind(clock);
  clock.schedule = (milliseconds, action) => {
    delays.push(milliseconds);
    return schedule(milliseconds, action);
  };
  lose(made);
  await clock.advance(60_000);
  assert.equal(held(made), "01");
  // Node's setTimeout: a longer one fires after 1 ms.
  assert.equal(Math.max(...delays), 2_147_483_647);
});

test("what is kept for long yields to whatever another says, and is fresh when the peer says it again", async () => {
  const capabilities = `${restart} ${staleFor("000064")}`;
  const made = await begin(capabilities);
  lose(made);
  await made.clock.advance(25_000);
  assert.equal(held(made), "01");
  made.peers.accepting = true;
  await made.clock.advance(5000);
  await answer(made, capabilities);
  for (const body of [host("01"), host("02", noLongLived), host("03"), endOfRib]) {
    made.peers.last.send(update, body);
  }
  await made.clock.advance(0);
  assert.equal(held(made), "01,02,03");
  for (let second = 0; second < 200; second += 5) {
    made.peers.last.send(keepalive, Buffer.alloc(0));
    await made.clock.advance(5000);
  }
  assert.equal(held(made), "01,02,03", "the time that ran is over");
});

test("a claim that a reflector keeps for a dead node does not make our number rise", async () => {
  const made = await begin(restart);
  const claim = (community: string) => {
    const body = hex(`
      0000 005d
      900e0030 0019 46 04 0a00070c 00
        02 25 0001 0a00070c 00e4 00000000000000000000 00000000 30 020000000012 20 cb00710a 0000e4
      400101 00  50020000  400504 00000064  c00804 ${community}
      c01010 030c000000000008 0002fde9000000e4`);
    return body;
  };
  const number = async () => {
    made.speaker.setAddresses("a", []);
    await made.clock.advance(0);
    made.peers.last.take();
    made.speaker.setAddresses("a", ["203.0.113.10"]);
    await made.clock.advance(0);
    return /06000000([0-9a-f]{8})$/.exec(made.peers.last.take().at(-1) ?? "")?.[1];
  };
  made.peers.last.send(update, claim(longLivedStale));
  assert.equal(await number(), undefined);
  made.peers.last.send(update, claim("fde90001"));
  assert.equal(await number(), "00000001");
});
