import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { version } from "../../../cli/version.js";
import { seed } from "../../support/seed.js";

const command = join(__dirname, "..", "..", "..", "cli", "main.js");
const folder = mkdtempSync(join(tmpdir(), "vlan-router-cli-"));
after(() => rmSync(folder, { recursive: true }));

function run(args: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], { input, encoding: "utf8" });
  return { status, stdout, stderr };
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** eth0 with the VTEP address; bond0 is missing. The second mark is table 228's: the first is that of table 220. */
const facts = {
  nodeName: "n1",
  labels: {},
  links: [{ name: "eth0", mtu: 1600, up: true }],
  addresses: [
    {
      device: "eth0",
      family: 4,
      address: "10.0.7.5",
      prefixLength: 24,
      secondary: false,
      deprecated: false,
      tentative: false,
    },
  ],
  marks: [],
  rpFilterAll: 0,
  localRulePriority: 0,
};

test("the seed file from standard input: numbers, commands and what only a node knows", () => {
  const { status, stdout, stderr } = run(["plan", "-"], seed);
  assert.deepEqual([status, stderr], [0, ""]);
  const lines = stdout.split("\n");
  assert.deepEqual(lines.slice(0, 6), [
    "NETWORK   TYPE   INTERFACE  SUBNET           TABLE  RULES                     MARK          GOBGP  RD         RT",
    "vxlan228  vxlan  vxlan228   203.0.113.0/24   228    3000 3900 3901 4016 4017  $MARK/0x3ff0  20228  $VTEP:228  65001:228",
    "vlan220   vlan   vlan220    198.51.100.0/24  220    3000 3900 3901 4016 4017  $MARK/0x3ff0  -      -          -",
    "",
    "# vxlan228",
    "ip link add name vxlan228 address $MAC mtu $MTU type vxlan id 228 local $VTEP dstport 4789 nolearning",
  ]);
  assert.ok(lines.includes("ip -4 rule add priority 4016 from 198.51.100.0/24 protocol 118 lookup 220"));
  assert.deepEqual(lines.slice(-6), [
    "# What only a node knows, different for each network (--node gives the values):",
    "# $VTEP: the node's own address in vxlan.nodeNet",
    "# $MAC: derived from $VTEP and the VNI; the node's address decides it",
    "# $MTU: what the interface below carries, less the encapsulation of VXLAN",
    "# $MARK: chosen by the node for this network, and kept",
    "",
  ]);
});

test("on a node the values are exact, and what cannot be planned says why and what to do", () => {
  const { status, stdout, stderr } = run(["plan", file("seed.yaml", seed), "--node", "-"], JSON.stringify(facts));
  assert.deepEqual([status, stderr], [0, ""]);
  const lines = stdout.split("\n");
  assert.equal(
    lines.some((line) => line.includes("$")),
    false,
  );
  assert.match(lines[1] ?? "", / 0x20\/0x3ff0 +20228 +10\.0\.7\.5:228 +65001:228$/);
  assert.deepEqual(lines.slice(3, 6), [
    "",
    "# conditions on n1:",
    "#   vlan220: ParentMissing: parent bond0 not found; create the parent interface on the node, correct vlan.parent, or keep the node out with nodeSelector",
  ]);
  assert.ok(lines.includes("# vlan220 on n1: not carried (ParentMissing)"));
});

test("JSON has the numbers of every network, and the conditions of the node", () => {
  const { status, stdout } = run([
    "plan",
    file("seed.yaml", seed),
    "--node",
    file("n1.json", JSON.stringify(facts)),
    "--json",
  ]);
  assert.equal(status, 0);
  const document = JSON.parse(stdout);
  assert.deepEqual(Object.keys(document), [
    "errors",
    "warnings",
    "networks",
    "commands",
    "differences",
    "changes",
    "interruptions",
    "conditions",
    "node",
  ]);
  assert.deepEqual(document.networks[0], {
    name: "vxlan228",
    type: "vxlan",
    segment: 228,
    interface: "vxlan228",
    table: 228,
    gobgpPort: 20228,
    routeDistinguisher: "10.0.7.5:228",
    routeTargets: { import: ["65001:228"], export: ["65001:228"] },
    subnets: [
      {
        cidr: "203.0.113.0/24",
        gateway: "203.0.113.1",
        table: 228,
        rulePriorities: { exception: 3000, source: 4016, sourceGuard: 4017, mark: 3900, markGuard: 3901 },
        mark: "0x20/0x3ff0",
      },
    ],
    planned: true,
  });
  assert.deepEqual(
    document.conditions.map(({ network, reason }: Record<string, string>) => [network, reason]),
    [["vlan220", "ParentMissing"]],
  );
});

