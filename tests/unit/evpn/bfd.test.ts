import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BfdHandle, BfdMonitor } from "../../../agent-image/agent/bfd/bfd-service.js";
import type { BfdReport } from "../../../agent-image/agent/bfd/bfd-session.js";
import type { BfdNews, BfdTarget } from "../../../agent-image/agent/bfd/bfd-speaker.js";
import { hopTo } from "../../../agent-image/agent/bfd/hop.js";
import type { BfdParameters } from "../../../agent-image/agent/bfd/parameters.js";
import { bfdFindings } from "../../../agent-image/agent/evpn/bfd-findings.js";
import type { BfdSilence } from "../../../agent-image/agent/evpn/peer-liveness.js";
import { planSessions } from "../../../agent-image/agent/evpn/session-plan.js";
import { hex } from "../bgp/bytes.js";
import { plan228, plan240 } from "./plan.js";
import { accept, endOfRib, established, messageType, type Setting } from "./speaker-setting.js";

const bfd = { minTxInterval: 300, minRxInterval: 300, multiplier: 3 };

/** BFD that does what a test says. */
class ScriptedBfd implements BfdMonitor {
  readonly opened: { target: BfdTarget; parameters: BfdParameters; closed: boolean }[] = [];
  ended = false;
  #tell: ((news: BfdNews) => void) | undefined;

  open(target: BfdTarget, parameters: BfdParameters, onNews: (news: BfdNews) => void): BfdHandle {
    const session = { target, parameters, closed: false };
    this.opened.push(session);
    this.#tell = onNews;
    return {
      configure: (wanted) => {
        session.parameters = wanted;
      },
      close: () => {
        session.closed = true;
      },
    };
  }

  async end(): Promise<void> {
    this.ended = true;
  }

  report(state: BfdReport["state"], rest: Partial<BfdReport> = {}): void {
    const report = { state, remoteState: state, diagnostic: 0, peerControlPlaneIndependent: false, ...rest };
    this.#tell?.({ kind: "report", report });
  }

  problem(code: string): void {
    this.#tell?.({ kind: "problem", problem: { code, message: `cannot bind a socket: ${code}` } });
  }
}

/** With routes of the leaf 10.0.7.19, and BFD that is Up. */
async function watched(): Promise<Setting & { readonly monitor: ScriptedBfd }> {
  const monitor = new ScriptedBfd();
  const made = await established({ vxlan228: { ...plan228, bfd } }, { bfd: monitor });
  const { peers, clock } = made;
  peers.last.send(messageType.update, leafFlood);
  peers.last.send(messageType.update, endOfRib);
  await clock.advance(0);
  monitor.report("Up");
  peers.last.take();
  return { ...made, monitor };
}

/** A Type-3 of the leaf 10.0.7.19 as FRR 8.4.4 writes it. */
const leafFlood = hex(`
  0000 004e
  900e001c 0019 46 04 0a000713 00  03 11 0001 0a000713 0002 00000000 20 0a000713
  400101 00  50020000  400504 00000064
  c01010 030c000000000008 0002fde9000000e4  c01609 00 06 0000e4 0a000713`);

/** NOTIFICATION, Cease, BFD Down (RFC 4271 section 4.5, RFC 9384 section 3). */
const bfdDown = "03060a";
/** The same within a Hard Reset (RFC 8538 section 3), which FRR's N bit asks for. */
const hardResetForBfdDown = "030609060a";

function state({ speaker }: Setting): string | undefined {
  return speaker.sessions("vxlan228")[0]?.state;
}

function conditions({ speaker }: Setting): readonly string[] {
  return (speaker.notices().get("vxlan228") ?? []).map(({ reason }) => reason).filter((reason) => reason === "BfdDown");
}

