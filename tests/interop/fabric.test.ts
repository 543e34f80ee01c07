import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import {
  bgpNeighbors,
  createProgress,
  evpnRoutes,
  type Lab,
  labDown,
  labUp,
  openLab,
  reflectorNames,
  stageOf,
  startReflector,
  stopReflector,
  underlay,
  waitFor,
  wrongDoorPackets,
} from "../../lab/index.js";
import { identify, isAlive, run } from "../../lab/processes/index.js";

const NAME = "fabric-test";
const progress = createProgress();
const fabricOnly = { kubernetes: false };

/** What of the lab could stay behind on the machine. */
async function machine() {
  return {
    links: (await run(["ip", "-oneline", "link"])).stdout,
    namespaces: (await run(["ip", "netns", "list"])).stdout,
    rules: (await run(["ip", "rule"])).stdout,
    mounts: readFileSync("/proc/self/mounts", "utf8"),
  };
}

/** Every namespace that a process of this machine is in, such as `net:[4026531833]`. */
function namespacesInUse(pids: readonly string[]): ReadonlySet<string> {
  const inUse = new Set<string>();
  for (const pid of pids) {
    for (const kind of ["net", "mnt", "pid", "uts", "ipc", "cgroup"]) {
      try {
        inUse.add(readlinkSync(`/proc/${pid}/ns/${kind}`));
      } catch {
        // The process has ended since its pid was read.
      }
    }
  }
  return inUse;
}

const allPids = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name));

