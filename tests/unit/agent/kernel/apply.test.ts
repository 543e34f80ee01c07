import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { apply, applyGroups, parseBatchFailures } from "../../../../agent-image/agent/kernel/apply.js";
import { CommandFailure, type CommandRunner } from "../../../../agent-image/agent/kernel/command-runner.js";
import type { Operation } from "../../../../model/index.js";

// Printed by `ip -force -batch -` and `bridge -force -batch -` of iproute2 6.1.0.
const stderr = `RTNETLINK answers: File exists
Command failed -:1
Error: Nexthop has invalid gateway.
Command failed -:3
`;

/** Notes what it is asked to run; fails with `failure` for argv that hold `failing`. */
function recorder(failing = "nothing", failure = ""): { readonly commands: CommandRunner; readonly calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    commands: {
      async run(argv, input) {
        calls.push(`${argv.join(" ")}${input === undefined ? "" : ` <<< ${JSON.stringify(input)}`}`);
        if (argv.includes(failing)) throw new CommandFailure(argv, failure);
        return "";
      },
    },
  };
}

const ip = (command: string): Operation => ({ kind: "ip", command });
const operations = [
  ip("ip -4 rule add priority 4016 from 203.0.113.0/24 protocol 118 lookup 228"),
  ip("ip -4 rule add priority 4017 from 203.0.113.0/24 protocol 118 unreachable"),
  ip("ip -4 route add default via 203.0.113.1 dev vxlan228 table 228 protocol 118"),
];

describe("operations become few processes", () => {
  test("one batch for neighbours of one program and family, in order", async () => {
    const { commands, calls } = recorder();
    const list = [
      ip("ip link add name vxlan228 type vxlan id 228"),
      ip("ip link set dev vxlan228 up"),
      ...operations,
      ip("ip -6 rule add priority 4064 from 2001:db8::/64 protocol 118 lookup 228"),
      { kind: "bridge", command: "bridge fdb append 00:00:00:00:00:00 dev vxlan228 dst 10.0.7.19" } as const,
    ];
    const applied = await apply(commands, "/nowhere", list, "continue");
    assert.equal(applied.done.length, 7);
    assert.deepEqual(calls, [
      'ip -force -batch - <<< "link add name vxlan228 type vxlan id 228\\nlink set dev vxlan228 up\\n"',
      'ip -4 -force -batch - <<< "rule add priority 4016 from 203.0.113.0/24 protocol 118 lookup 228\\n' +
        "rule add priority 4017 from 203.0.113.0/24 protocol 118 unreachable\\n" +
        'route add default via 203.0.113.1 dev vxlan228 table 228 protocol 118\\n"',
      'ip -6 -force -batch - <<< "rule add priority 4064 from 2001:db8::/64 protocol 118 lookup 228\\n"',
      'bridge -force -batch - <<< "fdb append 00:00:00:00:00:00 dev vxlan228 dst 10.0.7.19\\n"',
    ]);
  });

  test("C16: ethtool takes one command each, in its place; what it says is the error", async () => {
    const ethtool = { kind: "ethtool", command: "ethtool --offload vxlan228 tx-checksum-ip-generic off" } as const;
    const { commands, calls } = recorder("--offload", "Could not change any device features\n");
    const applied = await apply(commands, "/nowhere", [ip("ip link set dev vxlan228 up"), ethtool], "continue");
    assert.deepEqual(calls, [
      'ip -force -batch - <<< "link set dev vxlan228 up\\n"',
      "ethtool --offload vxlan228 tx-checksum-ip-generic off",
    ]);
    assert.deepEqual(applied.errors, [
      "ethtool --offload vxlan228 tx-checksum-ip-generic off: Could not change any device features",
    ]);
  });

  test("each failed line is an error of its own, the others are done", async () => {
    const { commands } = recorder("-4", stderr);
    assert.deepEqual(await apply(commands, "/nowhere", operations, "continue"), {
      done: ["ip -4 rule add priority 4017 from 203.0.113.0/24 protocol 118 unreachable"],
      errors: [
        "ip -4 rule add priority 4016 from 203.0.113.0/24 protocol 118 lookup 228: RTNETLINK answers: File exists",
        "ip -4 route add default via 203.0.113.1 dev vxlan228 table 228 protocol 118: Error: Nexthop has invalid gateway.",
      ],
    });
  });

  test("with `stop` the batch and all that follows end at the first failure", async () => {
    const { commands, calls } = recorder("-4", "RTNETLINK answers: File exists\nCommand failed -:2\n");
    const applied = await apply(commands, "/nowhere", [...operations, ip("ip link set dev vxlan228 up")], "stop");
    assert.deepEqual(applied.done, ["ip -4 rule add priority 4016 from 203.0.113.0/24 protocol 118 lookup 228"]);
    assert.equal(applied.errors.length, 1);
    assert.deepEqual(calls.length, 1);
    assert.match(calls[0] ?? "", /^ip -4 -batch - /);
  });

  test("a program that is not there is an error, not an exception", async () => {
    const { commands } = recorder("ip", "ip is not installed or not on PATH");
    assert.deepEqual(await apply(commands, "/nowhere", [ip("ip link del dev vxlan228")], "continue"), {
      done: [],
      errors: ["ip -force -batch -: ip is not installed or not on PATH"],
    });
  });

  test("a sysctl that the kernel does not have is an error with its name", async () => {
    const { commands } = recorder();
    const sysctl = { name: "net.ipv4.conf.vxlan228.rp_filter", value: "0" };
    const { errors } = await apply(commands, "/nowhere", [{ kind: "sysctl", sysctl }], "continue");
    assert.match(errors[0] ?? "", /^sysctl net\.ipv4\.conf\.vxlan228\.rp_filter=0: ENOENT/);
  });
});

