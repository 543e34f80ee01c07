import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { run } from "../processes/run.js";
import { type Architecture, namesOf } from "./architecture.js";
import type { Component } from "./component.js";
import type { DebianPackage } from "./debian/debian-archive.js";
import { DebianFiles, type PackagedFile } from "./debian/debian-files.js";
import { dynamicNeeds } from "./elf/dynamic-needs.js";
import { withoutSections } from "./elf/without-sections.js";
import type { RootFilesystem } from "./root-filesystem.js";

/** What the agent and a person who debugs it call. Not busybox's shell: Debian's static build prefers its own applets, `ip` among them, over the programs on PATH. */
const PROGRAMS = ["ip", "bridge", "nft", "conntrack", "ethtool", "setpriv", "busybox", "dash"];

/** Packages that have these programs, the libraries of Node, and the name of the system. */
export const systemPackages = [
  ...["iproute2", "nftables", "conntrack", "ethtool", "util-linux", "busybox-static", "dash"],
  ...["libstdc++6", "base-files"],
] as const;

/** `ip` is not among them: busybox has an applet of that name, which knows little of rules and nothing of VXLAN. */
const APPLETS = ["cat", "env", "grep", "hostname", "id", "kill", "ls", "mkdir", "nc", "ps", "rm", "sleep", "wget"];

/** Names of tables and protocols, which `ip` prints. */
const IPROUTE2_NAMES = "etc/iproute2";

/**
 * First layer with Node, the network programs and a shell. It is the same for all images that run Node and does not change
 * with their code, so a containerd takes in most of their bytes only once.
 *
 * @param packages {@link systemPackages} and what they depend on
 * @param node folder of a Node distribution for the architecture
 * @returns what is in it
 * @throws when a program or library is in none of the packages
 */
export async function addSystem(
  root: RootFilesystem,
  architecture: Architecture,
  packages: readonly DebianPackage[],
  node: string,
): Promise<readonly Component[]> {
  const files = new DebianFiles(packages);
  await root.addSkeleton();
  await root.addBytes("usr/bin/node", withoutSections(await readFile(join(node, "bin", "node"))), 0o755);
  await root.addFile(join(node, "LICENSE"), "usr/share/doc/nodejs/copyright", 0o644);
  const programs = PROGRAMS.map((name) => [`usr/bin/${name}`, files.program(name)] as const);
  for (const [path, { source }] of programs) await root.addFile(source, path, 0o755);
  const needed = neededFiles(
    [join(node, "bin", "node"), ...programs.map(([, { source }]) => source)],
    files,
    architecture,
  );
  for (const [path, { source }] of needed) await root.addFile(source, path, 0o755);
  await root.addLink("usr/bin/sh", "dash");
  for (const applet of APPLETS) await root.addLink(`usr/bin/${applet}`, "busybox");
  await root.addTree(join(files.package("iproute2").folder, IPROUTE2_NAMES), IPROUTE2_NAMES);
  await root.addFile(files.file("usr/lib/os-release").source, "usr/lib/os-release", 0o644);
  await root.addLink("etc/os-release", "../usr/lib/os-release");
  return Promise.all(files.used.map((used) => addPackageRecord(root, files, used)));
}

/** Loader and libraries of programs, and the libraries of those libraries, by their path in the image. */
function neededFiles(
  programs: readonly string[],
  files: DebianFiles,
  architecture: Architecture,
): ReadonlyMap<string, PackagedFile> {
  const { libraries } = namesOf[architecture];
  const folders = [`lib/${libraries}`, `usr/lib/${libraries}`];
  const found = new Map<string, PackagedFile>();
  const loaders = new Set<string>();
  const visit = (file: string) => {
    const needs = dynamicNeeds(readFileSync(file));
    if (needs.interpreter !== undefined && !loaders.has(basename(needs.interpreter))) {
      loaders.add(basename(needs.interpreter));
      found.set(`usr${needs.interpreter}`, files.file(needs.interpreter.slice(1)));
    }
    for (const name of needs.libraries) {
      const path = `usr/lib/${libraries}/${name}`;
      // A library that names the loader means the one that runs already.
      if (found.has(path) || loaders.has(name)) continue;
      const library = files.library(name, folders);
      found.set(path, library);
      visit(library.source);
    }
  };
  for (const program of programs) visit(program);
  return found;
}

/** Licence and identity of a package where people and scanners look for them (github.com/GoogleContainerTools/distroless, `status.d`). */
async function addPackageRecord(root: RootFilesystem, files: DebianFiles, used: DebianPackage): Promise<Component> {
  const { name, version, file } = used;
  const copyright = `usr/share/doc/${name}/copyright`;
  await root.addFile(files.file(copyright).source, copyright, 0o644);
  const { stdout } = await run(["dpkg-deb", "--field", file]);
  await root.addText(`var/lib/dpkg/status.d/${name}`, stdout);
  const hex = createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
  return { kind: "deb", name, version, checksum: { algorithm: "SHA256", hex } };
}
