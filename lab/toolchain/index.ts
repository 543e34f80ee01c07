import { existsSync } from "node:fs";
import { lstat, mkdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { cacheDirectory } from "../bootstrap/cache-directory.mjs";
import type { Progress } from "../progress.js";
import { buildTool } from "./build-tool.js";
import { withFileLock } from "./file-lock.js";
import { goCommand } from "./go-command.js";
import { findInstalled } from "./installed-program.js";
import { buildLanes, lanesAtOnce, runLanes } from "./lanes.js";
import { copyMetallbConfig, metallbConfigFolder } from "./metallb-config.js";
import { currentRecipeKey } from "./own-main.js";
import { toolSetKey } from "./recipe-key.js";
import type { Tool } from "./tool.js";
import { tools } from "./tools.js";

/** The programs of the lab, ready to run. */
export interface Toolchain {
  /** A folder that holds every program under its own name; made to stand on PATH. */
  readonly binDirectory: string;
  /**
   * Absolute path of a program.
   *
   * @throws when the toolchain has no program of this name
   */
  path(name: string): string;
  /** The `config` folder of MetalLB's module: `crd/`, `rbac/`, `manifests/`, ... of the version that is built. */
  readonly metallbConfigDirectory: string;
}

/**
 * Finds every program of the lab on this machine or builds it, once, into the cache. What is built stays when a later build
 * fails or is interrupted. Two runs at the same time do not build twice.
 *
 * @throws when something must be built and there is no fitting Go, or when a build fails; the message says what to do
 */
export async function ensureToolchain(progress: Progress): Promise<Toolchain> {
  const layout = cacheLayout();
  const installed = installedPrograms();
  const missing = () => tools.filter((tool) => !installed.has(tool.name) && !existsSync(layout.built(tool)));

  if (missing().length > 0 || !existsSync(layout.metallbConfig)) {
    const go = goCommand();
    await mkdir(layout.root, { recursive: true });
    const onWait = () => progress.note("another run builds the toolchain: waiting for it");
    await withFileLock(join(layout.root, "lock"), onWait, async () => {
      if (!existsSync(layout.metallbConfig)) {
        await progress.step("fetching MetalLB's manifests", () =>
          copyMetallbConfig(layout.metallbConfig, layout.scratch("metallb-config"), go),
        );
      }
      const lanes = buildLanes(missing());
      await runLanes(lanes, lanesAtOnce(process.availableMemory()), (tool) =>
        progress.step(`building ${tool.name} ${tool.version}`, (detail) =>
          buildTool(tool, layout.built(tool), layout.scratch(tool.name), go, detail),
        ),
      );
    });
  }
  await mkdir(layout.bin, { recursive: true });
  for (const tool of tools) await link(join(layout.bin, tool.name), installed.get(tool.name) ?? layout.built(tool));
  return toolchain(layout);
}

/**
 * The toolchain as the last {@link ensureToolchain} left it: looks for files only, runs nothing.
 *
 * @throws when a program is missing
 */
export function locateToolchain(): Toolchain {
  const layout = cacheLayout();
  const missing = tools.filter(({ name }) => !existsSync(join(layout.bin, name))).map(({ name }) => name);
  if (!existsSync(layout.metallbConfig)) missing.push(metallbConfigFolder);
  if (missing.length > 0) {
    throw new Error(
      `the toolchain in ${layout.root} lacks ${missing.join(", ")}: ` +
        'run "npm start" or "npm test", or only its set-up with "node lab/bootstrap/set-up.mjs"',
    );
  }
  return toolchain(layout);
}

interface CacheLayout {
  readonly root: string;
  readonly bin: string;
  readonly metallbConfig: string;
  readonly built: (tool: Tool) => string;
  readonly scratch: (name: string) => string;
}

function cacheLayout(): CacheLayout {
  const root = join(cacheDirectory(), "toolchain");
  const keys = new Map(tools.map((tool) => [tool.name, currentRecipeKey(tool)]));
  return {
    root,
    bin: join(root, toolSetKey([...keys.values()])),
    metallbConfig: join(root, metallbConfigFolder),
    built: ({ name }) => join(root, keys.get(name) ?? name, name),
    scratch: (name) => join(root, "scratch", name),
  };
}

/**
 * One program of the table for a processor, built where it is missing, without the others.
 *
 * @param architecture Go's name of another processor than this machine's; left out: this machine's
 * @returns absolute path
 * @throws as {@link ensureToolchain} does
 */
export async function ensureProgram(name: string, progress: Progress, architecture?: string): Promise<string> {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`the toolchain has no program "${name}"`);
  const layout = cacheLayout();
  const target = architecture === undefined ? layout.built(tool) : `${layout.built(tool)}-${architecture}`;
  if (existsSync(target)) return target;
  const go = goCommand();
  await mkdir(layout.root, { recursive: true });
  const onWait = () => progress.note("another run builds the toolchain: waiting for it");
  await withFileLock(join(layout.root, "lock"), onWait, async () => {
    if (existsSync(target)) return;
    const what = [`building ${tool.name} ${tool.version}`, ...(architecture === undefined ? [] : [architecture])];
    const scratch = layout.scratch(`${tool.name}-${architecture ?? "host"}`);
    await progress.step(what.join(" for "), (detail) => buildTool(tool, target, scratch, go, detail, architecture));
  });
  return target;
}

/** In the order of the table, so that a program which must lie beside another one is asked after it. */
function installedPrograms(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { name, installed } of tools) {
    const path = findInstalled(name, installed, (other) => found.get(other));
    if (path !== undefined) found.set(name, path);
  }
  return found;
}

function toolchain({ bin, metallbConfig }: CacheLayout): Toolchain {
  return {
    binDirectory: bin,
    metallbConfigDirectory: metallbConfig,
    path(name) {
      if (!tools.some((tool) => tool.name === name)) {
        throw new Error(`the toolchain has no program "${name}": it has ${tools.map((tool) => tool.name).join(", ")}`);
      }
      return join(bin, name);
    },
  };
}

/** Makes a symbolic link point to a program; a link that a running process may be using is replaced, never missing. */
async function link(path: string, target: string): Promise<void> {
  if (await pointsTo(path, target)) return;
  const partial = join(dirname(path), `.${process.pid}.partial`);
  await rm(partial, { force: true });
  await symlink(target, partial);
  await rename(partial, path);
}

async function pointsTo(path: string, target: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink() && (await readlink(path)) === target;
  } catch {
    return false;
  }
}