describe("BFD with a peer", () => {
  test("begins with the first BGP session, between its addresses, and is in the status", async () => {
    const monitor = new ScriptedBfd();
    const made = await established({ vxlan228: plan228 }, { bfd: monitor });
    assert.deepEqual(monitor.opened, [], "off");
    await made.speaker.setNetworks([{ network: "vxlan228", plan: { ...plan228, bfd: { ...bfd, multihop: false } } }]);
    assert.deepEqual(monitor.opened, [
      {
        target: { local: "10.0.7.11", peer: "10.0.7.19", hop: "single" },
        parameters: { ...bfd, multihop: false },
        closed: false,
      },
    ]);
    assert.equal(state(made), "Established", "the session stays");
    monitor.report("Down");
    assert.equal(made.speaker.sessions("vxlan228")[0]?.bfd, "Down");
  });

  test("Down after Up: the session ends at once with Cease, BFD Down; stale routes stay in use, and a new attempt follows", async () => {
    const made = await watched();
    made.monitor.report("Down", { diagnostic: 1 });
    await made.clock.advance(0);
    assert.deepEqual(made.peers.connections[0]?.take(), [bfdDown]);
    assert.notEqual(state(made), "Established");
    assert.deepEqual(made.speaker.forwarding("vxlan228")?.flood, ["10.0.7.19"]);
    await made.clock.advance(1000);
    assert.equal(made.peers.connections.length, 2);
    await accept(made);
    assert.equal(state(made), "Established");
    assert.equal(made.monitor.opened.length, 1, "BFD goes on beside it");
  });

  test("a peer whose BFD does not share fate with its control plane forwards nothing more: its routes go (RFC 5882 section 4.3.1)", async () => {
    const made = await watched();
    made.monitor.report("Down", { diagnostic: 1, peerControlPlaneIndependent: true });
    await made.clock.advance(0);
    assert.deepEqual(made.speaker.forwarding("vxlan228")?.flood, []);
    assert.deepEqual(made.peers.connections[0]?.take(), [hardResetForBfdDown]);
  });

  test("AdminDown of the peer ends nothing (RFC 5882 section 4.2.2)", async () => {
    const made = await watched();
    made.monitor.report("Down", { diagnostic: 3, remoteState: "AdminDown" });
    await made.clock.advance(0);
    assert.equal(state(made), "Established");
  });

  test("Down before it was Up, and an end of the agent's own BFD, end nothing", async () => {
    const monitor = new ScriptedBfd();
    const made = await established({ vxlan228: { ...plan228, bfd } }, { bfd: monitor });
    monitor.report("Init");
    monitor.report("Down", { diagnostic: 1 });
    monitor.report("Up");
    monitor.problem("");
    monitor.report("Down");
    await made.clock.advance(0);
    assert.equal(state(made), "Established");
  });

  test("Down while BGP is away does not disturb the next attempt", async () => {
    const made = await watched();
    made.peers.last.close();
    made.peers.answering = false;
    await made.clock.advance(1000);
    assert.deepEqual([state(made), made.peers.attempts.length], ["Connect", 1]);
    made.monitor.report("Down", { diagnostic: 1 });
    await made.clock.advance(1000);
    assert.deepEqual([state(made), made.peers.attempts.length], ["Connect", 1]);
  });

  test("other intervals and off: without an end of the session, and off is told to the peer", async () => {
    const made = await watched();
    const declare = (change: object) =>
      made.speaker.setNetworks([{ network: "vxlan228", plan: { ...plan228, ...change } }]);
    const hop = made.monitor.opened[0]?.target.hop === "multi";
    await declare({ bfd: { ...bfd, multiplier: 5 } });
    assert.deepEqual(made.monitor.opened[0]?.parameters, { ...bfd, multiplier: 5 });
    await declare({ bfd: { ...bfd, multihop: !hop } });
    assert.deepEqual(
      made.monitor.opened.map(({ closed }) => closed),
      [true, false],
      "over other ports it is another session",
    );
    await declare({});
    assert.equal(made.monitor.opened[1]?.closed, true);
    assert.deepEqual([state(made), made.peers.connections.length], ["Established", 1]);
    assert.equal(made.speaker.sessions("vxlan228")[0]?.bfd, undefined);
  });

  test("the end of the speaker: BGP first, then AdminDown, for which the end waits", async () => {
    const made = await watched();
    const closing = made.speaker.close({ notify: false });
    assert.equal(made.monitor.opened[0]?.closed, false);
    await made.clock.advance(1000);
    await closing;
    assert.deepEqual([made.monitor.opened[0]?.closed, made.monitor.ended], [true, true]);
  });
});

