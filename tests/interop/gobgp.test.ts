import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { waitFor } from "../../lab/index.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startFabric } from "./bgp-fabric.js";
import { GobgpDaemon, type GobgpRelease, type RouteWords } from "./gobgp-daemon.js";
import { KernelEntries } from "./kernel-entries.js";
import { MessageCapture } from "./message-capture.js";

/**
 * The agent with GoBGP of three releases, each as the only peer of a network of its own. One of the peers has a lower VTEP
 * address than the node, because equal claims on a MAC go to the lower one (RFC 7432 section 15.1).
 */

interface Peer {
  readonly release: GobgpRelease;
  readonly place: string;
  readonly host: number;
  readonly vni: number;
}

const peers: readonly Peer[] = [
  { release: "v4", place: "peer4", host: 10, vni: 228 },
  { release: "v3", place: "peer3", host: 40, vni: 229 },
  { release: "debian", place: "peerd", host: 41, vni: 230 },
];

const configuration = `podNetworks: []
networks:
${peers
  .map(
    ({ vni, host }) => `  - type: vxlan
    vxlan:
      vni: ${vni}
      nodeNet: 10.0.7.0/24
      bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.${host}], holdTime: 9 }
    routing: { cidr: 198.51.${vni}.0/24, gateway: 198.51.${vni}.1 }
`,
  )
  .join("")}`;

let fabric: TestNamespaces;
let agent: AgentProcess;
let kernel: KernelEntries;
let capture: MessageCapture;
const daemons = new Map<string, GobgpDaemon>();

before(async () => {
  fabric = await startFabric({ n1: 20, ...Object.fromEntries(peers.map(({ place, host }) => [place, host])) });
  await Promise.all(
    peers.map(async ({ place, release, host }) => {
      const settings = {
        asn: 65001,
        routerId: `10.0.7.${host}`,
        holdTime: 9,
        neighbours: [{ address: "10.0.7.20", asn: 65001 }],
      };
      daemons.set(place, await GobgpDaemon.start(fabric, place, release, settings));
    }),
  );
  await fabric.ip("n1", ...peers.map(({ vni }) => `address add 198.51.${vni}.20/32 dev lo`));
  kernel = new KernelEntries(fabric, "n1");
  capture = await MessageCapture.start(fabric, "n1");
  agent = await AgentProcess.create(inNamespaces(fabric), "n1", "--config", configuration);
  agent.start();
});

after(async () => {
  await agent?.end();
  await fabric?.end();
});

