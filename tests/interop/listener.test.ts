import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { waitFor } from "../../lab/index.js";
import { ENTRY_WAITING_PARENTS } from "../../lab/isolation/index.js";
import { childEnd, signalEntered } from "../../lab/processes/index.js";
import type { SpeakerPlan } from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { address4, startFabric } from "./bgp-fabric.js";
import { FrrRouter } from "./frr-router.js";
import { inFabric, RemoteSpeaker } from "./remote-speaker.js";

/** Sessions that either side may open: with FRR, whose identifier is between those of the two nodes, and with each other. */

const hosts = { n1: 20, n2: 40, rr: 30, stranger: 50 } as const;
type Node = "n1" | "n2";
const network = "vxlan228";
const password = "correct-horse-228";
const passwordFile = "/run/password";

let fabric: TestNamespaces;
let router: FrrRouter;
const speakers = {} as Record<Node, RemoteSpeaker>;

function plan(node: Node, change: Partial<SpeakerPlan> = {}): SpeakerPlan {
  const vtep = address4(hosts[node]);
  return {
    vni: 228,
    vtep,
    mac: `02:00:00:00:02:${hosts[node]}`,
    routerId: vtep,
    localAsn: 65001,
    peerAsn: 65001,
    peers: [address4(hosts.rr)],
    holdTime: 9,
    listen: true,
    routeDistinguisher: `${vtep}:228`,
    importRouteTargets: ["65001:228"],
    exportRouteTargets: ["65001:228"],
    gobgpPort: 20228,
    ...change,
  };
}

const speak = (node: Node, change: Partial<SpeakerPlan> = {}) =>
  speakers[node].setNetworks([{ network, plan: plan(node, change) }]);

before(async () => {
  fabric = await startFabric(hosts);
  for (const node of ["n1", "n2"] as const) {
    await fabric.exec(node, ["sh", "-c", `echo ${password} > ${passwordFile}`]);
    speakers[node] = new RemoteSpeaker(inFabric(fabric), node);
  }
  const neighbours = [hosts.n1, hosts.n2].map(address4);
  router = await FrrRouter.start(
    fabric,
    "rr",
    ["router bgp 65001", ` bgp router-id ${address4(hosts.rr)}`, " no bgp default ipv4-unicast"]
      .concat(neighbours.flatMap((one) => [` neighbor ${one} remote-as 65001`, ` neighbor ${one} timers connect 1`]))
      .concat(
        [" address-family l2vpn evpn"],
        neighbours.flatMap((one) => [`  neighbor ${one} activate`]),
      )
      .concat([" exit-address-family", ""])
      .join("\n"),
  );
});

after(async () => {
  await Promise.all(Object.values(speakers).map((speaker) => speaker.kill()));
  await fabric?.end();
});

/** Established at both ends, over one connection. Which end opened it. */
async function established(node: Node, peer: keyof typeof hosts = "rr"): Promise<"node" | "peer"> {
  await waitFor(
    `the session of ${node} with ${peer}`,
    async () => (await speakers[node].sessions(network))[0]?.state === "Established",
  );
  const connections = async () => {
    const filter = ["state", "established", "dst", address4(hosts[peer])];
    const { stdout } = await fabric.exec(node, ["ss", "-Htn", ...filter]);
    return stdout.split("\n").filter((line) => line !== "");
  };
  const [line = ""] = await waitFor("a single connection", async () => {
    const found = await connections();
    return found.length === 1 && found;
  });
  return / 10\.0\.7\.\d+:179 +10/.test(line) ? "peer" : "node";
}

async function forget(): Promise<void> {
  await Promise.all(Object.values(speakers).map((speaker) => speaker.setNetworks([])));
}

/** Nothing that a place sends to port 179 of others arrives. */
async function mute(place: string): Promise<void> {
  await fabric.exec(place, ["nft", "add table ip mute; add chain ip mute out { type filter hook output priority 0; }"]);
  await fabric.exec(place, ["nft", "add rule ip mute out tcp dport 179 drop"]);
}

const unmute = (place: string) => fabric.exec(place, ["nft", "delete table ip mute"]);