describe("mistakes", () => {
  const wrong = seed.replace("vni: 228", "vni: 254").replace("id: 220", "id: 5000");

  test("each has a line with file, line and column; nothing else is printed", () => {
    const path = file("wrong.yaml", wrong);
    assert.deepEqual(run(["plan", path]), {
      status: 2,
      stdout: "",
      stderr:
        `${path}:5:12: networks[0].vxlan.vni: 254 is the kernel's main routing table; set routing.table\n` +
        `${path}:10:32: networks[1].vlan.id: 5000 is out of range; write a whole number from 1 to 4094\n`,
    });
  });

  test("JSON is printed all the same", () => {
    const { status, stdout, stderr } = run(["plan", "-", "--json"], wrong);
    assert.deepEqual([status, stderr], [2, ""]);
    assert.deepEqual(JSON.parse(stdout), {
      errors: [
        {
          code: "ReservedTable",
          path: "networks[0].vxlan.vni",
          value: 254,
          message: "is the kernel's main routing table",
          remedy: "set routing.table",
          line: 5,
          column: 12,
        },
        {
          code: "OutOfRange",
          path: "networks[1].vlan.id",
          value: 5000,
          message: "is out of range",
          remedy: "write a whole number from 1 to 4094",
          line: 10,
          column: 32,
        },
      ],
      warnings: [],
      networks: [],
      commands: [],
      differences: [],
      changes: [],
      interruptions: [],
      conditions: [],
    });
  });

  test("those of the facts come in the same run", () => {
    const { status, stderr } = run(["plan", "-", "--node", file("facts.json", "{}")], wrong);
    assert.equal(status, 2);
    assert.equal(stderr.split("\n").filter((line) => line.startsWith("-:")).length, 2);
    assert.match(stderr, /facts\.json:1:1: nodeName: is missing; write the node's name/);
  });
});

describe("input that is no configuration", () => {
  for (const [name, path, line] of [
    ["no file", join(folder, "none.yaml"), "document: is not there; check the name, or write - for standard input"],
    ["a directory", folder, "document: is a directory; name a file in it"],
    [
      "binary",
      file("binary", Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 0xff)),
      "document: is not text in UTF-8; name a YAML or JSON file",
    ],
    ["without end", "/dev/zero", "document: is larger than 16 MiB; name a configuration or facts file"],
  ] as const) {
    test(name, () => assert.deepEqual(run(["plan", path]), { status: 2, stdout: "", stderr: `${path}: ${line}\n` }));
  }
});

describe("usage", () => {
  for (const args of [[], ["report"], ["plan"], ["plan", "-", "--yaml"], ["plan", "-", "--node", "-"]]) {
    test(`${args.join(" ")} is refused`, () => {
      const { status, stdout, stderr } = run(args);
      assert.deepEqual([status, stdout], [2, ""]);
      assert.notEqual(stderr, "");
    });
  }

  test("help and version are fine", () => {
    assert.match(run(["plan", "--help"]).stdout, /^Usage: vlan-router plan \[options\] <config>/);
    assert.deepEqual(run(["--version"]), { status: 0, stdout: `${version}\n`, stderr: "" });
  });
});

test("the command's version is the package's", () => {
  const manifest = readFileSync(join(__dirname, "..", "..", "..", "..", "package.json"), "utf8");
  assert.equal(version, (JSON.parse(manifest) as { version: string }).version);
});
