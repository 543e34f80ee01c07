import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  type BfdNews,
  BfdSpeaker,
  type BfdTarget,
  type HeldSession,
} from "../../../agent-image/agent/bfd/bfd-speaker.js";
import type { Hop } from "../../../agent-image/agent/bfd/hop.js";
import type { ControlSender, DatagramHandler } from "../../../agent-image/agent/bfd/udp-port.js";
import { hex } from "../bgp/bytes.js";
import { TestClock } from "../evpn/scripted-peer.js";

const parameters = { minTxInterval: 300, minRxInterval: 300, multiplier: 3 };
const target: BfdTarget = { local: "10.0.7.11", peer: "10.0.7.19", hop: "single" };

interface Sent {
  readonly to: string;
  readonly at: number;
  readonly bytes: string;
}

/** A speaker without jitter and with discriminators 1, 2, … whose network is this test. */
class Setting {
  readonly clock = new TestClock();
  readonly sent: Sent[] = [];
  readonly news: (readonly [id: number, news: BfdNews])[] = [];
  readonly receivers = new Map<string, DatagramHandler>();
  /** Sockets that are open for sending. */
  senders = 0;
  /** Sockets for sending that were there already. */
  readonly taken: number[] = [];
  /** What was told last with which another thread could go on. */
  held: HeldSession | undefined;
  /** Of every socket that listens. */
  fault: Error | undefined;
  /** Input that is handed over before a process that was held up goes on. */
  pendingInput: () => void = () => undefined;
  readonly speaker: BfdSpeaker;
  #discriminator = 0;

  constructor() {
    this.speaker = new BfdSpeaker({
      clock: this.clock,
      random: () => 1,
      newDiscriminator: () => {
        this.#discriminator += 1;
        return this.#discriminator;
      },
      afterPendingInput: (action) => {
        this.pendingInput();
        action();
      },
      openReceiver: (local, hop, onDatagram) => {
        if (this.fault !== undefined) throw this.fault;
        this.receivers.set(`${hop} ${local}`, onDatagram);
        return { close: () => this.receivers.delete(`${hop} ${local}`) };
      },
      openSender: (local, peer, hop) => {
        this.senders += 1;
        return this.#sender(`${local} ${peer} ${hop}`, 100 + this.senders);
      },
      takeSender: (descriptor, peer, hop) => {
        this.taken.push(descriptor);
        return this.#sender(`${peer} ${hop}`, descriptor);
      },
      onNews: (id, news, held) => {
        this.news.push([id, news]);
        this.held = held;
      },
    });
  }

  #sender(to: string, descriptor: number): ControlSender {
    return {
      descriptor,
      send: (packet) =>
        this.sent.push({
          to,
          at: this.clock.now(),
          bytes: packet.toString("hex").replace(/(.{8})(?=.)/g, "$1 "),
        }),
      close: () => {
        this.senders -= 1;
      },
    };
  }

  hear(bytes: string, source = target.peer, hop: Hop = "single", local = target.local): void {
    this.receivers.get(`${hop} ${local}`)?.(source, hex(bytes));
  }

  /** With one session that is Up and whose Poll is confirmed, and of which nothing is to be told. */
  static async up(): Promise<Setting> {
    const setting = new Setting();
    setting.speaker.open(7, target, parameters);
    for (const bytes of [peerDown, peerUp, peerUpFinal]) setting.hear(bytes);
    await setting.clock.advance(0);
    setting.take();
    return setting;
  }

  /** Packets and states since the last call. */
  take(): { readonly packets: readonly string[]; readonly states: readonly string[] } {
    const packets = this.sent.splice(0).map(({ bytes }) => bytes);
    const states = this.news.splice(0).map(([, news]) => (news.kind === "report" ? news.report.state : news.kind));
    return { packets, states };
  }
}

/** Of a peer with discriminator 22222222 that sends and takes a packet every 300 ms. */
const peerDown = "20400318 22222222 00000000 000f4240 000493e0 00000000";
const peerInit = "20800318 22222222 00000001 000f4240 000493e0 00000000";
const peerUp = "20c00318 22222222 00000001 000493e0 000493e0 00000000";
const peerUpPoll = "20e00318 22222222 00000001 000493e0 000493e0 00000000";
const peerUpFinal = "20d00318 22222222 00000001 000493e0 000493e0 00000000";
const peerAdminDown = "27000318 22222222 00000001 000f4240 000493e0 00000000";

