import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, readdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Image, imageFolder } from "../images/index.js";
import type { Lab } from "../lab.js";
import { run } from "../processes/index.js";
import { imageKeeperConfiguration } from "./container-runtime.js";

/** Of the containerd that fills the seed; it runs in the lab's root namespace for these seconds only. */
const NAME = "containerd-seed";
const STATE = `/run/${NAME}`;
const SOCKET = `${STATE}/containerd.sock`;
const CTR = ["ctr", "--address", SOCKET, "--namespace", "k8s.io"];

/**
 * A containerd root folder that holds the images, unpacked. Nodes start with copies of it, because three of them that import
 * the same images cost three times the hashing, which would be half of what bringing up the cluster costs.
 *
 * @returns the folder, kept in the cache under a name that changes with images and containerd
 */
export async function imageSeed(lab: Lab, images: readonly Image[]): Promise<string> {
  const version = (await run(["containerd", "--version"])).stdout;
  const key = createHash("sha256").update(JSON.stringify([version, images.map(({ reference }) => reference)]));
  const seed = join(imageFolder(), `seed-${key.digest("hex").slice(0, 12)}`);
  if (existsSync(seed)) {
    // Tells whoever clears the folder that this one is in use.
    await utimes(seed, new Date(), new Date());
    return seed;
  }
  const unfinished = await mkdtemp(join(imageFolder(), "seed."));
  try {
    await fill(lab, unfinished, images);
    await rename(unfinished, seed);
  } catch (error) {
    // Another run may have been faster; its seed is as good.
    if (!existsSync(seed)) throw error;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return seed;
}

/**
 * Gives a node its own copy. Blobs and unpacked files are never written again, so they are shared as hard links; the databases
 * are copied.
 */
export async function plantSeed(seed: string, containerdRoot: string): Promise<void> {
  if (existsSync(containerdRoot)) return;
  await run(["cp", "--archive", "--link", seed, containerdRoot]);
  for (const name of await readdir(seed, { recursive: true })) {
    if (!name.endsWith(".db")) continue;
    await rm(join(containerdRoot, name));
    await copyFile(join(seed, name), join(containerdRoot, name));
  }
}

async function fill(lab: Lab, root: string, images: readonly Image[]): Promise<void> {
  const configuration = `${root}.toml`;
  await writeFile(configuration, imageKeeperConfiguration(root, STATE, SOCKET));
  try {
    await lab.startDaemon("admin", {
      name: NAME,
      argv: ["containerd", "--config", configuration],
      ready: async () => (await lab.admin([...CTR, "version"], { check: false })).code === 0,
    });
    await Promise.all(images.map(({ archive }) => lab.admin([...CTR, "images", "import", archive])));
  } finally {
    await lab.stopDaemon(NAME);
    await rm(configuration, { force: true });
  }
}
