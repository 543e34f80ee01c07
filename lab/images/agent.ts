import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { NODE_VERSION } from "../bootstrap/node-runtime.mjs";
import { repositoryRoot } from "../bootstrap/repository.mjs";
import { createProgress, type Progress } from "../progress.js";
import { addAgent, agentEntryPoint } from "./agent-layer.js";
import { type Architecture, hostArchitecture } from "./architecture.js";
import type { Component } from "./component.js";
import type { Freshness } from "./debian/debian-archive.js";
import { addGobgp } from "./gobgp-layer.js";
import { buildImage } from "./image-store.js";
import type { Image } from "./oci-archive.js";
import type { ImageConfiguration } from "./oci-documents.js";
import type { RootFilesystem } from "./root-filesystem.js";
import { addNodeSystem, systemPath } from "./system.js";

/** One layer of the agent's image. */
export interface AgentLayer {
  readonly name: "system" | "gobgp" | "agent";
  /** @returns what it has from others */
  readonly add: (root: RootFilesystem) => Promise<readonly Component[]>;
}

/**
 * The agent's image for this machine, made from `dist` as it is now. Its reference changes with its content.
 *
 * @param version what the image says of itself
 * @throws when the agent is not compiled, or something that the image holds cannot be had
 */
export function agentImage(progress: Progress = createProgress(), version = agentVersion()): Promise<Image> {
  const layers = agentLayers(hostArchitecture(), "kept", progress);
  return buildImage(
    "agent",
    agentConfiguration(version),
    layers.map(({ add }) => add),
  );
}

/** In the order in which they stand: what changes most often is last. */
export function agentLayers(
  architecture: Architecture,
  freshness: Freshness,
  progress: Progress,
): readonly AgentLayer[] {
  return [
    { name: "system", add: (root) => addNodeSystem(root, architecture, freshness, progress) },
    { name: "gobgp", add: (root) => addGobgp(root, architecture, progress) },
    { name: "agent", add: (root) => addAgent(root, architecture, progress) },
  ];
}

/** How the image is started, and what it says of itself (OCI image specification, annotations.md). */
export function agentConfiguration(version = agentVersion()): ImageConfiguration {
  return {
    Entrypoint: [agentEntryPoint],
    Env: [systemPath],
    Labels: {
      "org.opencontainers.image.title": "vlan-router-agent",
      "org.opencontainers.image.description": "Node agent of pulumi-vlan-router",
      "org.opencontainers.image.licenses": "Apache-2.0",
      "org.opencontainers.image.version": version,
      "io.vlan-router.node.version": NODE_VERSION,
    },
  };
}

export function agentVersion(): string {
  const file = join(repositoryRoot, "agent-image", "package.json");
  if (!existsSync(file)) throw new Error(`${file} is missing: the image is built from a clone of the repository`);
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly version: string }).version;
}
