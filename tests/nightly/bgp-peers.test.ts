import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { waitFor } from "../../lab/index.js";
import type { SpeakerPlan } from "../../model/index.js";
import { address4, address6, startFabric } from "../interop/bgp-fabric.js";
import { fabricPlan, network } from "../interop/fabric-plan.js";
import { GobgpDaemon } from "../interop/gobgp-daemon.js";
import { inFabric, RemoteSpeaker } from "../interop/remote-speaker.js";
import type { TestNamespaces } from "../support/namespace.js";
import { hostRoute, type Peer, peerKinds, places } from "./peer-kinds.js";

/**
 * All that happens between the node and a peer, with every kind of peer that there is to try, inside an AS and between two, over
 * IPv4 and IPv6, with TCP MD5 throughout. docs/interop.md says what else covers it.
 */

const nodeAsn = 65_001;
const password = "correct-horse-228";
const timeout = 60_000;
const leafVtep = "10.0.7.30";
const host = "02:00:00:00:99:01";
const moving = "02:00:00:00:99:02";
const claiming = "02:00:00:00:99:03";
const claimed = "203.0.113.30";

const sorts = [
  { sort: "iBGP", asn: nodeAsn },
  { sort: "eBGP", asn: 65_010 },
] as const;
const families = [
  { family: "IPv4", address: address4 },
  { family: "IPv6", address: address6 },
] as const;