function pidsOfLab(lab: Lab): readonly string[] {
  const namespace = readlinkSync(`/proc/${lab.isolation.holder.pid}/ns/pid`);
  return allPids().filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/ns/pid`) === namespace;
    } catch {
      return false;
    }
  });
}

describe("fabric", () => {
  let lab: Lab;
  let untouched: Awaited<ReturnType<typeof machine>>;

  before(async () => {
    await labDown(NAME);
    untouched = await machine();
    lab = await labUp(NAME, progress, fabricOnly);
  });
  after(() => labDown(NAME));

  const ping = (place: string, address: string, ...options: readonly string[]) =>
    lab.exec(place, ["ping", "-c", "1", "-W", "2", ...options, address], { check: false });

  test("the reflectors have a session with each other and hold each other's Type-3 in both segments", async () => {
    for (const name of reflectorNames) {
      const other = name === "rr1" ? underlay.reflectors.rr2 : underlay.reflectors.rr1;
      const neighbors = await bgpNeighbors(lab, name);
      assert.deepEqual(
        neighbors.map(({ address, state }) => ({ address, state })),
        [{ address: other, state: "Established" }],
      );
      const multicast = (await evpnRoutes(lab, name)).filter(
        ({ routeType, from }) => routeType === 3 && from === other,
      );
      assert.deepEqual(
        multicast.map(({ ip, nextHop, routeTargets }) => ({ ip, nextHop, routeTargets })),
        [
          { ip: other, nextHop: other, routeTargets: ["65001:228"] },
          { ip: other, nextHop: other, routeTargets: ["65001:240"] },
        ],
      );
    }
  });

  test("the kernel of each leaf floods to the other leaf, as FRR told it", async () => {
    for (const [leaf, other] of [
      ["rr1", "10.0.7.20"],
      ["rr2", "10.0.7.19"],
    ] as const) {
      const { stdout } = await lab.exec(leaf, ["bridge", "fdb", "show", "dev", "vni228"]);
      assert.match(stdout, new RegExp(`^00:00:00:00:00:00 dst ${other} `, "m"));
    }
  });

  test("plain vtysh talks to the reflector in which it is started", async () => {
    for (const name of reflectorNames) {
      const { stdout } = await lab.exec(name, ["vtysh", "-c", "show bgp l2vpn evpn summary"]);
      assert.match(stdout, new RegExp(`router identifier ${underlay.reflectors[name]},`));
    }
  });

  test("the client reaches the gateway's address in both public networks", async () => {
    assert.equal((await ping("client", "203.0.113.1")).code, 0);
    assert.equal((await ping("client", "198.51.100.1")).code, 0);
  });

  test("a leaf carries frames to the gateway behind the other leaf", async () => {
    await lab.exec("rr2", ["ip", "address", "add", "203.0.113.99/24", "dev", "br228"]);
    try {
      // 1550 bytes of the segment's MTU, less IPv4 and ICMP headers, unfragmented.
      assert.equal((await ping("rr2", "203.0.113.1", "-M", "do", "-s", "1522")).code, 0);
    } finally {
      await lab.exec("rr2", ["ip", "address", "del", "203.0.113.99/24", "dev", "br228"]);
    }
  });

  test("the underlay connects nodes, reflectors, control plane and default gateway with its full MTU", async () => {
    for (const address of ["10.0.7.1", "10.0.7.10", "10.0.7.12", "10.0.7.13", "10.0.7.19", "10.0.7.20"]) {
      assert.equal((await ping("n1", address, "-M", "do", "-s", "1572")).code, 0, address);
    }
  });

  test("the lab's root namespace reaches the control plane", async () => {
    assert.equal((await lab.admin(["ping", "-c", "1", "-W", "2", "169.254.77.2"], { check: false })).code, 0);
  });

  test("a reply with a public source address that takes the default route is counted and does not reach the client", async () => {
    const networkBefore = (await wrongDoorPackets(lab))["203.0.113.0/24"] ?? 0;
    await lab.exec("n1", ["ip", "address", "add", "203.0.113.50/32", "dev", "lo"]);
    try {
      const { code } = await ping("n1", "192.0.2.10", "-I", "203.0.113.50");
      assert.equal(code, 1);
      assert.equal((await wrongDoorPackets(lab))["203.0.113.0/24"], networkBefore + 1);
    } finally {
      await lab.exec("n1", ["ip", "address", "del", "203.0.113.50/32", "dev", "lo"]);
    }
  });

  test("a stopped reflector drops its sessions; the gateway stays behind the other; started again, it is back", async () => {
    await stopReflector(lab, "rr2");
    await waitFor("rr1 to see the session drop", async () =>
      (await bgpNeighbors(lab, "rr1")).every(({ state }) => state !== "Established"),
    );
    assert.deepEqual(
      (await evpnRoutes(lab, "rr1")).filter(({ from }) => from !== undefined),
      [],
    );
    assert.equal((await ping("client", "203.0.113.1")).code, 0);

    await startReflector(lab, "rr2");
    await waitFor("the session to be back", async () =>
      (await bgpNeighbors(lab, "rr1")).some(({ state }) => state === "Established"),
    );
  });

  test("up on a lab that is up keeps its processes, and starts a reflector that was stopped", async () => {
    await stopReflector(lab, "rr1");
    const kept = lab.isolation.holder;
    const begin = performance.now();
    const again = await labUp(NAME, progress, fabricOnly);
    assert.ok(performance.now() - begin < 10_000);
    assert.deepEqual(again.isolation.holder, kept);
    assert.equal((await bgpNeighbors(again, "rr1"))[0]?.state, "Established");
  });

  test("a lab whose making was interrupted is made again", async () => {
    const { holder } = lab.isolation;
    await run(["rm", `${lab.stateDirectory}/stage`]);
    assert.equal(stageOf(lab), "nothing");
    await labUp(NAME, progress, fabricOnly);
    assert.notDeepEqual(lab.isolation.holder, holder);
    assert.equal(stageOf(lab), "fabric");
  });

  test("a spawned program gets the signal that is meant for it", async () => {
    const polite = lab.spawn("n1", ["sh", "-c", "trap 'exit 7' TERM; echo ready; while :; do sleep 0.02; done"]);
    await new Promise((resolve) => polite.child.stdout?.once("data", resolve));
    await polite.kill();
    assert.equal(await polite.exit, 7);
  });

  test("a spawned program does not outlive the process that spawned it, however that ends", async () => {
    const runs = async () => (await lab.exec("n2", ["pgrep", "-f", "^sleep 61.75$"], { check: false })).code === 0;
    const program = `
      const { openLab } = require(${JSON.stringify(require.resolve("../../lab/index.js"))});
      openLab(${JSON.stringify(NAME)}).spawn("n2", ["sleep", "61.75"], { stdio: "ignore" });`;
    const owner = spawn(process.execPath, ["-e", program], { stdio: "inherit" });
    await waitFor("the program to run", runs);
    owner.kill("SIGKILL");
    await waitFor("the program to end", async () => !(await runs()), { timeout: 5_000 });
  });

  test("down leaves no process, namespace, mount or link; down again does nothing", async () => {
    const pids = pidsOfLab(lab);
    assert.ok(pids.length >= 5, "the holder and four FRR daemons");
    const ours = namespacesInUse(["self"]);
    const processes = pids.flatMap((pid) => identify(Number(pid)) ?? []);
    const theirs = [...namespacesInUse(pids)].filter((namespace) => !ours.has(namespace));
    assert.ok(theirs.length >= 3);
    // The kernel gives the number of a namespace that is gone to the next one: processes that started later say nothing.
    const present = allPids().flatMap((pid) => identify(Number(pid)) ?? []);

    await labDown(NAME);

    const left = namespacesInUse(present.filter(isAlive).map(({ pid }) => String(pid)));
    assert.deepEqual(
      theirs.filter((namespace) => left.has(namespace)),
      [],
    );
    assert.deepEqual(processes.filter(isAlive), []);
    assert.deepEqual(await machine(), untouched);
    assert.equal(stageOf(openLab(NAME)), "nothing");
    await labDown(NAME);
    await assert.rejects(lab.exec("n1", ["true"]), /lab "fabric-test" is not up; start it with: npm run lab -- up/);
  });
});
