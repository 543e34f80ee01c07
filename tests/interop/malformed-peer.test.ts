import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ForwardingState } from "../../agent-image/agent/evpn/forwarding-state.js";
import { waitFor } from "../../lab/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { hex, message } from "../unit/bgp/bytes.js";
import {
  discarded,
  external,
  inclusiveMulticast,
  mac,
  reset,
  treatedAsWithdraw,
  update,
} from "../unit/bgp/faulty-updates.js";
import { frrOpenFrom } from "../unit/bgp/frr-open.js";
import { startFabric } from "./bgp-fabric.js";
import { fabricPlan, network } from "./fabric-plan.js";
import { MessageCapture } from "./message-capture.js";
import { RawPeer } from "./raw-peer.js";
import { inFabric, RemoteSpeaker } from "./remote-speaker.js";

/**
 * The faults of an internal and of an external peer over a real connection: RFC 7606 decides what the session, the route and the
 * peer get of them.
 */

const internalPlan = fabricPlan("10.0.7.30");

const open = 1;
const updateType = 2;
const routeRefresh = 5;
const endOfRib = message(updateType, hex("0000 0006 800f03 001946"));
const flooding = { nlri: inclusiveMulticast, more: "c0 16 09 00 06 0000e4 0a000001" };

/** The peer is AS 65001 in both. What an external peer sends has its AS in the path and no LOCAL_PREF (RFC 4271 section 5.1). */
const peerings = [
  { kind: "internal", plan: internalPlan, base: {}, faults: { treatedAsWithdraw, discarded } },
  {
    kind: "external",
    plan: { ...internalPlan, localAsn: 65002 },
    base: { asPath: "40 02 06 02 01 0000fde9", localPreference: "" },
    faults: external,
  },
] as const;

let fabric: TestNamespaces;
let speaker: RemoteSpeaker;
let peer: RawPeer;
let capture: MessageCapture;

before(async () => {
  fabric = await startFabric({ n1: 20, raw: 30 });
  capture = await MessageCapture.start(fabric, "n1");
  const host = inFabric(fabric);
  peer = await RawPeer.start(host, "raw", "10.0.7.30", message(open, frrOpenFrom("0a000009")));
  speaker = new RemoteSpeaker(host, "n1");
});

after(async () => {
  await speaker?.kill();
  await fabric?.end();
});

async function session() {
  return (await speaker.sessions(network))[0];
}

const hasHost = ({ hosts }: ForwardingState) => hosts.some((host) => host.mac === mac);
const hasFlooding = ({ flood }: ForwardingState) => flood.includes("10.0.0.1");
const hasBoth = (state: ForwardingState) => hasHost(state) && hasFlooding(state);

async function until(what: string, holds: (state: ForwardingState) => boolean): Promise<void> {
  const probe = async () => {
    const state = await speaker.forwarding(network);
    return state !== undefined && holds(state);
  };
  await waitFor(what, probe, { timeout: 10_000, interval: 5 });
}

/** RFC 4271 section 6.1 and RFC 7313 section 5. */
const notUpdates = [
  { name: "a marker of zeros", bytes: hex(`${"00".repeat(16)} 0013 04`), error: "1/1", data: "" },
  { name: "a length of 18", bytes: hex(`${"ff".repeat(16)} 0012 04`), error: "1/2", data: "0012" },
  { name: "message type 9", bytes: hex(`${"ff".repeat(16)} 0013 09`), error: "1/3", data: "09" },
  { name: "an UPDATE of three bytes", bytes: message(updateType, hex("000000")), error: "1/2", data: "0016" },
  {
    name: "a ROUTE-REFRESH of five bytes",
    bytes: message(routeRefresh, hex("0019 0046 00")),
    error: "7/1",
    data: `${"ff".repeat(16)}0018050019004600`,
  },
] as const;

for (const { kind, plan, base, faults } of peerings) {
  const goodHost = message(updateType, update(base));
  const goodFlooding = message(updateType, update({ ...base, ...flooding }));

  /** A session without a history, so that it does not wait for earlier failures, with the peer's table told. */
  const begin = async (): Promise<void> => {
    await speaker.setNetworks([]);
    await waitFor("the end of the session before", () => !peer.connected, { interval: 5 });
    peer.forget();
    await speaker.setNetworks([{ network, plan }]);
    await waitFor("the session", async () => (await session())?.state === "Established", { interval: 5 });
    peer.send(endOfRib, goodHost, goodFlooding);
    await until("both good routes", hasBoth);
  };

  describe(`faults of an ${kind} peer that keep the session`, () => {
    let since: string | undefined;

    before(async () => {
      await begin();
      since = (await session())?.since;
    });

    for (const { name, change } of faults.treatedAsWithdraw) {
      test(`treat-as-withdraw: ${name}`, async () => {
        peer.send(goodHost, goodFlooding);
        await until("both good routes", hasBoth);
        peer.send(message(updateType, update({ ...base, ...change })));
        const ofFlooding = change.nlri === inclusiveMulticast;
        await until("the withdrawal", (state) =>
          ofFlooding ? hasHost(state) && !hasFlooding(state) : !hasHost(state),
        );
      });
    }

    for (const { name, change } of faults.discarded) {
      test(`attribute-discard: ${name}`, async () => {
        const withdrawal = message(updateType, update({ ...base, origin: "" }));
        peer.send(withdrawal);
        await until("no route", (state) => !hasHost(state));
        peer.send(message(updateType, update({ ...base, ...change })));
        await until("the route", hasHost);
      });
    }

    test("it is the first session still, and nothing was said against the peer", async () => {
      const { state, since: now } = (await session()) ?? {};
      assert.deepEqual([state, now], ["Established", since]);
      assert.equal(peer.hasNotification, false);
    });
  });

  describe(`faults of an ${kind} peer that end the session, with the reason in the NOTIFICATION`, () => {
    const cases = [
      ...reset.map(({ name, body, code, subcode, data }) => ({
        name,
        bytes: message(updateType, body),
        error: `${code}/${subcode}`,
        data,
      })),
      ...notUpdates,
    ];
    for (const { name, bytes, error, data } of cases) {
      test(`${error}: ${name}`, async () => {
        await begin();
        peer.send(bytes);
        assert.deepEqual(await peer.notification(), { error, data });
        await waitFor("the end of the session", async () => (await session())?.state !== "Established", {
          interval: 5,
        });
        await until("the routes of the lost session to stay (RFC 4724 section 4.2)", hasBoth);
      });
    }
  });
}

test("an independent decoder finds nothing wrong in what we sent, NOTIFICATIONs included", async () => {
  await capture.until("the last NOTIFICATION", "ip.src == 10.0.7.20 && bgp.notify.major_error == 7");
  await capture.assertWellFormed("ip.src == 10.0.7.20", ["1", "2", "3", "4"]);
});