const ourDown = "20400318 00000001 00000000 000f4240 000493e0 00000000";
const ourInit = "20800318 00000001 22222222 000f4240 000493e0 00000000";
const ourUpPoll = "20e00318 00000001 22222222 000493e0 000493e0 00000000";
const ourUp = "20c00318 00000001 22222222 000493e0 000493e0 00000000";
const ourUpFinal = "20d00318 00000001 22222222 000493e0 000493e0 00000000";

describe("a session", () => {
  test("comes up: each change of state is said at once, by RFC 5880's bytes", async () => {
    const setting = new Setting();
    setting.speaker.open(7, target, parameters);
    assert.deepEqual(setting.take(), { packets: [ourDown], states: ["Down"] });
    setting.hear(peerDown);
    assert.deepEqual(setting.take(), { packets: [ourInit], states: ["Init"] });
    setting.hear(peerUpPoll);
    assert.deepEqual(setting.take(), { packets: [ourUpFinal, ourUpPoll], states: ["Up"] });
    setting.hear(peerUpFinal);
    await setting.clock.advance(300);
    assert.deepEqual(setting.take(), { packets: [ourUp], states: [] });
  });

  test("from the other side's Init too", () => {
    const setting = new Setting();
    setting.speaker.open(7, target, parameters);
    setting.hear(peerInit);
    assert.deepEqual(setting.take().packets, [ourDown, ourUpPoll]);
  });

  test("once a second until somebody answers", async () => {
    const setting = new Setting();
    setting.speaker.open(7, target, parameters);
    await setting.clock.advance(3000);
    assert.deepEqual(
      setting.sent.map(({ at, bytes }) => [at, bytes]),
      [0, 1000, 2000, 3000].map((at) => [at, ourDown]),
    );
  });

  test("is Down after three intervals of silence, not before, and says so", async () => {
    const setting = await Setting.up();
    await setting.clock.advance(899);
    assert.deepEqual(setting.take(), { packets: [ourUp, ourUp], states: [] });
    await setting.clock.advance(1);
    assert.deepEqual(setting.take(), {
      packets: ["21400318 00000001 00000000 000f4240 000493e0 00000000"],
      states: ["Down"],
    });
  });

  test("each packet begins the detection time anew", async () => {
    const setting = await Setting.up();
    await setting.clock.advance(600);
    setting.hear(peerUp);
    await setting.clock.advance(899);
    assert.deepEqual(setting.take().states, []);
    await setting.clock.advance(1);
    assert.deepEqual(setting.take().states, ["Down"]);
  });

  test("a process that was held up reads what has come meanwhile before it calls the peer dead", async () => {
    const setting = await Setting.up();
    setting.pendingInput = () => setting.hear(peerUp);
    await setting.clock.advance(900);
    assert.deepEqual(setting.take().states, []);
    setting.pendingInput = () => undefined;
    await setting.clock.advance(900);
    assert.deepEqual(setting.take().states, ["Down"]);
  });

  test("a peer that wants packets more often gets the next one by the new interval, counted from the last", async () => {
    const setting = await Setting.up();
    setting.hear("20c00318 22222222 00000001 000493e0 001e8480 00000000");
    setting.sent.splice(0);
    await setting.clock.advance(350);
    assert.deepEqual(setting.take().packets, [], "every 2 s");
    setting.hear(peerUp);
    await setting.clock.advance(0);
    assert.deepEqual(setting.take().packets, [ourUp], "300 ms are over");
  });

  test("the report says that the peer has shut it down, and whether its BFD outlives its control plane", () => {
    const setting = new Setting();
    setting.speaker.open(7, target, parameters);
    setting.hear(peerInit);
    setting.hear("20c80318 22222222 00000001 000493e0 000493e0 00000000");
    setting.news.splice(0);
    setting.hear(peerAdminDown);
    assert.deepEqual(setting.news, [
      [
        7,
        {
          kind: "report",
          report: { state: "Down", remoteState: "AdminDown", diagnostic: 3, peerControlPlaneIndependent: false },
        },
      ],
    ]);
  });

  test("other parameters are polled for", async () => {
    const setting = await Setting.up();
    setting.speaker.configure(7, { minTxInterval: 500, minRxInterval: 400, multiplier: 5 });
    assert.deepEqual(setting.take().packets, ["20e00518 00000001 22222222 0007a120 00061a80 00000000"]);
  });
});

