import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Result, waitFor } from "../../lab/processes/index.js";
import type { NetworkStatus } from "../../model/index.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startNode } from "./base-node.js";
import { kernelState } from "./kernel-state.js";

const yaml = `
podNetworks: [10.244.0.0/16]
networks:
  - name: first
    type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, remotes: [10.0.7.19] }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
  - name: machines
    type: vxlan
    vxlan: { vni: 240, nodeNet: 10.0.7.0/24, bridge: true, bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19] } }
    routing: { cidr: 198.51.100.0/24, gateway: 198.51.100.1 }
`;

/** In the order in which a packet never meets a gap: what leads it, its way, and the door last. */
const commands = [
  "ip -4 route del default table 228 protocol 118",
  "ip -4 route del 203.0.113.0/24 table 228 protocol 118",
  "ip -4 route del default table 240 protocol 118",
  "ip -4 route del 198.51.100.0/24 table 240 protocol 118",
  "ip link del dev vxlan228",
  "ip link del dev vxlan240",
  "nft delete table inet vlan_router",
  "ip -4 rule del priority 4017 from 198.51.100.0/24 protocol 118 unreachable",
  "ip -4 rule del priority 4017 from 203.0.113.0/24 protocol 118 unreachable",
  "ip -4 rule del priority 4016 from 198.51.100.0/24 protocol 118 lookup 240",
  "ip -4 rule del priority 4016 from 203.0.113.0/24 protocol 118 lookup 228",
  "ip -4 rule del priority 3901 fwmark 0x10/0x3ff0 protocol 118 unreachable",
  "ip -4 rule del priority 3901 fwmark 0x20/0x3ff0 protocol 118 unreachable",
  "ip -4 rule del priority 3900 fwmark 0x10/0x3ff0 protocol 118 lookup 228",
  "ip -4 rule del priority 3900 fwmark 0x20/0x3ff0 protocol 118 lookup 240",
  "ip -4 rule del priority 3000 from 198.51.100.0/24 to 10.0.7.0/24 protocol 118 lookup main",
  "ip -4 rule del priority 3000 from 198.51.100.0/24 to 10.244.0.0/16 protocol 118 lookup main",
  "ip -4 rule del priority 3000 from 203.0.113.0/24 to 10.0.7.0/24 protocol 118 lookup main",
  "ip -4 rule del priority 3000 from 203.0.113.0/24 to 10.244.0.0/16 protocol 118 lookup main",
  "ip -4 rule del priority 3000 to 10.0.7.0/24 fwmark 0x10/0x3ff0 protocol 118 lookup main",
  "ip -4 rule del priority 3000 to 10.0.7.0/24 fwmark 0x20/0x3ff0 protocol 118 lookup main",
  "ip -4 rule del priority 3000 to 10.244.0.0/16 fwmark 0x10/0x3ff0 protocol 118 lookup main",
  "ip -4 rule del priority 3000 to 10.244.0.0/16 fwmark 0x20/0x3ff0 protocol 118 lookup main",
];

const goesAlong = [
  "address 203.0.113.77/32 with vxlan228",
  "IPv4 route 192.0.2.0/24 dev vxlan228 in table 228 with vxlan228",
];

const bridgeInUse =
  "bridge br240 stays as long as others have ports in it (tap0); take them off with: ip link set dev tap0 nomaster";

const foreign = [
  "IPv4 rule at priority 4016 from 192.0.2.0/24 lookup 99: another program set it (protocol 0)",
  "IPv4 rule at priority 5000 from 192.0.2.64/26 lookup 228: another program set it (protocol 0)",
  "IPv4 route 10.0.0.0/8 via 10.0.7.9 dev eth0 in table 228: another program set it (protocol 3)",
];

/** Rules of one priority stand in the order in which the networks came. */
function ordered(lines: readonly string[]): readonly string[] {
  const place = (line: string): string => /^ip -4 rule del priority \d+/.exec(line)?.[0] ?? line;
  return [...Map.groupBy(lines, place).values()].flatMap((alike) => alike.toSorted());
}

/** The foreign route in its table is what `first` complains of. */
const stands = (networks: ReadonlyMap<string, NetworkStatus>): boolean =>
  ["first ForeignRoute", "machines Applied"].every((expected) => {
    const [network = "", reason] = expected.split(" ");
    return networks.get(network)?.conditions.some((condition) => condition.reason === reason);
  });