for (const { release, place, host, vni } of peers) {
  describe(`GoBGP ${release}`, () => {
    const device = `vxlan${vni}`;
    const vtep = `10.0.7.${host}`;
    const own = `198.51.${vni}.20`;
    const rd = `${vtep}:${vni}`;
    const communities = ["rt", `65001:${vni}`, "encap", "vxlan"];
    const multicast: RouteWords = [
      ...["multicast", vtep, "etag", "0", "rd", rd, ...communities],
      ...["pmsi", "ingress-repl", String(vni), vtep, "nexthop", vtep],
    ];
    const host2 = (mac: string, ip: string, distinguisher = rd, nextHop = vtep): RouteWords => [
      ...["macadv", mac, ip, "etag", "0", "label", String(vni), "rd", distinguisher, ...communities],
      ...["nexthop", nextHop],
    ];
    const gobgp = (): GobgpDaemon => {
      const daemon = daemons.get(place);
      assert.ok(daemon);
      return daemon;
    };
    const ours = async () => (await gobgp().rib()).filter(({ rd: of }) => of === `10.0.7.20:${vni}`);
    let mac: string;

    before(async () => {
      await agent.until("the session is Established", (networks) =>
        (networks.get(device)?.sessions ?? []).some(({ state }) => state === "Established"),
      );
      mac = await kernel.macOf(device);
    });

    test("our Type-3 and both Type-2 stand in `gobgp global rib`, with label, target and encapsulation", async () => {
      const routes = await waitFor("three routes of ours", async () => {
        const found = await ours();
        return found.length === 3 && found;
      });
      const common = {
        rd: `10.0.7.20:${vni}`,
        etag: 0,
        label: vni,
        nextHop: "10.0.7.20",
        routeTargets: [`65001:${vni}`],
        tunnelTypes: [8],
        sequence: undefined,
        asPath: [],
        stale: false,
      };
      assert.deepEqual(
        routes.toSorted((one, other) => one.routeType - other.routeType || (one.ip === undefined ? -1 : 1)),
        [
          { ...common, routeType: 2, mac, ip: undefined },
          { ...common, routeType: 2, mac, ip: own },
          { ...common, routeType: 3, mac: undefined, ip: "10.0.7.20" },
        ],
      );
    });

    test("its Type-3 becomes a flood entry, its Type-2 an entry of the host and the gateway's neighbour", async () => {
      await gobgp().announce(
        multicast,
        host2("02:00:00:00:99:01", "0.0.0.0"),
        host2("02:00:00:00:99:01", `198.51.${vni}.1`),
        host2("02:00:00:00:99:02", "0.0.0.0"),
      );
      await kernel.until(device, [
        { mac: "00:00:00:00:00:00", vtep },
        { mac: "02:00:00:00:99:01", vtep },
        { mac: "02:00:00:00:99:02", vtep },
      ]);
      await waitFor("the gateway's neighbour entry", async () =>
        (await kernel.neighbour(device, `198.51.${vni}.1`)).includes("lladdr 02:00:00:00:99:01"),
      );
    });

    test("a withdrawn host is gone from the kernel, and only that", async () => {
      await gobgp().withdraw(host2("02:00:00:00:99:02", "0.0.0.0"));
      await kernel.until(device, [
        { mac: "00:00:00:00:00:00", vtep },
        { mac: "02:00:00:00:99:01", vtep },
      ]);
    });

    test("a MAC moves to a VTEP with a higher address, and from there to one with a lower address", async () => {
      const moved = "02:00:00:00:99:03";
      const at = async (place: string) =>
        kernel.until(device, [
          { mac: "00:00:00:00:00:00", vtep },
          { mac: "02:00:00:00:99:01", vtep },
          { mac: moved, vtep: place },
        ]);
      const first = host2(moved, "0.0.0.0", "10.0.7.60:1", "10.0.7.60");
      const higher = host2(moved, "0.0.0.0", "10.0.7.61:1", "10.0.7.61");
      await gobgp().announce(first);
      await at("10.0.7.60");
      // GoBGP sends its first move without a number, as a claim that is equal to the one before: the lower address keeps it.
      await gobgp().announce(higher);
      await gobgp().withdraw(first);
      await at("10.0.7.61");
      await gobgp().announce(first);
      await gobgp().withdraw(higher);
      await at("10.0.7.60");
      await gobgp().withdraw(first);
    });

    test("an address that we lose is withdrawn from its table", async () => {
      await fabric.ip("n1", `address del ${own}/32 dev lo`);
      await waitFor("two routes of ours", async () => (await ours()).length === 2);
      assert.deepEqual((await ours()).map(({ routeType, ip }) => [routeType, ip]).toSorted(), [
        [2, undefined],
        [3, "10.0.7.20"],
      ]);
    });

    test("an address that moves to us from behind GoBGP carries a number above GoBGP's on all our Type-2", async () => {
      const theirs = host2("02:00:00:00:99:04", own);
      await gobgp().announce(theirs);
      await kernel.until(device, [
        { mac: "00:00:00:00:00:00", vtep },
        { mac: "02:00:00:00:99:01", vtep },
        { mac: "02:00:00:00:99:04", vtep },
      ]);
      await fabric.ip("n1", `address add ${own}/32 dev lo`);
      const claims = await waitFor("our claim", async () => {
        const hosts = (await ours()).filter(({ routeType }) => routeType === 2);
        return hosts.length === 2 && hosts.every(({ sequence }) => sequence !== undefined) && hosts;
      });
      assert.deepEqual(
        claims.map(({ sequence }) => sequence),
        [1, 1],
      );
      await gobgp().withdraw(theirs);
    });

    test("killed without a farewell, it is missed at once; its entries stay until it is back, and no longer", async () => {
      await gobgp().stop("SIGKILL");
      await agent.until("the session is lost", (networks) =>
        (networks.get(device)?.sessions ?? []).every(({ state }) => state !== "Established"),
      );
      const kept = [
        { mac: "00:00:00:00:00:00", vtep },
        { mac: "02:00:00:00:99:01", vtep },
      ];
      await kernel.until(device, kept);
      await gobgp().startAgain("-r");
      await agent.until("the session is Established again", (networks) =>
        (networks.get(device)?.sessions ?? []).some(({ state }) => state === "Established"),
      );
      await waitFor("our routes", async () => (await ours()).length === 3);
      await gobgp().announce(multicast);
      await kernel.until(device, [{ mac: "00:00:00:00:00:00", vtep }]);
    });
  });
}