describe("lists of several networks share processes", () => {
  const link = (vni: number): readonly Operation[] => [
    ip(`ip link add name vxlan${vni} type vxlan id ${vni}`),
    ip(`ip link set dev vxlan${vni} alias vlan-router:vxlan${vni}`),
  ];
  const rules = (vni: number): readonly Operation[] => [
    ip(`ip -4 rule add priority 4016 from 203.0.${vni}.0/24 protocol 118 lookup ${vni}`),
    ip(`ip -6 rule add priority 4064 from 2001:db8:${vni}::/64 protocol 118 lookup ${vni}`),
  ];

  test("one for what is alike in all, in the order of each", async () => {
    const { commands, calls } = recorder();
    const applied = await applyGroups(commands, "/nowhere", [rules(1), [], rules(2), rules(3).slice(1)], "continue");
    assert.deepEqual(
      applied.map(({ done, errors }) => [done.length, errors.length]),
      [
        [2, 0],
        [0, 0],
        [2, 0],
        [1, 0],
      ],
    );
    assert.deepEqual(calls, [
      'ip -4 -force -batch - <<< "rule add priority 4016 from 203.0.1.0/24 protocol 118 lookup 1\\n' +
        'rule add priority 4016 from 203.0.2.0/24 protocol 118 lookup 2\\n"',
      'ip -6 -force -batch - <<< "rule add priority 4064 from 2001:db8:3::/64 protocol 118 lookup 3\\n"',
      'ip -6 -force -batch - <<< "rule add priority 4064 from 2001:db8:1::/64 protocol 118 lookup 1\\n' +
        'rule add priority 4064 from 2001:db8:2::/64 protocol 118 lookup 2\\n"',
    ]);
  });

  test("with `stop` one that fails ends alone: nothing more of it is tried, and the others are done", async () => {
    const calls: string[] = [];
    const commands: CommandRunner = {
      async run(argv, input = "") {
        calls.push(input);
        if (input.startsWith("link add name vxlan1 ")) {
          throw new CommandFailure(argv, "RTNETLINK answers: File exists\nCommand failed -:3\n");
        }
        return "";
      },
    };
    const applied = await applyGroups(commands, "/nowhere", [link(1), link(2), link(3)], "stop");
    assert.deepEqual(calls, [
      "link add name vxlan1 type vxlan id 1\nlink set dev vxlan1 alias vlan-router:vxlan1\n" +
        "link add name vxlan2 type vxlan id 2\nlink set dev vxlan2 alias vlan-router:vxlan2\n" +
        "link add name vxlan3 type vxlan id 3\nlink set dev vxlan3 alias vlan-router:vxlan3\n",
      "link add name vxlan3 type vxlan id 3\nlink set dev vxlan3 alias vlan-router:vxlan3\n",
    ]);
    assert.deepEqual(applied[1], {
      done: [],
      errors: ["ip link add name vxlan2 type vxlan id 2: RTNETLINK answers: File exists"],
    });
    assert.deepEqual(
      [applied[0], applied[2]].map((result) => [result?.done.length, result?.errors.length]),
      [
        [2, 0],
        [2, 0],
      ],
    );
  });
});

test("failed lines of a batch", () => {
  assert.deepEqual(
    [...parseBatchFailures(stderr)],
    [
      [1, "RTNETLINK answers: File exists"],
      [3, "Error: Nexthop has invalid gateway."],
    ],
  );
});
