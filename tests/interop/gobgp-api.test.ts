import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { waitFor } from "../../lab/index.js";
import { locateToolchain } from "../../lab/toolchain/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startFabric } from "./bgp-fabric.js";
import { fabricPlan, network } from "./fabric-plan.js";
import { GobgpDaemon } from "./gobgp-daemon.js";
import { inFabric, RemoteSpeaker } from "./remote-speaker.js";

/** The `gobgp` command asks our speaker, whose one peer that is there is GoBGP 4.8 and whose other one is nobody. */

const peer = "10.0.7.19";
const absent = "10.0.7.18";

const capabilitiesOfBoth = [
  "l2vpn-evpn:\tadvertised and received",
  "route-refresh:\tadvertised and received",
  "4-octet-as:\tadvertised and received",
  "enhanced-route-refresh:\tadvertised$",
  "nlri: l2vpn-evpn, nexthop: ipv6",
  "GoBGP/4\\.8\\.0",
];

const commands = [
  {
    program: "gobgp-v3",
    established: "ESTABLISHED",
    capabilities: [...capabilitiesOfBoth, "UnknownCapability\\(6\\):\tadvertised and received"],
  },
  {
    // 3.10 knows no software version capability and then shows none of the peer's.
    program: "debian",
    established: "ESTABLISHED",
    capabilities: ["l2vpn-evpn:\tadvertised$"],
  },
  {
    program: "gobgp-v4",
    established: "SESSION_STATE_ESTABLISHED",
    capabilities: [...capabilitiesOfBoth, "extended-message:\tadvertised and received"],
  },
] as const;

let fabric: TestNamespaces;
let speaker: RemoteSpeaker;
let daemon: GobgpDaemon;

const gobgp = (program: string, ...words: readonly string[]) =>
  fabric.exec(
    "n1",
    [program === "debian" ? "/usr/bin/gobgp" : locateToolchain().path(program), "-p", "20228", ...words],
    { check: false },
  );

async function printed(program: string, ...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await gobgp(program, ...words);
  assert.equal(code, 0, `${program} ${words.join(" ")}: ${stderr}${stdout}`);
  return stdout;
}

before(async () => {
  fabric = await startFabric({ n1: 20, peer: 19 });
  daemon = await GobgpDaemon.start(fabric, "peer", "v4", {
    asn: 65001,
    routerId: peer,
    holdTime: 9,
    neighbours: [{ address: "10.0.7.20", asn: 65001 }],
  });
  for (const [mac, target] of [
    ["02:00:00:00:00:01", "65001:228"],
    ["02:00:00:00:00:02", "65001:999"],
  ] as const) {
    const route = ["macadv", mac, "0.0.0.0", "etag", "0", "label", "228", "rd", `${peer}:228`, "rt", target];
    await daemon.announce([...route, "encap", "vxlan"]);
  }
  speaker = new RemoteSpeaker(inFabric(fabric), "n1");
  await speaker.setNetworks([{ network, plan: fabricPlan(peer, absent) }]);
  await speaker.initialStateKnown();
  await waitFor("the session", async () =>
    (await speaker.sessions(network)).some(({ state }) => state === "Established"),
  );
  await waitFor("the API", async () => (await gobgp("gobgp-v4", "global")).code === 0, { timeout: 30_000 });
});
after(async () => {
  await speaker?.close(true);
  await fabric?.end();
});

for (const { program, established, capabilities } of commands) {
  describe(program, () => {
    test("global: the speaker's AS and identifier", async () => {
      const lines = (await printed(program, "global")).trimEnd().split("\n");
      assert.deepEqual(lines, ["AS:        65001", "Router-ID: 10.0.7.20"]);
    });

    test("neighbor: both peers, with the routes of the one that is there", async () => {
      const rows = (await printed(program, "neighbor")).trimEnd().split("\n").slice(1);
      assert.equal(rows.length, 2, rows.join("\n"));
      assert.match(rows[0] ?? "", /^10\.0\.7\.18 +65001 +never (?:Idle|Connect|Active) +\| +0 +0$/);
      assert.match(rows[1] ?? "", /^10\.0\.7\.19 +65001 +00:0\d:\d\d Establ +\| +2 +1$/);
    });

    test("neighbor IP: state, times, capabilities, messages and routes", async () => {
      const text = await printed(program, "neighbor", peer);
      const expected = [
        "BGP neighbor is 10\\.0\\.7\\.19, remote AS 65001",
        "BGP version 4, remote router ID 10\\.0\\.7\\.19",
        `BGP state = ${established}, up for 00:0\\d:\\d\\d`,
        "BGP OutQ = 0, Flops = 0",
        "Hold time is 9, keepalive interval is 3 seconds",
        "Configured hold time is 9, keepalive interval is 3 seconds",
        "Local: restart time 120 sec, notification flag set",
        "Opens: +1 +1$",
        "Notifications: +0 +0$",
        "Advertised: +2$",
        "Received: +2$",
        "Accepted: +1$",
        ...capabilities,
      ];
      for (const line of expected) assert.match(text, new RegExp(line, "m"), `${line} in\n${text}`);
    });

    test("neighbor IP of a peer that is not there: no panic", async () => {
      const text = await printed(program, "neighbor", absent);
      assert.match(text, /remote router ID unknown/);
      assert.match(text, /Opens: +0 +0$/m);
    });

    test("neighbor IP of nobody says so", async () => {
      const { code, stdout, stderr } = await gobgp(program, "neighbor", "192.0.2.1");
      assert.notEqual(code, 0);
      assert.match(stdout + stderr, /not found neighbor 192\.0\.2\.1/);
    });

    test("what is declared elsewhere is refused with the reason", async () => {
      const { code, stdout, stderr } = await gobgp(program, "neighbor", "add", "192.0.2.1", "as", "65001");
      assert.notEqual(code, 0);
      assert.match(stdout + stderr, /Unimplemented.*AddPeer is not served: .* declared in the network's configuration/);
    });
  });
}

test("-j: the numbers of the enums are those of each major", async () => {
  const states = async (program: string) => {
    const all = JSON.parse(await printed(program, "neighbor", "-j")) as {
      readonly conf: { readonly type?: number; readonly neighbor_address: string };
      readonly state: { readonly session_state: number; readonly admin_state?: number };
    }[];
    const found = all.find(({ conf }) => conf.neighbor_address === peer);
    return [found?.conf.type, found?.state.session_state, found?.state.admin_state];
  };
  // Go leaves zeros out.
  assert.deepEqual(await states("gobgp-v3"), [undefined, 6, undefined]);
  assert.deepEqual(await states("gobgp-v4"), [1, 6, 1]);
});

test("the port is bound to the loopback alone", async () => {
  const { stdout } = await fabric.exec("n1", ["ss", "-Hltn", "sport = :20228"]);
  assert.match(stdout, /^LISTEN \S+ +\S+ +127\.0\.0\.1:20228 /);
  assert.equal(stdout.trim().split("\n").length, 1);
});