const allEstablished = () =>
  agent.until("all sessions are Established", (networks) =>
    peers.every(({ vni }) => networks.get(`vxlan${vni}`)?.sessions[0]?.state === "Established"),
  );

/** What each of them holds of ours: how many routes, and whether they outlive their session. */
const heldOfOurs = () =>
  Promise.all(
    peers.map(async ({ place, vni }) => {
      const routes = (await daemons.get(place)?.rib()) ?? [];
      const ours = routes.filter(({ rd }) => rd === `10.0.7.20:${vni}`);
      return `${place}: ${ours.length}, ${ours.filter(({ stale }) => stale).length} stale`;
    }),
  );

test("over a crash of the agent all of them keep our routes, and take them as fresh when it is back", async () => {
  await allEstablished();
  await agent.stop("SIGKILL");
  const kept = ["peer4: 3, 3 stale", "peer3: 3, 3 stale", "peerd: 3, 3 stale"];
  await waitFor("stale routes", async () => (await heldOfOurs()).join() === kept.join());
  agent.start();
  await allEstablished();
  const fresh = ["peer4: 3, 0 stale", "peer3: 3, 0 stale", "peerd: 3, 0 stale"];
  await waitFor("fresh routes", async () => (await heldOfOurs()).join() === fresh.join());
});

test("peers that fall silent are given up when the hold time of 9 s is over, their entries stay, and they are taken back", async () => {
  const entries = () => Promise.all(peers.map(({ vni }) => kernel.of(`vxlan${vni}`)));
  const before = await entries();
  assert.ok(before.every(({ length }) => length > 0));
  await Promise.all(peers.map(({ place }) => daemons.get(place)?.signal("SIGSTOP")));
  await agent.until("no session, for the hold time", (networks) =>
    peers.every(({ vni }) => {
      const [session] = networks.get(`vxlan${vni}`)?.sessions ?? [];
      return session?.state !== "Established" && /hold time/i.test(session?.lastError ?? "");
    }),
  );
  assert.deepEqual(await entries(), before);
  await Promise.all(peers.map(({ place }) => daemons.get(place)?.signal("SIGCONT")));
  await allEstablished();
  await waitFor("our routes as fresh ones", async () =>
    (await heldOfOurs()).every((held) => held.endsWith(": 3, 0 stale")),
  );
  assert.deepEqual(await entries(), before);
});

test("a network that is taken out of the file ends its session with a farewell; the others stay as they are", async () => {
  const [, second] = (await agent.status())?.networks ?? [];
  await agent.configure(configuration.replace(/ {2}- type: vxlan\n {4}vxlan:\n {6}vni: 228[\s\S]*?(?= {2}- type)/, ""));
  await waitFor("no route of ours", async () => (await heldOfOurs())[0] === "peer4: 0, 0 stale");
  assert.deepEqual(
    (await agent.status())?.networks.find(({ name }) => name === "vxlan229")?.sessions,
    second?.sessions,
  );
});

test("an independent decoder finds nothing wrong in what we sent", async () => {
  await capture.until("our farewell", "ip.src == 10.0.7.20 && bgp.type == 3");
  await capture.assertWellFormed("ip.src == 10.0.7.20", ["1", "2", "3", "4"]);
});