describe("the end", () => {
  const ourAdminDown = "27000318 00000001 22222222 000f4240 000493e0 00000000";

  test("AdminDown is said at once and for as long as the peer would wait, then the sockets are closed", async () => {
    const setting = await Setting.up();
    setting.speaker.close(7);
    assert.deepEqual(setting.take(), { packets: [ourAdminDown], states: [] });
    setting.hear(peerUpPoll);
    await setting.clock.advance(899);
    assert.deepEqual([setting.senders, setting.receivers.size], [1, 1]);
    await setting.clock.advance(1);
    assert.deepEqual([setting.senders, setting.receivers.size], [0, 0]);
    await setting.clock.advance(5000);
    assert.deepEqual(setting.take(), { packets: [], states: [] });
  });

  test("of everything: AdminDown is said, and nothing stays open", async () => {
    const setting = await Setting.up();
    setting.speaker.open(8, { ...target, peer: "10.0.7.20" }, parameters);
    setting.take();
    setting.speaker.end();
    assert.deepEqual(setting.take().packets, [ourAdminDown, "27000318 00000002 00000000 000f4240 000493e0 00000000"]);
    assert.deepEqual([setting.senders, setting.receivers.size], [0, 0]);
  });

  test("a successor to the same peer is another session, and hears the peer at once", async () => {
    const setting = await Setting.up();
    setting.speaker.close(7);
    setting.speaker.open(8, target, parameters);
    setting.take();
    setting.hear(peerDown);
    assert.deepEqual(setting.take().packets, ["20800318 00000002 22222222 000f4240 000493e0 00000000"]);
    await setting.clock.advance(1000);
    assert.equal(setting.senders, 1);
    assert.equal(setting.receivers.size, 1);
  });
});

describe("which session a packet is for (RFC 5880 section 6.8.6)", () => {
  async function two(): Promise<Setting> {
    const setting = await Setting.up();
    setting.speaker.open(8, { ...target, peer: "10.0.7.20" }, parameters);
    setting.take();
    return setting;
  }

  test("by your discriminator, wherever it comes from", async () => {
    const setting = await two();
    setting.hear("20800318 33333333 00000002 000f4240 000493e0 00000000", "192.0.2.1");
    assert.deepEqual(setting.take().states, ["Up"]);
  });

  test("without one by the address", async () => {
    const setting = await two();
    setting.hear("20400318 33333333 00000000 000f4240 000493e0 00000000", "10.0.7.20");
    assert.deepEqual(setting.take().packets, ["20800318 00000002 33333333 000f4240 000493e0 00000000"]);
  });

  test("an IPv6 address in whatever way it is written", () => {
    const setting = new Setting();
    setting.speaker.open(7, { local: "2001:db8:7::11", peer: "2001:db8:7::19", hop: "single" }, parameters);
    setting.take();
    setting.hear(peerDown, "2001:0db8:7:0::19", "single", "2001:db8:7::11");
    assert.deepEqual(setting.take().states, ["Init"]);
  });

  test("for none: an unknown discriminator, an unknown address, and the other kind of port", async () => {
    const setting = await two();
    setting.speaker.open(9, { ...target, peer: "198.51.100.1", hop: "multi" }, parameters);
    setting.take();
    setting.hear("20c00318 22222222 00000009 000493e0 000493e0 00000000");
    setting.hear(peerDown, "10.0.7.21");
    // What came through routers does not count for a session over one hop, which nobody from afar may end.
    setting.hear("20400318 22222222 00000001 000493e0 000493e0 00000000", target.peer, "multi");
    assert.deepEqual(setting.take(), { packets: [], states: [] });
  });

  test("two sessions never have one discriminator", () => {
    const numbers = [5, 5, 5, 6];
    const sent: string[] = [];
    const sender = () => ({
      descriptor: 0,
      send: (packet: Buffer) => sent.push(packet.toString("hex", 4, 8)),
      close: () => undefined,
    });
    const speaker = new BfdSpeaker({
      clock: new TestClock(),
      random: () => 0,
      newDiscriminator: () => numbers.shift() ?? 0,
      afterPendingInput: (action) => action(),
      openReceiver: () => ({ close: () => undefined }),
      openSender: sender,
      takeSender: sender,
      onNews: () => undefined,
    });
    speaker.open(1, target, parameters);
    speaker.open(2, { ...target, peer: "10.0.7.20" }, parameters);
    assert.deepEqual(sent, ["00000005", "00000006"]);
  });
});

