import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { networkPrograms, programsBySocket } from "../../../../agent-image/agent/kernel/network-programs.js";
import { removedByAnotherProgram } from "../../../../agent-image/agent/kernel/removed-by-another-program.js";
import { type RepairedKind, repairedKind } from "../../../../agent-image/agent/kernel/repaired-kind.js";
import type { Operation } from "../../../../model/index.js";

const neither = { networkd: false, networkManager: false };
const message = (kinds: readonly RepairedKind[], programs = neither, device?: string): string =>
  removedByAnotherProgram(new Set(kinds), programs, device).message;

describe("E1: the condition names the likely cause and the setting that ends it", () => {
  test("systemd-networkd that removes rules and routes", () => {
    assert.deepEqual(
      removedByAnotherProgram(new Set(["rules", "routes"]), { ...neither, networkd: true }, "vxlan228"),
      {
        reason: "RemovedByAnotherProgram",
        message:
          "routes, rules had to be put back 20 times within 60 s: another program removes or changes them; systemd-networkd " +
          "runs: set ManageForeignRoutingPolicyRules=no and ManageForeignRoutes=no in the section [Network] of " +
          "/etc/systemd/networkd.conf and restart it; until a minute passes without, they are put back every 10 s at most",
      },
    );
  });

  test("NetworkManager that takes the interface down", () => {
    assert.match(
      message(["the interface"], { ...neither, networkManager: true }, "vxlan228"),
      /NetworkManager runs: set unmanaged-devices=interface-name:vxlan228 in the section \[keyfile\]/,
    );
  });

  test("the nft table of the node, and sysctls: neither of the two", () => {
    const both = { networkd: true, networkManager: true };
    assert.match(
      message(["the nft table"], both),
      /; the usual cause is a firewall that begins with `nft flush ruleset`/,
    );
    assert.doesNotMatch(message(["the nft table"], both), /networkd|NetworkManager/);
    assert.match(message(["sysctls"], both, "vxlan228"), /; the usual cause is systemd-sysctl or tuned/);
  });

  test("nobody who is known", () => {
    assert.match(
      message(["rules"], neither, "vxlan228"),
      /neither systemd-networkd nor NetworkManager was seen on this node/,
    );
  });
});

test("what an operation puts back", () => {
  const ip = (command: string): Operation => ({ kind: "ip", command });
  assert.deepEqual(
    [
      ip("ip -4 rule add priority 4016 from 203.0.113.0/24 protocol 118 lookup 228"),
      ip("ip -6 route add 2001:db8::/64 dev vxlan228 table 228 protocol 118"),
      ip("ip link set dev vxlan228 up"),
      { kind: "bridge", command: "bridge fdb append 00:00:00:00:00:00 dev vxlan228 dst 10.0.7.19 self" } as const,
      { kind: "sysctl", sysctl: { name: "net.ipv4.conf.vxlan228.rp_filter", value: "0" } } as const,
      { kind: "filter", ruleset: "table" } as const,
    ].map(repairedKind),
    ["rules", "routes", "the interface", "forwarding entries", "sysctls", "the nft table"],
  );
});

describe("programs that manage the node's network", () => {
  // Lines of /proc/net/unix: systemd 254 and NetworkManager 1.42.
  const networkd =
    "0000000000000000: 00000003 00000000 00000000 0001 03  7510 @d23adbcd8ed8d3ff/bus/systemd-network/bus-api-network\n";
  const networkManager =
    "0000000000000000: 00000002 00000000 00010000 0001 01 13844 /var/run/NetworkManager/private-dhcp\n";
  const other =
    "0000000000000000: 00000003 00000000 00000000 0001 03  7583 @4eb5d4181dd000f6/bus/systemd-logind/system\n" +
    "0000000000000000: 00000003 00000000 00000000 0001 03  7583 @4eb5d4181dd000f6/bus/systemd-resolve/bus-api-resolve\n";

  test("by their sockets", () => {
    assert.deepEqual(programsBySocket(other), neither);
    assert.deepEqual(programsBySocket(other + networkd), { networkd: true, networkManager: false });
    assert.deepEqual(programsBySocket(networkManager + other), { networkd: false, networkManager: true });
  });

  test("by the names of processes, where those can be seen; nothing where nothing can be", async () => {
    const proc = await mkdtemp(join(tmpdir(), "network-programs-"));
    try {
      assert.deepEqual(await networkPrograms(proc), neither);
      for (const [pid, name] of [
        ["1", "systemd"],
        ["312", "systemd-network"],
      ] as const) {
        await mkdir(join(proc, pid));
        await writeFile(join(proc, pid, "comm"), `${name}\n`);
      }
      assert.deepEqual(await networkPrograms(proc), { networkd: true, networkManager: false });
    } finally {
      await rm(proc, { recursive: true });
    }
  });
});