describe("the condition BfdDown", () => {
  test("comes when an established peer has not answered for 15 s, and goes when it does", async () => {
    const monitor = new ScriptedBfd();
    const made = await established({ vxlan228: { ...plan228, holdTime: 65_535, bfd } }, { bfd: monitor });
    let told = 0;
    made.speaker.on("session", () => {
      told += 1;
    });
    monitor.report("Down");
    for (let seconds = 0; seconds < 14; seconds += 2) {
      await made.clock.advance(2000);
      made.peers.last.send(messageType.keepalive, Buffer.alloc(0));
    }
    assert.deepEqual(conditions(made), []);
    told = 0;
    await made.clock.advance(1000);
    assert.deepEqual([conditions(made), told], [["BfdDown"], 1]);
    monitor.report("Up");
    assert.deepEqual(conditions(made), []);
  });

  test("comes at once where the node itself cannot, and not without a BGP session", async () => {
    const made = await watched();
    made.monitor.problem("EADDRINUSE");
    assert.deepEqual(conditions(made), ["BfdDown"]);
    made.peers.last.close();
    await made.clock.advance(0);
    assert.deepEqual(conditions(made), []);
  });

  const silence: BfdSilence = {
    local: "10.0.7.11",
    peer: "10.0.7.19",
    hop: "single",
    shutDown: false,
    problem: undefined,
  };
  const end = "; until then its death is noticed after the hold time (30 s)";
  const messages: readonly (readonly [string, Partial<BfdSilence>, string])[] = [
    [
      "silence over one hop",
      {},
      "10.0.7.19 does not answer BFD on UDP port 3784: enable it there for 10.0.7.11, let the port through, look whether the " +
        "peer takes this node to be through routers (then bgp.bfd.multihop is true), or set bgp.bfd to false",
    ],
    [
      "silence through routers",
      { hop: "multi" },
      "10.0.7.19 does not answer BFD on UDP port 4784: enable it there for 10.0.7.11, let the port through, look whether the " +
        "peer takes this node to be on the same segment (then it is false), or set bgp.bfd to false",
    ],
    [
      "AdminDown",
      { shutDown: true },
      "10.0.7.19 has BFD shut down (AdminDown): start it there again, or set bgp.bfd to false",
    ],
    [
      "a port that is taken",
      { problem: { code: "EADDRINUSE", message: "cannot bind a socket: EADDRINUSE" } },
      "BFD with 10.0.7.19 cannot run: another program, such as bfdd of FRR, holds UDP port 3784 of 10.0.7.11; stop BFD there, " +
        "or set bgp.bfd to false",
    ],
    [
      "another obstacle",
      { problem: { code: "EMFILE", message: "cannot open a socket: EMFILE" } },
      "BFD with 10.0.7.19 cannot run (cannot open a socket: EMFILE) and is tried again",
    ],
  ];
  for (const [name, change, message] of messages) {
    test(`names peer and remedy: ${name}`, () => {
      assert.deepEqual(bfdFindings([{ ...silence, ...change }], 30), [{ reason: "BfdDown", message: message + end }]);
    });
  }
});

test("networks that share a session must agree on BFD", () => {
  const networks = [
    { network: "vxlan228", plan: { ...plan228, bfd } },
    { network: "vxlan240", plan: plan240 },
  ];
  const { sessions, refusals } = planSessions(networks);
  assert.deepEqual(
    [...sessions.values()].map((session) => [session.networks, session.bfd]),
    [[["vxlan228"], bfd]],
  );
  assert.deepEqual(refusals.get("vxlan240"), {
    reason: "SessionParametersDiffer",
    message:
      'networks "vxlan228" and "vxlan240" share the BGP session from 10.0.7.11 to 10.0.7.19 but differ in bgp.bfd ' +
      "(300/300 ms x 3 and off); give both the same value, or different peers",
  });
  const agreed = planSessions(networks.map(({ network, plan }) => ({ network, plan: { ...plan, bfd } })));
  assert.deepEqual([...agreed.refusals], []);
});

test("a peer is one hop away where an interface's prefix holds it", () => {
  const prefixes = ["127.0.0.1/8", "10.0.7.11/24", "10.255.0.11/32", "2001:db8:7::11/64"];
  const hops = ["10.0.7.19", "10.255.0.19", "10.0.8.19", "2001:db8:7::19", "2001:db8:8::19"].map((peer) =>
    hopTo(peer, prefixes),
  );
  assert.deepEqual(hops, ["single", "multi", "multi", "single", "multi"]);
});
