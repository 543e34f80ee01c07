import { copyFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type DownloadedModule, downloadModule, type GoCommand } from "./go-command.js";
import { askVersion, printedVersionFits } from "./installed-program.js";
import { ownMainFile } from "./own-main.js";
import type { ModuleVersion, Replacement, Source, Tool } from "./tool.js";
import { folderReplacements, wrapperModule } from "./wrapper-module.js";

/**
 * Builds a tool from its Go module. The program appears under its final name only when it is complete and answers with the
 * right version.
 *
 * @param target final path of the program
 * @param scratch folder that belongs to this build alone
 * @param detail told what the build is doing
 * @param architecture Go's name of another processor than this machine's
 */
export async function buildTool(
  tool: Tool,
  target: string,
  scratch: string,
  go: GoCommand,
  detail: (text: string) => void,
  architecture?: string,
): Promise<void> {
  const { source } = tool;
  const logFile = join(scratch, "build.log");
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true });
  await mkdir(dirname(target), { recursive: true });

  const download = (module: ModuleVersion) => downloadModule(go, module, logFile, scratch);
  await writeFile(join(scratch, "go.mod"), wrapperModule(source.module, await replacementsOf(source, download)));
  if (source.kind === "own-main") await layOwnMain(tool.name, source, scratch, download);

  const partial = join(scratch, `${tool.name}.partial`);
  const linkerFlags = ["-s", "-w", ...Object.entries(tool.variables).map(([name, value]) => `-X ${name}=${value}`)];
  await go.run({
    arguments: [
      "build",
      // Names each package as it is compiled: the only sign of life of a long build.
      "-v",
      "-trimpath",
      `-ldflags=${linkerFlags.join(" ")}`,
      "-o",
      partial,
      source.kind === "package" ? source.package : ".",
    ],
    directory: scratch,
    logFile,
    onLine: detail,
    ...(architecture === undefined ? {} : { architecture }),
  });
  // What another processor runs cannot be asked here.
  if (architecture === undefined) verify(tool, partial);
  await rename(partial, target);
  await rm(scratch, { recursive: true, force: true });
}

type Download = (module: ModuleVersion) => Promise<DownloadedModule>;

async function replacementsOf(source: Source, download: Download): Promise<readonly Replacement[]> {
  if (source.kind === "own-main") return source.replacements;
  if (!("kind" in source.replacements)) return source.replacements;
  const { GoMod } = await download(source.module);
  return folderReplacements(await readFile(GoMod, "utf8"), source.replacements);
}

async function layOwnMain(
  name: string,
  source: Source & { kind: "own-main" },
  directory: string,
  download: Download,
): Promise<void> {
  await copyFile(ownMainFile(name), join(directory, "main.go"));
  if (source.module === undefined) return;
  const { Dir } = await download(source.module);
  for (const file of source.embeds) await copyFile(join(Dir, file), join(directory, basename(file)));
}

/** A program that was built wrongly would otherwise be found out only deep inside a run of the lab. */
function verify(tool: Tool, program: string): void {
  if (tool.installed.kind !== "path") return;
  const { versionArguments, versions } = tool.installed;
  const printed = askVersion(program, versionArguments);
  if (printed === undefined || !printedVersionFits(printed, versions)) {
    const answer = printed === undefined ? "does not run" : `answers "${printed.trim()}"`;
    throw new Error(
      `${tool.name} ${tool.version} was built as ${program}, but asked with "${versionArguments.join(" ")}" it ${answer}: ` +
        "check its linker variables in lab/toolchain/tools.ts",
    );
  }
}