for (const kind of peerKinds) {
  for (const { sort, asn } of sorts) {
    for (const { family, address } of families) {
      describe(`${kind.name}, ${sort} over ${family}`, () => {
        const node = address(places.n1);
        const plan: SpeakerPlan = {
          ...fabricPlan(address(places.peer), address(places.other)),
          source: node,
          peerAsn: asn,
          passwordFile: "/run/right",
          importRouteTargets: [nodeAsn, asn, 65_020].map((number) => `${number}:228`),
        };
        let fabric: TestNamespaces;
        let peer: Peer;
        /** Further VTEPs, to which MACs of the peer move. */
        let other: GobgpDaemon;
        let speaker: RemoteSpeaker;

        const speak = (change: Partial<SpeakerPlan> = {}) =>
          speaker.setNetworks([{ network, plan: { ...plan, ...change } }]);
        const session = async () => (await speaker.sessions(network))[0];
        const established = () =>
          waitFor("the session", async () => (await session())?.state === "Established", { timeout });
        const lost = () =>
          waitFor("its end", async () => (await session())?.state !== "Established", { timeout, interval: 10 });
        const vtepOf = (mac: string, vtep: string | undefined) =>
          speaker.untilForwarding(
            network,
            `${mac} behind ${vtep ?? "nobody"}`,
            ({ hosts }) => hosts.find((entry) => entry.mac === mac)?.vtep === vtep,
            timeout,
          );
        const kept = async () => {
          const state = await speaker.forwarding(network);
          assert.deepEqual(state?.flood, [leafVtep]);
          assert.ok(state.hosts.some(({ mac, vtep }) => mac === host && vtep === leafVtep));
        };
        const ours = async (routes: number) => {
          let last: unknown;
          await waitFor(
            `${routes} routes of the node`,
            async () => {
              last = await peer.nodeRoutes().catch((error: Error) => error.message);
              return Array.isArray(last) && last.length === routes;
            },
            { timeout },
          ).catch((error: Error) => assert.fail(`${error.message}; it has ${JSON.stringify(last)}`));
        };

        const startAgain = async () => {
          await peer.crash();
          await peer.start();
        };

        before(async () => {
          fabric = await startFabric(places);
          const script = `echo ${password} > /run/right; echo not-this-one > /run/wrong`;
          await fabric.exec("n1", ["sh", "-c", script]);
          peer = await kind.start(fabric, { nodeAddress: node, nodeAsn, asn, password });
          other = await GobgpDaemon.start(fabric, "other", "v4", {
            asn,
            routerId: address4(places.other),
            holdTime: 9,
            neighbours: [{ address: node, asn: nodeAsn, password }],
          });
          await peer.announce(host);
          speaker = new RemoteSpeaker(inFabric(fabric), "n1");
        });

        after(async () => {
          await speaker?.kill();
          await fabric?.end();
        });

        test("the wrong password: no session, and why", async () => {
          await speak({ passwordFile: "/run/wrong" });
          const reason = await waitFor("the refusal", async () => (await session())?.lastError, { timeout });
          assert.notEqual((await session())?.state, "Established");
          assert.match(
            reason,
            /^no answer to the connection .* its password for this node is not the one in \/run\/wrong$/,
          );
        });

        test("the right one: Established, routes in both directions", async () => {
          await speaker.setNetworks([]);
          await speak();
          await speaker.initialStateKnown();
          await established();
          await vtepOf(host, leafVtep);
          await kept();
          await ours(2);
        });

        test("an address moves to the node: all its Type-2 carry a number above the peer's claim", async () => {
          await peer.announce(claiming, claimed);
          await speaker.untilForwarding(
            network,
            "the claim",
            ({ neighbours }) => neighbours.some((neighbour) => neighbour.address === claimed),
            timeout,
          );
          await speaker.setAddresses(network, [claimed]);
          await ours(3);
          await waitFor("the numbers", async () =>
            (await peer.nodeRoutes())
              .filter(({ routeType }) => routeType === 2)
              .every(({ sequence }) => sequence === 1),
          );
          await speaker.setAddresses(network, []);
          await ours(2);
          await peer.withdraw(claiming, claimed);
        });

        for (const [where, vtep, wins] of [
          ["a lower", "10.0.7.10", true],
          ["a higher", "10.0.7.60", false],
        ] as const) {
          test(`a MAC moves to a VTEP with ${where} address and back: of equal claims the lower counts, then who is left`, async () => {
            const elsewhere = hostRoute(asn, vtep, moving);
            const wait = hostRoute(asn, vtep, "02:00:00:00:99:ff");
            await peer.announce(moving);
            await vtepOf(moving, leafVtep);
            await other.announce(elsewhere, wait);
            // When the second one is there the first has counted.
            await vtepOf("02:00:00:00:99:ff", vtep);
            await vtepOf(moving, wins ? vtep : leafVtep);
            await peer.withdraw(moving);
            await vtepOf(moving, vtep);
            await peer.announce(moving);
            await vtepOf(moving, wins ? vtep : leafVtep);
            await other.withdraw(elsewhere, wait);
            await vtepOf(moving, leafVtep);
            await peer.withdraw(moving);
            await vtepOf(moving, undefined);
          });
        }

        test("the peer crashes and comes back: what it told stays, and it has the node's routes again", async () => {
          await peer.crash();
          await lost();
          await kept();
          await peer.start();
          await established();
          await ours(2);
          await kept();
        });

        test("the peer falls silent: given up for the hold time, what it told stays, and it is taken back", async () => {
          await peer.pause();
          await lost();
          assert.match((await session())?.lastError ?? "", /hold time/);
          await kept();
          await peer.goOn();
          if (kind.hangsAfterLoss) await startAgain();
          await established();
          await ours(2);
          await kept();
        });

        test(`the speaker is killed: the peer ${kind.hangsAfterLoss ? "starts again" : kind.keepsRoutes ? "keeps its routes" : "forgets its routes"}, and has them again`, async () => {
          const warned = (await speaker.notices(network)).find(({ reason }) => reason === "PeerKeepsNoRoutes");
          assert.equal(warned?.message.includes(address(places.peer)) ?? false, !kind.keepsRoutes);
          await speaker.kill();
          if (kind.hangsAfterLoss) await startAgain();
          else await ours(kind.keepsRoutes ? 2 : 0);
          speaker = new RemoteSpeaker(inFabric(fabric), "n1", "restarted");
          await speak();
          await speaker.initialStateKnown();
          await established();
          await ours(2);
          await vtepOf(host, leafVtep);
        });
      });
    }
  }
}