describe("vlan-router cleanup", () => {
  let node: TestNamespaces;
  let agent: AgentProcess;
  let untouched: unknown;
  let standing: unknown;

  /** Without a bridge's timers, which run. */
  const state = async (): Promise<unknown> =>
    Object.entries(await kernelState(node, "n1")).map(([command, text]) => [
      command,
      text.replace(/"\w+_timer":[\d.]+,?/g, ""),
    ]);
  const files = () => [agent.statusFile(), "last-good.json", "claims.json", "lock"].map((name) => inState(name));
  const inState = (name: string): string => (name.startsWith("/") ? name : join(agent.stateDirectory(), name));
  const places = () => ["--state-directory", agent.stateDirectory(), "--status-file", agent.statusFile()];
  const cleanup = (...options: readonly string[]): Promise<Result> => agent.run("cleanup", ...places(), ...options);
  const carry = async (): Promise<void> => {
    agent.start();
    await agent.until("the plan stands", stands);
    await waitFor("the last good configuration", () => existsSync(inState("last-good.json")));
    await agent.stop("SIGKILL");
    await writeFile(inState("claims.json"), "{}");
  };
  const script = () => [...commands, ...files().map((path) => `rm ${path}`)];

  before(async () => {
    node = await startNode();
    await node.connect("n1", "tap0", "outside", "machine");
    // Of others, each beside something of ours.
    await node.ip(
      "n1",
      "rule add priority 4016 from 192.0.2.0/24 lookup 99",
      "rule add priority 5000 from 192.0.2.64/26 lookup 228",
      "route add 10.0.0.0/8 via 10.0.7.9 table 228",
    );
    untouched = await state();
    agent = await AgentProcess.create(inNamespaces(node), "n1", "--config", yaml);
    await carry();
    await node.ip(
      "n1",
      "address add 203.0.113.77/32 dev vxlan228",
      "route add 192.0.2.0/24 dev vxlan228 table 228",
      "link set tap0 master br240",
    );
    await writeFile(inState("notes"), "of an operator");
    standing = await state();
  });
  after(async () => {
    await agent?.end();
    await node?.end();
  });

  it("without the right to change the network says what is missing, and changes nothing", async () => {
    const drop = ["setpriv", "--inh-caps=-net_admin", "--bounding-set=-net_admin"];
    const program = join(__dirname, "..", "..", "agent-image", "agent", "main.js");
    for (const options of [[], ["--dry-run"]]) {
      const { code, stdout, stderr } = await node.exec(
        "n1",
        [...drop, process.execPath, program, "cleanup", "--state-directory", inState("made"), ...options],
        { check: false },
      );
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(
        stderr,
        /: user 0 lacks the capability CAP_NET_ADMIN here, .*; run it as root, for example with sudo, /,
      );
    }
    assert.equal((await readdir(agent.stateDirectory())).includes("made"), false);
    assert.deepEqual(await state(), standing);
  });

  it("says what is wrong with the state directory", async () => {
    const { code, stderr } = await agent.run("cleanup", "--state-directory", inState("notes"));
    assert.equal(code, 2);
    assert.match(
      stderr,
      /refused, nothing was changed: cannot open the node's lock .*\/notes\/lock: a part of this path is not a directory/,
    );
    assert.deepEqual(await state(), standing);
  });

  it("on a node whose kernel it cannot read says why, and leaves no lock of its own", async () => {
    for (const options of [[], ["--dry-run"]]) {
      const program = join(__dirname, "..", "..", "agent-image", "agent", "main.js");
      const argv = ["env", "PATH=/nowhere", process.execPath, program, "cleanup", "--state-directory", inState("made")];
      const { code, stdout, stderr } = await node.exec("n1", [...argv, ...options], { check: false });
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(
        stderr,
        /^vlan-router cleanup: refused, nothing was changed: (ip|nft) .* is not installed or not on PATH\n$/,
      );
    }
    assert.equal((await readdir(agent.stateDirectory())).includes("made"), false);
  });

  it("--dry-run prints commands, files and what stays, and changes nothing", async () => {
    const { code, stdout, stderr } = await cleanup("--dry-run");
    assert.deepEqual(ordered(stdout.trimEnd().split("\n")), [
      ...script(),
      ...goesAlong.map((text) => `# goes along: ${text}`),
      ...[bridgeInUse, ...foreign, `directory ${agent.stateDirectory()}: it holds notes`].map(
        (text) => `# stays: ${text}`,
      ),
    ]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.deepEqual(await state(), standing);
    assert.deepEqual((await readdir(agent.stateDirectory())).sort(), [
      "claims.json",
      "last-good.json",
      "lock",
      "notes",
    ]);
  });

  it("--json holds the same for programs", async () => {
    const { code, stdout } = await cleanup("--dry-run", "--json");
    assert.equal(code, 0);
    const report = JSON.parse(stdout);
    assert.deepEqual(ordered(report.commands), commands);
    assert.deepEqual(report, {
      dryRun: true,
      refused: null,
      commands: report.commands,
      files: files(),
      directories: [],
      goesAlong,
      stays: [
        { reason: "BridgeInUse", message: bridgeInUse, ours: true },
        ...foreign.map((message) => ({
          reason: message.includes(" rule ") ? "ForeignRule" : "ForeignRoute",
          message,
          ours: false,
        })),
        {
          reason: "DirectoryInUse",
          message: `directory ${agent.stateDirectory()}: it holds notes`,
          ours: false,
        },
      ],
      errors: [],
    });
  });

  it("does what the dry run said; a bridge in use stays and is a failure", async () => {
    const { code, stdout, stderr } = await cleanup();
    assert.deepEqual(ordered(stdout.trimEnd().split("\n")), [
      ...script(),
      ...goesAlong.map((text) => `# goes along: ${text}`),
      ...[bridgeInUse, ...foreign, `directory ${agent.stateDirectory()}: it holds notes`].map(
        (text) => `# stays: ${text}`,
      ),
    ]);
    assert.deepEqual([code, stderr], [1, ""]);
    assert.deepEqual(await readdir(agent.stateDirectory()), ["notes"]);
  });

  it("run again does the rest, and leaves all of the others", async () => {
    await node.ip("n1", "link set tap0 nomaster");
    const { code, stdout } = await cleanup("--json");
    assert.equal(code, 0);
    const { commands: done, files: removed, stays } = JSON.parse(stdout);
    assert.deepEqual([done, removed], [["ip link del dev br240"], []]);
    // Nothing of ours is beside them any more.
    assert.deepEqual(
      stays.map(({ reason }: { readonly reason: string }) => reason),
      ["DirectoryInUse"],
    );
    assert.deepEqual(await state(), untouched);
  });

  it("on a clean node finds nothing, makes nothing and is content", async () => {
    const { code, stdout } = await agent.run("cleanup", "--state-directory", inState("made"));
    assert.deepEqual([code, stdout.split("\n")[0]], [0, "# nothing of vlan-router was on this node"]);
    assert.deepEqual(await readdir(agent.stateDirectory()), ["notes"]);
  });

  it("what the dry run prints does the same when it is pasted into a shell", async () => {
    await carry();
    await node.exec("n1", ["rm", inState("notes")]);
    const { stdout } = await cleanup("--dry-run");
    assert.match(stdout, new RegExp(`^rmdir ${agent.stateDirectory()}$`, "m"));
    await node.exec("n1", ["sh", "-e", "-c", stdout]);
    assert.deepEqual(await state(), untouched);
    await assert.rejects(readdir(agent.stateDirectory()), { code: "ENOENT" });
    assert.match((await cleanup("--dry-run")).stdout, /^# nothing of vlan-router is on this node\n/);
  });

  it("says so when another program puts back what was removed", async () => {
    await carry();
    const rival = node.spawn("n1", [
      "sh",
      "-c",
      "while :; do ip rule add priority 4016 from 203.0.113.0/24 protocol 118 lookup 228 2>/dev/null; done",
    ]);
    const { code, stderr } = await cleanup();
    rival.kill("SIGKILL");
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^vlan-router cleanup: another program puts back what was removed; still to be done: ip -4 rule del priority 4016 /,
    );
  });

  it("wrong usage has the code of a refusal", async () => {
    assert.equal((await agent.run("cleanup", "--everything")).code, 2);
  });
});
