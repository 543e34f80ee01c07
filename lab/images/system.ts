import { NODE_PACKAGES, NODE_VERSION } from "../bootstrap/node-runtime.mjs";
import type { Progress } from "../progress.js";
import { type Architecture, namesOf } from "./architecture.js";
import type { Component } from "./component.js";
import { debianPackages, type Freshness } from "./debian/debian-archive.js";
import { npmPackageFolder } from "./npm-package.js";
import type { RootFilesystem } from "./root-filesystem.js";
import { addSystem, systemPackages } from "./system-layer.js";

export const systemPath = "PATH=/usr/sbin:/usr/bin";

/** Checksums of npm's packages of {@link NODE_VERSION}. */
const NODE_INTEGRITY: Readonly<Record<Architecture, string>> = {
  amd64: "sha512-KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==",
  arm64: "sha512-IZx0J52/1NDwAsY2iyWR9nlPIYuYviTWetjj8+ElvYQh2+XRhLfCfkbFEF/2O5vGI2hcUbyPNHV+nz342FbJXw==",
};

/** {@link addSystem} with its Debian packages and Node fetched. */
export async function addNodeSystem(
  root: RootFilesystem,
  architecture: Architecture,
  freshness: Freshness,
  progress: Progress,
): Promise<readonly Component[]> {
  const packages = await debianPackages(systemPackages, architecture, freshness, progress);
  const integrity = NODE_INTEGRITY[architecture];
  const name = NODE_PACKAGES[namesOf[architecture].node] ?? "";
  const node = await npmPackageFolder({ name, version: NODE_VERSION, integrity }, progress);
  const debian = await addSystem(root, architecture, packages, node);
  const hex = Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");
  return [
    ...debian,
    { kind: "npm", name, version: NODE_VERSION, licence: "MIT", checksum: { algorithm: "SHA512", hex } },
  ];
}
