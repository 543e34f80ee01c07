import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../lab/processes/index.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startNode } from "./base-node.js";
import { KernelEvents } from "./kernel-events.js";
import { type WholeKernelState, wholeKernelState } from "./whole-kernel-state.js";

const bgp = "bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19] }";

/** Without marks, which depend on what other networks had before. */
const network = (vni: number, prefix: string): string =>
  `  - { type: vxlan, vxlan: { vni: ${vni}, nodeNet: 10.0.7.0/24, ${bgp} }, routing: { cidr: ${prefix}.0/24, gateway: ${prefix}.1, returnPath: source } }`;
const file = (...networks: readonly string[]): string =>
  `podNetworks: [10.244.0.0/16]\nnetworks:\n${networks.join("\n")}\n`;

const before228 = file(network(228, "203.0.113"), network(240, "198.51.100"));
const changes = {
  "another VNI": file(network(229, "203.0.113"), network(240, "198.51.100")),
  "another prefix": file(network(228, "192.0.2"), network(240, "198.51.100")),
  "a network less": file(network(240, "198.51.100")),
} as const;

const lastGood = (directory: string): string => join(directory, "last-good.json");

/** What may have become of the state files while no agent ran. */
const damages = {
  kept: async () => undefined,
  deleted: (directory: string) => rm(directory, { recursive: true }),
  "cut in the middle": async (directory: string) => {
    for (const name of await readdir(directory)) {
      const path = join(directory, name);
      await truncate(path, Math.floor((await readFile(path)).length / 2));
    }
  },
  empty: async (directory: string) => {
    for (const name of await readdir(directory)) await truncate(join(directory, name), 0);
  },
  "of another format": (directory: string) => writeFile(lastGood(directory), '{ "format": 99, "state": {} }'),
} as const;

/** All changes with no state, and one with each other damage. */
const combinations: readonly (readonly [keyof typeof changes, keyof typeof damages])[] = [
  ["another VNI", "deleted"],
  ["another prefix", "deleted"],
  ["a network less", "deleted"],
  ["another VNI", "kept"],
  ["another prefix", "cut in the middle"],
  ["a network less", "empty"],
  ["another VNI", "of another format"],
];

/** What is left of a node's network after a reboot: the interfaces that the machine makes by itself. */
const reboot =
  "ip link del vxlan228; ip link del vxlan240; ip rule flush protocol 118; ip -6 rule flush protocol 118; nft delete table inet vlan_router";

/** Milliseconds in which an agent that starts has made several passes. */
const settled = 2_000;

describe("E4: an agent that starts owes nothing to its files", () => {
  let node: TestNamespaces;
  let untouched: WholeKernelState;
  let agent: AgentProcess;
  const expected = new Map<string, WholeKernelState>();

  const state = () => wholeKernelState(node, "n1");
  const carried = async (text: string): Promise<void> => {
    const names = [...text.matchAll(/vni: (\d+)/g)].map(([, vni]) => `vxlan${vni}`);
    await agent.until(
      `${names.join(", ")} alone`,
      (networks) =>
        networks.size === names.length &&
        names.every((name) =>
          networks.get(name)?.conditions.some(({ type, status }) => type === "Applied" && status === "True"),
        ),
    );
  };
  const startWith = async (text: string): Promise<void> => {
    await agent.configure(text);
    agent.start();
    await carried(text);
  };
  const kill = async (): Promise<void> => {
    await waitFor("the last good configuration", () => existsSync(lastGood(agent.stateDirectory())));
    await agent.stop("SIGKILL");
  };
  const cleanUp = async (): Promise<void> => {
    const { code, stdout } = await agent.run("cleanup", "--state-directory", agent.stateDirectory());
    assert.equal(code, 0, stdout);
  };

  before(async () => {
    node = await startNode();
    untouched = await state();
    for (const text of [before228, ...Object.values(changes)]) {
      agent = await AgentProcess.create(inNamespaces(node), "n1", "--config", text);
      await startWith(text);
      expected.set(text, await state());
      await kill();
      await cleanUp();
      await agent.end();
    }
  });
  after(() => node?.end());

  beforeEach(async () => {
    agent = await AgentProcess.create(inNamespaces(node), "n1", "--config", before228);
    await startWith(before228);
    await kill();
  });
  afterEach(async () => {
    await agent.end();
    const leftover = await AgentProcess.create(inNamespaces(node), "n1", "--config", "");
    await leftover.run("cleanup", "--state-directory", leftover.stateDirectory());
    await leftover.end();
  });

  for (const [change, damage] of combinations) {
    it(`E4: ${change} while it was dead, state files ${damage}`, async () => {
      await damages[damage](agent.stateDirectory());
      await startWith(changes[change]);
      assert.deepEqual(await state(), expected.get(changes[change]));
      await agent.stop("SIGKILL");
      await cleanUp();
      assert.deepEqual(await state(), untouched);
    });
  }

  it("E4: another VNI after a reboot, state files of before", async () => {
    await node.exec("n1", ["sh", "-c", reboot]);
    assert.deepEqual(await state(), untouched);
    await startWith(changes["another VNI"]);
    assert.deepEqual(await state(), expected.get(changes["another VNI"]));
  });

  for (const [what, text] of [
    ["an empty file", ""],
    ["a file with a mistake", before228.replace("vni: 228", "vni: 254")],
    ["a file of which the networks are missing", "podNetworks: [10.244.0.0/16]\n"],
  ] as const) {
    // With files it goes on from the last good one, see agent-file.test.ts.
    it(`E4: ${what} never means to remove everything, not even without state files`, async () => {
      await damages.deleted(agent.stateDirectory());
      const events = await KernelEvents.start(node, "n1");
      try {
        await agent.configure(text);
        agent.log.length = 0;
        agent.start();
        await agent.logged("agent started");
        await sleep(settled);
        assert.deepEqual(await events.take(), []);
      } finally {
        await events.end();
      }
    });
  }
});
