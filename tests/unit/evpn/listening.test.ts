import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { AdmittedPeer } from "../../../agent-image/agent/bgp/session/listener.js";
import { EvpnSpeaker } from "../../../agent-image/agent/evpn/evpn-speaker.js";
import { plan228, plan240 } from "./plan.js";
import { ScriptedPeers, TestClock } from "./scripted-peer.js";

const directory = mkdtempSync(join(tmpdir(), "listening-"));
after(() => rmSync(directory, { recursive: true }));

const listening = { ...plan228, listen: true } as const;

function setting() {
  /** What listens now, by local address. */
  const open = new Map<string, readonly AdmittedPeer[]>();
  const state = { busy: false, opened: 0 };
  const clock = new TestClock();
  const told: string[] = [];
  const speaker = new EvpnSpeaker({
    log: () => undefined,
    restarted: false,
    clock,
    connect: new ScriptedPeers().connect,
    listen: (local, peers) => {
      if (state.busy) throw new Error("cannot bind a socket: EADDRINUSE");
      assert.equal(open.has(local), false, "one socket for an address");
      open.set(local, peers);
      state.opened += 1;
      return { close: () => open.delete(local) };
    },
  });
  speaker.on("session", (network, peer) => told.push(`${network} ${peer}`));
  const notices = (network: string) =>
    (speaker.notices().get(network) ?? []).filter(({ reason }) => reason === "NotListening");
  return { speaker, clock, open, state, told, notices };
}

test("only networks that say so listen, at the address that their sessions come from, for their peers", () => {
  const { speaker, open } = setting();
  void speaker.setNetworks([{ network: "a", plan: plan228 }]);
  assert.deepEqual([...open], []);
  void speaker.setNetworks([
    { network: "a", plan: { ...listening, peers: ["10.0.7.19", "10.0.7.20"] } },
    { network: "b", plan: { ...plan240, source: "10.255.0.5", listen: true, ttlSecurity: 2 } },
    { network: "c", plan: { ...plan240, source: null, listen: true } },
  ]);
  assert.deepEqual(
    [...open],
    [
      ["10.0.7.11", [{ peer: "10.0.7.19" }, { peer: "10.0.7.20" }]],
      ["10.255.0.5", [{ peer: "10.0.7.19", ttlSecurity: 2 }]],
    ],
  );
  void speaker.setNetworks([]);
  assert.deepEqual([...open], []);
});

test("of networks that share a session one is enough, and the session stays when it goes", async () => {
  const { speaker, open, clock } = setting();
  void speaker.setNetworks([{ network: "a", plan: plan228 }]);
  await clock.advance(0);
  const before = speaker.sessions("a");
  void speaker.setNetworks([
    { network: "a", plan: plan228 },
    { network: "b", plan: { ...plan240, listen: true } },
  ]);
  assert.deepEqual([...open.keys()], ["10.0.7.11"]);
  void speaker.setNetworks([{ network: "a", plan: plan228 }]);
  assert.deepEqual([...open.keys()], []);
  assert.deepEqual(speaker.sessions("a"), before);
});

test("what has not changed is left alone, and another password is taken over", () => {
  const { speaker, open, state } = setting();
  const passwordFile = join(directory, "password");
  writeFileSync(passwordFile, "one\n");
  const speak = () => void speaker.setNetworks([{ network: "a", plan: { ...listening, passwordFile } }]);
  speak();
  speak();
  assert.equal(state.opened, 1);
  assert.deepEqual(open.get("10.0.7.11"), [{ peer: "10.0.7.19", password: Buffer.from("one") }]);
  writeFileSync(passwordFile, "other\n");
  speak();
  assert.equal(state.opened, 2);
  assert.deepEqual(open.get("10.0.7.11"), [{ peer: "10.0.7.19", password: Buffer.from("other") }]);
});

test("a peer whose password cannot be read is not let in without one", () => {
  const { speaker, open } = setting();
  const passwordFile = join(directory, "missing");
  void speaker.setNetworks([{ network: "a", plan: { ...listening, passwordFile } }]);
  assert.deepEqual(open.get("10.0.7.11"), []);
});

test("a port of another program is a condition of the networks that listen, told at once, until it is free", async () => {
  const { speaker, clock, open, state, told, notices } = setting();
  state.busy = true;
  void speaker.setNetworks([
    { network: "a", plan: listening },
    { network: "b", plan: plan240 },
  ]);
  await clock.advance(0);
  assert.equal(speaker.sessions("a")[0]?.state, "OpenSent", "our own connection is made all the same");
  assert.match(
    notices("a")[0]?.message ?? "",
    /^peers cannot connect to 10\.0\.7\.11 port 179 \(cannot bind a socket: EADDRINUSE\);.* take bgp\.listen away$/,
  );
  assert.deepEqual(notices("b"), []);
  state.busy = false;
  told.length = 0;
  await clock.advance(30_000);
  assert.deepEqual([...open.keys()], ["10.0.7.11"]);
  assert.deepEqual(notices("a"), []);
  assert.ok(told.includes("a 10.0.7.19"), "whoever reports is told");
});

test("after the end nothing listens, and nothing is tried again", async () => {
  for (const busy of [false, true]) {
    const { speaker, clock, open, state } = setting();
    state.busy = busy;
    void speaker.setNetworks([{ network: "a", plan: listening }]);
    void speaker.close({ notify: false });
    state.busy = false;
    await clock.advance(120_000);
    assert.deepEqual([...open.keys()], []);
  }
});
