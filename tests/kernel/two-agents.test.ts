import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../lab/processes/index.js";
import type { NetworkStatus } from "../../model/index.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startNode } from "./base-node.js";
import { KernelEvents } from "./kernel-events.js";

/** A flood list of the plan, both families, and a session whose peer does not answer. */
const yaml = (gateway: string): string => `
podNetworks: [10.244.0.0/16]
networks:
  - name: first
    type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, remotes: [10.0.7.19, 10.0.7.20] }
    routing:
      - { cidr: 203.0.113.0/24, gateway: ${gateway}, arpAnnouncer: true }
      - { cidr: "2001:db8:228::/64", gateway: "fe80::1" }
  - name: second
    type: vxlan
    vxlan: { vni: 240, nodeNet: 10.0.7.0/24, bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19] } }
    routing: { cidr: 198.51.100.0/24, gateway: 198.51.100.1 }
`;
/** Carries nothing, and removes nothing where nothing is. */
const EMPTY = "podNetworks: []\nnetworks: []\n";
const older = yaml("203.0.113.1");
const newer = yaml("203.0.113.254");

/** Milliseconds for which two agents run beside each other: many of the passes that an agent makes when it is told of events. */
const together = 3_000;
/** Milliseconds after which a successor has the lock that was given back: two of its questions. */
const takeover = 400;

const stand = (networks: ReadonlyMap<string, NetworkStatus>): boolean =>
  ["first", "second"].every((name) =>
    networks.get(name)?.conditions.some(({ type, status }) => type === "Applied" && status === "True"),
  );

