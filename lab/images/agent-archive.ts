import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Progress } from "../progress.js";
import { type AgentLayer, agentConfiguration, agentLayers, agentVersion } from "./agent.js";
import type { Architecture } from "./architecture.js";
import type { Component } from "./component.js";
import type { Freshness } from "./debian/debian-archive.js";
import { assemble } from "./image-store.js";
import { finishArchive, inLayout, type PackedPlatform, packPlatform } from "./oci-archive.js";
import { RootFilesystem } from "./root-filesystem.js";
import { spdxDocument } from "./sbom.js";

export const agentName = "vlan-router-agent";

export interface AgentArchiveOptions {
  /** One or more; several become one image for several processors. */
  readonly architectures: readonly Architecture[];
  /** Path of the archive to write. */
  readonly archive: string;
  /** Name and tag that the archive gives the image. */
  readonly reference: string;
  readonly debian: Freshness;
}

/** What was written. */
export interface AgentArchive {
  readonly archive: string;
  readonly reference: string;
  /** By which a registry knows the image as it is in the archive. */
  readonly digest: string;
  readonly platforms: readonly AgentPlatform[];
}

export interface AgentPlatform {
  readonly architecture: Architecture;
  readonly digest: string;
  /** Path of the SPDX document. */
  readonly sbom: string;
  /** Packages in it. */
  readonly components: number;
  /** Uncompressed, bytes. */
  readonly layers: readonly { readonly name: AgentLayer["name"]; readonly size: number }[];
}

/**
 * Writes the agent's image as an OCI archive, and beside it an SBOM for each processor. Equal sources and packages give equal
 * bytes.
 *
 * @throws when the agent is not compiled, or something that the image holds cannot be had
 */
export async function writeAgentArchive(options: AgentArchiveOptions, progress: Progress): Promise<AgentArchive> {
  const { archive, reference } = options;
  return inLayout(dirname(archive), async (layout) => {
    const platforms: PackedPlatform[] = [];
    const described: AgentPlatform[] = [];
    for (const architecture of options.architectures) {
      const components: Component[] = [];
      const layers = agentLayers(architecture, options.debian, progress);
      const packed = await progress.step(`image for ${architecture}`, () =>
        assemble(recorded(layers, components), (folders) =>
          packPlatform(layout, architecture, folders, agentConfiguration()),
        ),
      );
      platforms.push(packed);
      described.push(await describe(archive, layers, packed, components));
    }
    const digest = await progress.step("archive", () => finishArchive(layout, platforms, reference, archive));
    return { archive, reference, digest, platforms: described };
  });
}

/**
 * Writes the files of the image into a folder, for builders that start from a folder (Containerfile).
 *
 * @param folder must not exist yet
 */
export async function writeAgentRoot(
  architecture: Architecture,
  folder: string,
  debian: Freshness,
  progress: Progress,
): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  await mkdir(folder);
  for (const { add } of agentLayers(architecture, debian, progress)) await add(await RootFilesystem.in(folder));
}

function recorded(layers: readonly AgentLayer[], components: Component[]) {
  return layers.map(
    ({ add }) =>
      async (root: RootFilesystem) =>
        void components.push(...(await add(root))),
  );
}

async function describe(
  archive: string,
  layers: readonly AgentLayer[],
  { architecture, manifest, layers: packed }: PackedPlatform,
  components: readonly Component[],
): Promise<AgentPlatform> {
  const sbom = `${archive.replace(/\.tar$/, "")}.${architecture}.spdx.json`;
  const image = { name: agentName, version: agentVersion(), architecture, digest: manifest.digest };
  await writeFile(sbom, spdxDocument(image, components));
  return {
    architecture,
    digest: manifest.digest,
    sbom,
    components: components.length,
    layers: layers.map(({ name }, index) => ({ name, size: packed[index]?.size ?? 0 })),
  };
}