describe("with FRR", () => {
  beforeEach(forget);

  test("only the router's connections arrive: they are taken", async () => {
    await mute("n1");
    try {
      await speak("n1");
      assert.equal(await established("n1"), "peer");
    } finally {
      await unmute("n1");
    }
  });

  test("only our connections arrive: all is as without a listener", async () => {
    await mute("rr");
    try {
      await speak("n1");
      assert.equal(await established("n1"), "node");
    } finally {
      await unmute("rr");
    }
  });

  for (const node of ["n1", "n2"] as const) {
    const order = node === "n1" ? "lower" : "higher";
    test(`both connect at once, time and again, and our identifier is ${order}: one connection stays`, async () => {
      for (let round = 0; round < 6; round += 1) {
        await speakers[node].setNetworks([]);
        const clear = router.vtysh(`clear bgp ${address4(hosts[node])}`);
        await speak(node);
        await clear;
        await established(node);
      }
    });
  }

  test("a router that starts anew, while we try: one connection stays", async () => {
    await speak("n1");
    await established("n1");
    await router.stopBgp("SIGKILL");
    await router.startBgp();
    await established("n1");
  });

  test("an MD5 password counts for the router's connections too, and is read again", async () => {
    await router.configure(65001, `neighbor ${address4(hosts.n1)} password ${password}`);
    await mute("n1");
    try {
      await fabric.exec("n1", ["sh", "-c", `echo not-this-one > ${passwordFile}`]);
      await speak("n1", { passwordFile });
      const refused = async () => {
        const { stdout } = await fabric.exec("n1", ["nstat", "-a", "-s", "-z", "TcpExtTCPMD5Failure"]);
        return Number(/^TcpExtTCPMD5Failure\s+(\d+)/m.exec(stdout)?.[1]) > 0;
      };
      await waitFor("a signature that the kernel refuses", refused);
      assert.notEqual((await speakers.n1.sessions(network))[0]?.state, "Established");
      await fabric.exec("n1", ["sh", "-c", `echo ${password} > ${passwordFile}`]);
      await speak("n1", { passwordFile });
      assert.equal(await established("n1"), "peer");
    } finally {
      await unmute("n1");
      await router.configure(65001, `no neighbor ${address4(hosts.n1)} password`);
    }
  });

  test("TTL security counts for the router's connections too", async () => {
    await mute("n1");
    const far = ["nft", "add table ip far; add chain ip far out { type filter hook output priority 0; }"];
    await fabric.exec("rr", far);
    await fabric.exec("rr", ["nft", "add rule ip far out tcp dport 179 ip ttl set 254"]);
    try {
      await speak("n1", { ttlSecurity: 1 });
      await waitFor("attempts", async () => {
        const { stdout } = await fabric.exec("n1", ["nstat", "-a", "-s", "-z", "TcpExtTCPMinTTLDrop"]);
        return Number(/^TcpExtTCPMinTTLDrop\s+(\d+)/m.exec(stdout)?.[1]) > 0;
      });
      assert.notEqual((await speakers.n1.sessions(network))[0]?.state, "Established");
      await fabric.exec("rr", ["nft", "delete table ip far"]);
      assert.equal(await established("n1"), "peer");
    } finally {
      await unmute("n1");
      await fabric.exec("rr", ["nft", "delete table ip far"], { check: false });
    }
  });
});

describe("who may connect", () => {
  before(forget);

  test("a stranger is closed at once and reads nothing, and nobody listens at other addresses", async () => {
    await speak("n1");
    await established("n1");
    const connect = (address: string) =>
      fabric.exec(
        "stranger",
        [
          process.execPath,
          "-e",
          `let bytes = 0;
           const socket = require("node:net").connect(179, "${address}");
           socket.on("data", (data) => (bytes += data.length));
           socket.on("error", (error) => console.log(error.code));
           socket.on("close", () => console.log("closed after", bytes));`,
        ],
        { check: false },
      );
    const { stdout } = await connect("10.0.7.20");
    assert.match(stdout, /^(ECONNRESET\n)?closed after 0\n$/);
    assert.equal((await connect("2001:db8:7::20")).stdout, "ECONNREFUSED\nclosed after 0\n");
  });

  test("without `listen` nobody listens", async () => {
    const { listen: _, ...silent } = plan("n1");
    await speakers.n1.setNetworks([{ network, plan: silent }]);
    const { stdout } = await fabric.exec("n1", ["ss", "-Hltn", "sport", "=", ":179"]);
    assert.equal(stdout, "");
    await established("n1");
  });
});

test("another program has the port: a condition says so, our own connection is made, and the port is taken when it is free", async () => {
  await forget();
  const occupant = fabric.spawn(
    "n1",
    [process.execPath, "-e", `require("node:net").createServer().listen(179, () => console.log("listening"))`],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await new Promise((resolve) => occupant.stdout?.once("data", resolve));
  await speak("n1");
  assert.equal(await established("n1"), "node");
  const [notice] = (await speakers.n1.notices(network)).filter(({ reason }) => reason === "NotListening");
  assert.equal(
    notice?.message,
    "peers cannot connect to 10.0.7.20 port 179 (cannot bind a socket: EADDRINUSE); this node still connects to them, and sessions come up where they accept that; another program of the node holds the port, such as the BGP speaker of Calico, MetalLB or kube-router: let that one give it up (ss -Hltnp sport = :179 names it), or take bgp.listen away",
  );
  await signalEntered(occupant, ENTRY_WAITING_PARENTS, "SIGTERM");
  await childEnd(occupant);
  await waitFor(
    "the listener",
    async () => (await speakers.n1.notices(network)).every(({ reason }) => reason !== "NotListening"),
    { timeout: 60_000 },
  );
  const { stdout } = await fabric.exec("n1", ["ss", "-Hltn", "sport", "=", ":179"]);
  assert.match(stdout, /10\.0\.7\.20:179/);
});

test("two nodes that both connect and both listen, time and again", async () => {
  for (let round = 0; round < 12; round += 1) {
    await forget();
    await Promise.all([speak("n1", { peers: [address4(hosts.n2)] }), speak("n2", { peers: [address4(hosts.n1)] })]);
    await established("n1", "n2");
    await established("n2", "n1");
  }
});