describe("two agents on one node", () => {
  let node: TestNamespaces;
  let agent: AgentProcess;
  let events: KernelEvents;
  const others: AgentProcess[] = [];

  /** @param options of `vlan-router agent` that come after those of the first */
  const startBeside = async (...options: readonly string[]): Promise<AgentProcess> => {
    const next = AgentProcess.beside(agent);
    others.push(next);
    next.start(...options);
    await next.logged("another agent works on this node; waiting");
    return next;
  };
  const changesTold = (of: AgentProcess): readonly string[] =>
    of.log.map(({ msg }) => msg).filter((msg) => /carried out|put right|changed/.test(msg));
  /** Milliseconds between the end of one and the start of the other, by their logs. */
  const gap = async (next: AgentProcess, ended: number): Promise<number> =>
    Date.parse(String((await next.logged("agent started")).time)) - ended;

  before(async () => {
    node = await startNode();
    await node.ip("n1", "address add 203.0.113.20/32 dev lo");
    events = await KernelEvents.start(node, "n1");
    agent = await AgentProcess.create(inNamespaces(node), "n1", "--config", older);
    agent.start();
    await agent.until("the plan stands", stand);
  });
  after(async () => {
    for (const other of others) await other.end();
    await agent?.end();
    await events?.end();
    await node?.end();
  });

  it("E3: the monitors tell of what an agent does", async () => {
    const told = (await events.take()).join("\n");
    for (const what of [/^\d+: vxlan228: /m, /^default via 203\.0\.113\.1 /m, /^4016:\tfrom 203\.0\.113\.0\/24 /m]) {
      assert.match(told, what);
    }
    assert.match(told, /^00:00:00:00:00:00 dev vxlan228 dst 10\.0\.7\.19 /m);
    assert.match(told, /^add chain inet vlan_router segment /m);
    await sleep(together);
    assert.deepEqual(await events.take(), []);
  });

  it("E3: while both run the older one works alone; at SIGTERM it leaves everything, and the newer changes nothing", async () => {
    const next = await startBeside();
    await sleep(together);
    const { code } = await agent.stop("SIGTERM");
    const ended = Date.now();
    assert.equal(code, 0);
    const took = await gap(next, ended);
    console.log(`taken over ${took} ms after SIGTERM's end`);
    await next.until("the plan stands", stand);
    await sleep(together);
    assert.deepEqual(await events.take(), []);
    assert.deepEqual(changesTold(next), []);
    agent = next;
  });

  it("E3: at SIGKILL too", async () => {
    const next = await startBeside();
    await agent.stop("SIGKILL");
    const took = await gap(next, Date.now());
    console.log(`taken over ${took} ms after SIGKILL`);
    await next.until("the plan stands", stand);
    await sleep(together);
    assert.deepEqual(await events.take(), []);
    assert.deepEqual(changesTold(next), []);
    agent = next;
  });

  it("E3: the newer waits with a newer configuration, and then changes what differs and nothing else", async () => {
    const path = `${agent.stateDirectory()}.newer.yaml`;
    await writeFile(path, newer);
    const next = await startBeside("--config", path);
    await node.ip("n1", "rule del priority 4016 from 203.0.113.0/24 lookup 228");
    await waitFor("the older one's repair", async () => (await agent.status())?.networks[0]?.repairs === 1);
    const lookup = "4016:\tfrom 203.0.113.0/24 lookup 228 proto 118";
    assert.deepEqual(await events.take(), [`Deleted ${lookup}`, lookup]);
    await agent.stop("SIGTERM");
    await next.until("the plan stands", stand);
    await sleep(together);
    assert.deepEqual(await events.take(), ["default via 203.0.113.254 dev vxlan228 table 228 proto 118"]);
    agent = next;
    await rm(path);
    await agent.configure(newer);
  });

  it("E3: of two that wait one comes after the other", async () => {
    const [one, other] = [await startBeside(), await startBeside()];
    await agent.stop("SIGKILL");
    await waitFor("one of them", () => [one, other].some(({ log }) => log.some(({ msg }) => msg === "agent started")));
    await sleep(takeover);
    const [first, second] = one.log.some(({ msg }) => msg === "agent started") ? [one, other] : [other, one];
    assert.deepEqual(
      second.log.map(({ msg }) => msg),
      ["another agent works on this node; waiting"],
    );
    await first.stop("SIGTERM");
    await second.logged("agent started");
    await second.until("the plan stands", stand);
    assert.deepEqual(await events.take(), []);
    agent = second;
  });

  it("E3: one with a state directory of its own waits too, is told for whom, and then changes nothing", async () => {
    const next = await AgentProcess.create(inNamespaces(node), "n1", "--config", newer);
    others.push(next);
    next.start();
    const { path, holder } = await next.logged("another agent works on this node; waiting");
    assert.equal(path, "/proc/self/ns/net");
    assert.match(String(holder), /^process \d+ \(.*main\.js agent --config /);
    await sleep(together);
    assert.deepEqual(await events.take(), []);
    await agent.stop("SIGKILL");
    await next.logged("agent started");
    await next.until("the plan stands", stand);
    await sleep(together);
    assert.deepEqual(changesTold(next), []);
    await next.stop();
    agent.start();
    await agent.until("the plan stands", stand);
    assert.deepEqual(await events.take(), []);
  });

  it("E3: nor does a clean-up with a state directory of its own begin, and it leaves none", async () => {
    const directory = `${agent.stateDirectory()}.none`;
    const { code, stderr } = await agent.run("cleanup", "--state-directory", directory);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /an agent works on this node \(\/proc\/self\/ns\/net is locked by process \d+ \(.*main\.js agent .*\)\) and would put everything back; stop it first\n$/,
    );
    assert.equal(existsSync(directory), false);
    assert.deepEqual(await events.take(), []);
  });

  it("E3: an agent in another network namespace does not wait", async () => {
    const elsewhere = await AgentProcess.create(inNamespaces(node), "outside", "--config", EMPTY);
    others.push(elsewhere);
    elsewhere.start();
    await elsewhere.logged("agent started");
    assert.equal((await elsewhere.stop()).code, 0);
  });

  it("E3: forwarding entries that routes made stay while the successor has heard of no peer", async () => {
    await agent.stop("SIGKILL");
    // What an agent leaves that had routes from 10.0.7.19.
    await node.exec("n1", ["bridge", "-batch", "-"], {
      input: [
        "fdb append 00:00:00:00:00:00 dev vxlan240 dst 10.0.7.19 self permanent",
        "fdb replace 02:00:00:00:00:19 dev vxlan240 dst 10.0.7.19 self extern_learn",
        "",
      ].join("\n"),
    });
    await events.take();
    agent.log.length = 0;
    agent.start();
    await agent.until("the plan stands", stand);
    await sleep(together);
    assert.deepEqual(await events.take(), []);
    assert.deepEqual(changesTold(agent), []);
  });

  it("E3: an agent that cannot lock ends and says why, instead of waiting for nobody or working unlocked", async () => {
    const program = join(__dirname, "..", "..", "agent-image", "agent", "main.js");
    const mount = "mount -t tmpfs -o ro read-only /mnt";
    const { code, stderr } = await node.exec(
      "n1",
      ["unshare", "--mount", "sh", "-e", "-c", `${mount}; exec "$@"`, "sh"].concat(
        [process.execPath, program, "agent", "--config", `${agent.stateDirectory()}.yaml`],
        ["--state-directory", "/mnt/state", "--status-file", "/mnt/status.json"],
      ),
      { check: false },
    );
    assert.deepEqual(
      [code, stderr],
      [
        1,
        "vlan-router: cannot make the state directory /mnt/state: the file system is read-only (EROFS); without it two agents " +
          "could work on this node; mount it writable, or name another directory with --state-directory (STATE_DIRECTORY)\n",
      ],
    );
    assert.deepEqual(await events.take(), []);
  });
});