describe("a session whose thread has ended, in the next thread", () => {
  async function goneOn(): Promise<Setting> {
    const { held } = await Setting.up();
    const setting = new Setting();
    setting.speaker.open(7, target, parameters, held);
    return setting;
  }

  test("is Up with both discriminators and its socket, and what it says needs no answer but F", async () => {
    const setting = await goneOn();
    assert.deepEqual(setting.take(), { packets: [ourUpPoll], states: ["Up"] });
    assert.deepEqual(setting.taken, [101]);
    setting.hear(peerUpFinal);
    await setting.clock.advance(299);
    assert.deepEqual(setting.take(), { packets: [], states: [] });
    await setting.clock.advance(1);
    assert.deepEqual(setting.take(), { packets: [ourUp], states: [] });
  });

  test("a peer that is silent is missed after the detection time, not before", async () => {
    const setting = await goneOn();
    await setting.clock.advance(899);
    assert.ok(!setting.take().states.includes("Down"));
    await setting.clock.advance(1);
    assert.deepEqual(setting.take().states, ["Down"]);
  });

  test("a peer that has given it up meanwhile says so", async () => {
    const setting = await goneOn();
    setting.take();
    setting.hear("20400318 22222222 00000000 000f4240 000493e0 00000000");
    assert.deepEqual(setting.take().states, ["Down"]);
  });

  test("parameters that have changed are agreed on after those that the peer knows", async () => {
    const { held } = await Setting.up();
    const setting = new Setting();
    setting.speaker.open(7, target, { ...parameters, multiplier: 5 }, held);
    assert.deepEqual(setting.take(), { packets: [ourUpPoll], states: ["Up"] });
    setting.hear(peerUpFinal);
    assert.deepEqual(setting.take().packets, ["20c00518 00000001 22222222 000493e0 000493e0 00000000"]);
  });
});

test("a port that another program holds is told, and tried again until it is free", async () => {
  const setting = new Setting();
  setting.fault = Object.assign(new Error("cannot bind a socket: EADDRINUSE"), { code: "EADDRINUSE" });
  setting.speaker.open(7, target, parameters);
  assert.deepEqual(setting.news, [
    [7, { kind: "problem", problem: { code: "EADDRINUSE", message: "cannot bind a socket: EADDRINUSE" } }],
  ]);
  setting.take();
  setting.speaker.configure(7, { ...parameters, multiplier: 5 });
  setting.fault = undefined;
  await setting.clock.advance(4999);
  assert.deepEqual(setting.take(), { packets: [], states: [] });
  await setting.clock.advance(1);
  assert.deepEqual(setting.take(), {
    packets: ["20400518 00000001 00000000 000f4240 000493e0 00000000"],
    states: ["Down"],
  });
});

test("one that was closed while it waited for its port does not come", async () => {
  const setting = new Setting();
  setting.fault = new Error("cannot bind a socket: EADDRNOTAVAIL");
  setting.speaker.open(7, target, parameters);
  setting.speaker.close(7);
  setting.fault = undefined;
  await setting.clock.advance(10_000);
  assert.deepEqual([setting.senders, setting.take().packets], [0, []]);
});

test("whatever comes in whatever order: nothing is thrown, and one packet brings two answers at most", () => {
  const flag = fc.constantFrom(0x00, 0x10, 0x20, 0x30, 0x08, 0x02);
  const datagram = fc.oneof(
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    fc
      .record({
        state: fc.nat(3),
        flag,
        multiplier: fc.integer({ min: 0, max: 255 }),
        mine: fc.constantFrom(0, 0x22222222, 0xffffffff),
        yours: fc.constantFrom(0, 1, 2),
        tx: fc.constantFrom(0, 1, 300_000, 0xffffffff),
        rx: fc.constantFrom(0, 1, 300_000, 0xffffffff),
      })
      .map(({ state, flag, multiplier, mine, yours, tx, rx }) => {
        const bytes = Buffer.from([0x20, (state << 6) | flag, multiplier, 24, ...Buffer.alloc(20)]);
        [mine, yours, tx, rx].forEach((value, index) => void bytes.writeUInt32BE(value, 4 + 4 * index));
        return bytes;
      }),
  );
  let ups = 0;
  fc.assert(
    fc.property(fc.array(datagram, { minLength: 1, maxLength: 30 }), (datagrams) => {
      const setting = new Setting();
      setting.speaker.open(7, target, parameters);
      for (const bytes of datagrams) {
        setting.sent.splice(0);
        setting.hear(bytes.toString("hex"));
        assert.ok(setting.sent.length <= 2, `${setting.sent.length} packets for one`);
        for (const { bytes: answer } of setting.sent) {
          assert.notEqual(hex(answer).readUInt8(1) & 0x30, 0x30, "P and F in one packet");
        }
      }
      ups += setting.take().states.filter((state) => state === "Up").length;
    }),
    { numRuns: 1000 },
  );
  assert.ok(ups > 100, `only ${ups} sessions came up`);
});
