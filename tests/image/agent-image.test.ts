import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { repositoryRoot } from "../../lab/bootstrap/repository.mjs";
import { ImageLayout } from "./image-layout.js";

interface Written {
  readonly archive: string;
  readonly digest: string;
  readonly platforms: readonly { readonly architecture: string; readonly digest: string; readonly sbom: string }[];
}

const architectures = ["amd64", "arm64"] as const;
/** Architecture of this machine, whose programs can run here. */
const own = process.arch === "arm64" ? "arm64" : "amd64";

/** System V ABI supplements: EM_X86_64 and EM_AARCH64. */
const elfMachine = { amd64: 62, arm64: 183 };

let scratch: string;
let written: Written;
let layout: ImageLayout;

before(() => {
  scratch = mkdtempSync(join(tmpdir(), "agent-image-"));
  written = buildIn(copyOfRepository("first"), "first.tar");
  layout = new ImageLayout(written.archive, join(scratch, "layout"));
  for (const architecture of architectures) {
    const manifest = layout.platforms()[architecture];
    assert.ok(manifest !== undefined, `the image has no ${architecture}`);
    layout.unpack(manifest, rootOf(architecture));
  }
});

after(() => rmSync(scratch, { recursive: true, force: true }));

function rootOf(architecture: string): string {
  return join(scratch, `root-${architecture}`);
}

/** What the builder reads of the repository, in a folder of its own. */
function copyOfRepository(name: string): string {
  const folder = join(scratch, name);
  for (const part of ["dist/lab", "dist/model", "dist/agent-image", "agent-image/agent/gobgp/proto", "lab/toolchain"]) {
    cpSync(join(repositoryRoot, part), join(folder, part), { recursive: true });
  }
  for (const file of ["package.json", "package-lock.json", "agent-image/package.json"]) {
    mkdirSync(join(folder, file, ".."), { recursive: true });
    cpSync(join(repositoryRoot, file), join(folder, file));
  }
  symlinkSync(join(repositoryRoot, "node_modules"), join(folder, "node_modules"));
  return folder;
}

function buildIn(
  repository: string,
  archive: string,
  environment: NodeJS.ProcessEnv = {},
  words: readonly string[] = [],
): Written {
  const program = join(repository, "dist", "lab", "cli", "image.js");
  const args = [program, "--kept-packages", "--json", "--output", join(scratch, archive), ...words];
  const options = { encoding: "utf8", env: { ...process.env, ...environment } } as const;
  return JSON.parse(execFileSync("sh", ["-c", 'umask 077 && exec node "$@"', "sh", ...args], options)) as Written;
}

test("in another folder, at another time of day, the same bytes", () => {
  const again = buildIn(copyOfRepository("somewhere/else"), "again.tar", { TZ: "Pacific/Auckland", LC_ALL: "C" });
  assert.equal(again.digest, written.digest);
  assert.ok(readFileSync(again.archive).equals(readFileSync(written.archive)), "the archives differ");
  for (const [index, { sbom }] of again.platforms.entries()) {
    assert.equal(readFileSync(sbom, "utf8"), readFileSync(written.platforms[index]?.sbom ?? "", "utf8"));
  }
});

test("a changed file of the agent changes the digest", () => {
  const changed = copyOfRepository("changed");
  appendFileSync(join(changed, "dist", "agent-image", "agent", "main.js"), "\n");
  const other = buildIn(changed, "changed.tar", {}, ["--arch", own]);
  const before = written.platforms.find(({ architecture }) => architecture === own);
  assert.notEqual(other.platforms[0]?.digest, before?.digest);
});

test("the digest that is told is the one in the archive", () => {
  assert.equal(layout.digest, written.digest);
});

test("what the image says of itself", () => {
  for (const manifest of Object.values(layout.platforms())) {
    const { config } = layout.config<{ config: { Entrypoint: string[]; Labels: Record<string, string> } }>(manifest);
    assert.deepEqual(config.Entrypoint, ["vlan-router"]);
    assert.equal(config.Labels["org.opencontainers.image.licenses"], "Apache-2.0");
    assert.equal(config.Labels["io.vlan-router.node.version"], "24.22.3");
    assert.deepEqual(manifest.annotations, config.Labels);
  }
});

test("every program and library is for the image's processor, and not much is left out", () => {
  for (const architecture of architectures) {
    const binaries = filesBelow(rootOf(architecture)).filter(isElf);
    const strangers = binaries.filter((file) => readFileSync(file).readUInt16LE(18) !== elfMachine[architecture]);
    assert.deepEqual(strangers, []);
    const names = binaries.map((file) => file.slice(file.lastIndexOf("/") + 1));
    const wanted = ["node", "ip", "bridge", "nft", "conntrack", "ethtool", "setpriv", "gobgp", "busybox", "dash"];
    for (const name of [...wanted, "libc.so.6", "libstdc++.so.6", "libnftables.so.1", "koffi.node"]) {
      assert.ok(names.includes(name), `${architecture} has no ${name}`);
    }
    // One library of koffi: the one for this processor and glibc.
    assert.equal(names.filter((name) => name === "koffi.node").length, 1);
  }
});

