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
    "ip link add name vxlan228 address $MAC mtu $MTU group 118118118 type vxlan id 228 local $VTEP dstport 4789 nolearning",
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

const wrong = seed.replace("vni: 228", "vni: 254").replace("id: 220", "id: 5000");

describe("mistakes", () => {
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

describe("--from", () => {
  const changed = seed.replace("id: 220", "id: 230");

  test("says what changes and what it interrupts; either file may be standard input", () => {
    const old = file("old.yaml", seed);
    const { status, stdout, stderr } = run(["plan", "-", "--from", old], changed);
    assert.deepEqual([status, stderr], [0, ""]);
    const lines = stdout.split("\n");
    assert.deepEqual(lines.slice(3, 7), [
      "",
      `# what standard input changes in ${old}:`,
      "#   vlan230: added",
      "#   vlan220: removed",
    ]);
    assert.ok(lines.includes("# interrupts:"));
    assert.ok(lines.includes("ip link del dev vlan220"));
    assert.match(run(["plan", old, "--from", "-"], changed).stdout, /#\s+vlan220: added\n#\s+vlan230: removed\n/);
  });

  test("says so when nothing changes, and in JSON every list is there", () => {
    const [old, same] = [file("old.yaml", seed), file("same.yaml", `# the same\n${seed}`)];
    const { status, stdout } = run(["plan", same, "--from", old]);
    assert.equal(status, 0);
    assert.deepEqual(stdout.split("\n").slice(3), ["", `# nothing changes: ${same} means the same as ${old}`, ""]);
    const { changes, interruptions, differences, networks } = JSON.parse(
      run(["plan", same, "--from", old, "--json"]).stdout,
    );
    assert.deepEqual([changes, interruptions, differences, networks.length], [[], [], [], 2]);
  });

  test("mistakes of the old file are told under its name, beside those of the new one", () => {
    const [path, old] = [file("new.yaml", wrong), file("old.yaml", seed.replace("id: 220", "id: 0"))];
    const { status, stdout, stderr } = run(["plan", path, "--from", old]);
    assert.deepEqual([status, stdout], [2, ""]);
    assert.deepEqual(stderr.split("\n"), [
      `${path}:5:12: networks[0].vxlan.vni: 254 is the kernel's main routing table; set routing.table`,
      `${path}:10:32: networks[1].vlan.id: 5000 is out of range; write a whole number from 1 to 4094`,
      `${old}:10:32: networks[1].vlan.id: 0 is out of range; write a whole number from 1 to 4094`,
      "",
    ]);
    const { errors } = JSON.parse(run(["plan", file("seed.yaml", seed), "--from", old, "--json"]).stdout);
    assert.deepEqual(
      errors.map(({ code, file: where, line }: Record<string, unknown>) => [code, where, line]),
      [["OutOfRange", old, 10]],
    );
  });

  test("a nodeNet that goes is told of as traffic with nodes", () => {
    const [, withoutVxlan = ""] = /^(podNetworks.*\nnetworks:\n)/m.exec(seed) ?? [];
    const vlan = file("vlan.yaml", `${withoutVxlan}${seed.slice(seed.indexOf("  - type: vlan"))}`);
    const { status, stdout } = run(["plan", vlan, "--from", file("whole.yaml", seed)]);
    assert.equal(status, 0);
    assert.ok(
      stdout
        .split("\n")
        .includes(
          "#   vlan220: traffic with pods, services and nodes: 10.0.7.0/24 is no exception any more: packets between it and 198.51.100.0/24 leave by the gateway",
        ),
    );
  });

  test("mistakes of a file that is both are told once, however it is named", () => {
    const path = file("both.yaml", seed.replace("id: 220", "id: 0"));
    const line = `${path}:10:32: networks[1].vlan.id: 0 is out of range; write a whole number from 1 to 4094\n`;
    for (const from of [path, `${folder}/./both.yaml`]) {
      assert.deepEqual(run(["plan", path, "--from", from]), { status: 2, stdout: "", stderr: line });
    }
  });
});

test("warnings stand on standard error and stop nothing; those of the old configuration are not repeated", () => {
  const slow = file("slow.yaml", seed.replace("arpAnnouncer: true", "arpAnnouncer: { interval: 600 }"));
  const expected = `warning: ${slow}:8:86: networks[0].routing.arpAnnouncer.interval: 600`;
  for (const args of [
    ["plan", slow],
    ["plan", slow, "--from", slow],
  ]) {
    const { status, stdout, stderr } = run(args);
    assert.equal(status, 0);
    assert.match(stdout, /^NETWORK /);
    assert.equal(stderr.split("\n").length, 2);
    assert.ok(stderr.startsWith(expected), stderr);
  }
});

describe("input that is no configuration", () => {
  for (const [name, path, line] of [
    ["no file", join(folder, "none.yaml"), "document: is not there; check the name, or write - for standard input"],
    ["no name", "", "document: is not there; check the name, or write - for standard input"],
    [
      "a name that is too long",
      "a".repeat(300),
      "document: is not there; check the name, or write - for standard input",
    ],
    [
      "an empty file",
      file("empty.yaml", ""),
      "document: is empty; write podNetworks and networks; to remove every network write networks: []",
    ],
    ["a directory", folder, "document: is a directory; name a file in it"],
    [
      "binary",
      file("binary", Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 0xff)),
      "document: is not text in UTF-8; name a YAML or JSON file",
    ],
    ["without end", "/dev/zero", "document: is larger than 16 MiB; name a configuration or facts file"],
  ] as const) {
    test(name, () => {
      const stderr = `${path === "" ? '""' : path}: ${line}\n`;
      assert.deepEqual(run(["plan", path]), { status: 2, stdout: "", stderr });
    });
  }

  test("as the facts or the old configuration", () => {
    const path = file("seed.yaml", seed);
    for (const option of ["--node", "--from"]) {
      const { status, stdout, stderr } = run(["plan", path, option, folder]);
      assert.deepEqual([status, stdout], [2, ""]);
      assert.equal(stderr, `${folder}: document: is a directory; name a file in it\n`);
    }
  });

  test("nothing on standard input", () => {
    const { status, stderr } = run(["plan", "-"]);
    assert.deepEqual([status, stderr.startsWith("-: document: is empty; ")], [2, true]);
  });
});

describe("usage", () => {
  for (const args of [
    [],
    ["report"],
    ["plan"],
    ["plan", "-", "--yaml"],
    ["plan", "-", "--node", "-"],
    ["plan", "-", "--from", "-"],
    ["plan", "-", "--from"],
    ["plan", "-", "-"],
  ]) {
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

describe("a shell that runs it", () => {
  function shell(script: string) {
    const { status, stdout, stderr } = spawnSync("bash", ["-c", script, process.execPath, command, folder], {
      encoding: "utf8",
      timeout: 20_000,
    });
    return { status, stdout: stdout.trim(), stderr };
  }

  test("may close the pipe early: no trace, and the exit code is that of the plan", () => {
    // More than a pipe holds (64 KiB, pipe(7)).
    const networks = Array.from(
      { length: 100 },
      (_, index) =>
        `  - { type: vlan, vlan: { parent: bond0, id: ${1000 + index} }, ` +
        `routing: { cidr: 93.184.${index}.0/24, gateway: 93.184.${index}.1 } }\n`,
    );
    file("large.yaml", `podNetworks: []\nnetworks:\n${networks.join("")}`);
    file("wrong-large.yaml", seed + Array.from({ length: 1000 }, (_, index) => `unknown${index}: 1\n`).join(""));
    for (const [script, codes] of [
      ['"$0" "$1" plan "$2/large.yaml" | head -c 1', "0 0"],
      ['"$0" "$1" plan "$2/large.yaml" --json | head -c 1', "0 0"],
      ['"$0" "$1" plan "$2/wrong-large.yaml" 2>&1 | head -c 1', "2 0"],
      ['"$0" "$1" plan "$2/wrong-large.yaml" --json | head -c 1', "2 0"],
    ] as const) {
      const { stdout, stderr } = shell(`${script} >/dev/null; echo "\${PIPESTATUS[@]}"`);
      assert.deepEqual([stdout, stderr], [codes, ""], script);
    }
  });

  test("has no room for the output: exit code 1, and the reason where it can be told", () => {
    file("seed.yaml", seed);
    assert.deepEqual(shell('"$0" "$1" plan "$2/seed.yaml" >/dev/full'), {
      status: 1,
      stdout: "",
      stderr: "vlan-router: the output could not be written: ENOSPC: no space left on device, write\n",
    });
    assert.equal(shell('"$0" "$1" plan "$2/seed.yaml" >/dev/full 2>&1').status, 1);
  });

  test("as npm does in the repository: the exit code is the command's", () => {
    const repository = join(__dirname, "..", "..", "..", "..");
    const npm = (...args: readonly string[]) =>
      spawnSync("npm", ["run", "-s", "vlan-router", "--", "plan", ...args], {
        cwd: repository,
        input: seed,
        encoding: "utf8",
      });
    const fine = npm("-");
    assert.deepEqual([fine.status, fine.stderr], [0, ""]);
    assert.match(fine.stdout, /^NETWORK +TYPE /);
    const refused = npm(folder);
    assert.deepEqual([refused.status, refused.stdout], [2, ""]);
    assert.equal(refused.stderr, `${folder}: document: is a directory; name a file in it\n`);
  });
});

test("the command's version is the package's", () => {
  const manifest = readFileSync(join(__dirname, "..", "..", "..", "..", "package.json"), "utf8");
  assert.equal(version, (JSON.parse(manifest) as { version: string }).version);
});