test("the programs run, with nothing of this machine", () => {
  const run = (...argv: string[]) =>
    execFileSync("chroot", [rootOf(own), ...argv], { encoding: "utf8", env: { PATH: "/usr/sbin:/usr/bin" } });
  assert.match(run("/usr/bin/vlan-router", "--version"), /^\d+\.\d+\.\d+\n$/);
  assert.equal(run("/usr/bin/node", "--print", "process.version"), "v24.22.3\n");
  assert.match(run("/usr/bin/ip", "-V"), /iproute2-6\.1/);
  assert.match(run("/usr/bin/bridge", "-V"), /^bridge utility/);
  assert.match(run("/usr/bin/nft", "--version"), /^nftables v1\.0\.6/);
  assert.match(run("/usr/bin/conntrack", "--version"), /^conntrack v1\.4/);
  assert.match(run("/usr/bin/ethtool", "--version"), /^ethtool version 6\.1/);
  assert.match(run("/usr/bin/setpriv", "--version"), /^setpriv from util-linux/);
  assert.match(run("/usr/bin/gobgp", "--version"), /4\.8\.0/);
  assert.equal(run("/bin/sh", "-c", "id -un"), "root\n");
  // The library of the C library's calls loads, and names can be looked up.
  const koffi = 'console.log(require("/app/node_modules/koffi").load("libc.so.6").func("int abs(int)")(-7))';
  assert.equal(run("/usr/bin/node", "--eval", koffi), "7\n");
});

test("no file is open for others to write, and every shell script's interpreter is there", () => {
  for (const architecture of architectures) {
    const root = rootOf(architecture);
    for (const file of filesBelow(root)) {
      assert.equal(lstatSync(file).mode & 0o6022, 0, file);
      const interpreter = /^#! ?(\/\S+)/.exec(readFileSync(file).subarray(0, 64).toString("latin1"))?.[1];
      if (interpreter?.startsWith("/usr/bin/") && interpreter !== "/usr/bin/env") {
        assert.ok(existsSync(join(root, interpreter)), `${file}: ${interpreter}`);
      }
    }
  }
});

interface Spdx {
  readonly spdxVersion: string;
  readonly packages: readonly {
    readonly SPDXID: string;
    readonly name: string;
    readonly versionInfo: string;
    readonly licenseDeclared: string;
    readonly externalRefs: readonly { readonly referenceLocator: string }[];
  }[];
  readonly relationships: readonly { readonly relationshipType: string; readonly relatedSpdxElement: string }[];
}

test("the SBOM names what is in the image, and only that", () => {
  for (const { architecture, digest, sbom } of written.platforms) {
    const { spdxVersion, packages, relationships } = JSON.parse(readFileSync(sbom, "utf8")) as Spdx;
    assert.equal(spdxVersion, "SPDX-2.3");
    const ids = packages.map(({ SPDXID }) => SPDXID);
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(relationships.map(({ relatedSpdxElement }) => relatedSpdxElement).sort(), [...ids].sort());

    const purls = packages.flatMap(({ externalRefs }) => externalRefs.map(({ referenceLocator }) => referenceLocator));
    const of = (type: string) => purls.filter((purl) => purl.startsWith(`pkg:${type}/`));
    assert.deepEqual(of("oci"), [`pkg:oci/vlan-router-agent@${encodeURIComponent(digest)}?arch=${architecture}`]);
    assert.ok(of("golang").includes("pkg:golang/github.com/osrg/gobgp/v4@v4.8.0"));
    const root = rootOf(architecture);
    const debian = of("deb").map((purl) => decodeURIComponent(/^pkg:deb\/debian\/([^@]+)@/.exec(purl)?.[1] ?? ""));
    assert.deepEqual(debian.sort(), readdirSync(join(root, "var/lib/dpkg/status.d")).sort());
    for (const name of debian) assert.ok(existsSync(join(root, "usr/share/doc", name, "copyright")), name);

    const packaged = filesBelow(join(root, "app"))
      .filter((file) => /node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(file))
      .map((file) => JSON.parse(readFileSync(file, "utf8")) as { name: string; version: string })
      .map(({ name, version }) => `${name} ${version}`);
    const npm = packages.filter(({ SPDXID }) => SPDXID.startsWith("SPDXRef-npm-"));
    const named = npm
      .map(({ name, versionInfo }) => `${name} ${versionInfo}`)
      .filter((name) => !name.startsWith("node-linux-"));
    assert.deepEqual(named.sort(), packaged.sort());
    for (const { name, licenseDeclared } of npm) assert.notEqual(licenseDeclared, "NOASSERTION", name);
  }
});

test("a mistake in the command line ends with 2, a failure with 1", () => {
  const image = (...args: string[]) => {
    const program = join(repositoryRoot, "dist", "lab", "cli", "image.js");
    try {
      execFileSync("node", [program, ...args], { stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" });
      return { status: 0, stderr: "" };
    } catch (error) {
      return error as { status: number; stderr: string };
    }
  };
  const mistaken = image("--arch", "riscv64");
  assert.equal(mistaken.status, 2);
  assert.match(mistaken.stderr, /--arch "riscv64"/);
  const failed = image("--root-filesystem", scratch);
  assert.equal(failed.status, 1);
  assert.match(failed.stderr, /EEXIST.*agent-image-/);
  assert.equal(image("--help").status, 0);
});

/** Without following links, which lead out of the unpacked image. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
  });
}

function isElf(file: string): boolean {
  return readFileSync(file).subarray(0, 4).toString("latin1") === "\x7fELF";
}
