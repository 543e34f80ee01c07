import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { Lab } from "../lab.js";
import { CommandError, waitFor } from "../processes/index.js";
import type { Progress } from "../progress.js";
import { locateToolchain } from "../toolchain/index.js";
import { type NodeName, nodeNames } from "../topology.js";
import { type KubernetesObject, kubectl, kubectlApply, kubectlGet, waitForRollout } from "./kubectl.js";
import { labImages } from "./lab-images.js";
import { loadImage } from "./load-image.js";
import { metallbNamespace, metallbObjects, poolObjects, speakerLabel } from "./metallb-objects.js";

const ROLLOUT_SECONDS = 120;
const WEBHOOK_MS = 60_000;
const SPEAKER_MS = 30_000;

/** Deploys MetalLB in L2 mode with the lab's pool of public addresses. */
export async function metallbUp(lab: Lab, progress: Progress): Promise<void> {
  const toolchain = locateToolchain();
  await progress.step("MetalLB", async (detail) => {
    detail("images");
    const { metallb: images } = await labImages();
    await Promise.all([images.controller, images.speaker].map((image) => loadImage(lab, image)));
    const manifest = join(toolchain.metallbConfigDirectory, "manifests", "metallb-native.yaml");
    await kubectlApply(lab, metallbObjects(readManifest(await readFile(manifest, "utf8")), images));
    detail("waiting for its pods");
    await waitForRollout(lab, metallbNamespace, "deployment/controller", ROLLOUT_SECONDS);
    await waitForRollout(lab, metallbNamespace, "daemonset/speaker", ROLLOUT_SECONDS);
    detail("waiting for its webhook");
    await applyPool(lab);
  });
}

/** Takes MetalLB's speaker off a node and keeps it off, so that another node takes over the addresses. */
export async function evictSpeaker(lab: Lab, node: NodeName): Promise<void> {
  await kubectl(lab, ["label", "--overwrite", "node", node, `${speakerLabel.key}=${speakerLabel.away}`]);
  await waitFor(`the speaker to leave ${node}`, async () => !(await speakerNodes(lab)).has(node), {
    timeout: SPEAKER_MS,
    interval: 100,
  });
}

/** Undoes {@link evictSpeaker} and waits until the speaker is ready again. */
export async function restoreSpeaker(lab: Lab, node: NodeName): Promise<void> {
  await kubectl(lab, ["label", "node", node, `${speakerLabel.key}-`]);
  await waitFor(`the speaker to return to ${node}`, async () => (await speakerNodes(lab)).get(node) === true, {
    timeout: SPEAKER_MS,
    interval: 200,
  });
}

/**
 * The node that MetalLB names as the announcer of a Service: by the label of its ServiceL2Status, whose `status.node` may be
 * stale, or by the Service's latest event when the object is missing (metallb/metallb#2930). Undefined when there is
 * neither, which does not mean that nobody announces.
 */
export async function announcingNode(
  lab: Lab,
  service: { readonly namespace: string; readonly name: string },
): Promise<NodeName | undefined> {
  const statuses = await kubectlGet<{ readonly items: readonly KubernetesObject[] }>(lab, [
    ...["servicel2statuses.metallb.io", `--namespace=${metallbNamespace}`],
    `--selector=metallb.io/service-name=${service.name},metallb.io/service-namespace=${service.namespace}`,
  ]);
  const label = statuses.items[0]?.metadata.labels?.["metallb.io/node"];
  return nodeNames.find((node) => node === label) ?? (await lastAssignedNode(lab, service));
}

async function lastAssignedNode(
  lab: Lab,
  service: { readonly namespace: string; readonly name: string },
): Promise<NodeName | undefined> {
  interface Event {
    readonly lastTimestamp: string;
    readonly message: string;
  }
  const { items } = await kubectlGet<{ readonly items: readonly Event[] }>(lab, [
    ...["events", `--namespace=${service.namespace}`],
    `--field-selector=reason=nodeAssigned,involvedObject.kind=Service,involvedObject.name=${service.name}`,
  ]);
  const [last] = items.toSorted((one, other) => (one.lastTimestamp < other.lastTimestamp ? 1 : -1));
  return nodeNames.find((node) => last?.message.includes(`"${node}"`));
}

/** The nodes that have a speaker, and whether it is ready. */
async function speakerNodes(lab: Lab): Promise<ReadonlyMap<string, boolean>> {
  interface Pod {
    readonly spec: { readonly nodeName?: string };
    readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  }
  const { items } = await kubectlGet<{ readonly items: readonly Pod[] }>(lab, [
    ...["pods", `--namespace=${metallbNamespace}`, "--selector=component=speaker"],
  ]);
  return new Map(
    items.map(({ spec, status }) => [
      spec.nodeName ?? "",
      status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true,
    ]),
  );
}

/** The controller makes the webhook's certificate after it has started; until then the webhook's failure refuses the pool. */
async function applyPool(lab: Lab): Promise<void> {
  let refusal: CommandError | undefined;
  try {
    await waitFor(
      "MetalLB's webhook to take the pool",
      () =>
        kubectlApply(lab, poolObjects).then(
          () => true,
          (error: unknown) => {
            if (!(error instanceof CommandError) || !/webhook/.test(error.result.stderr)) throw error;
            refusal = error;
            return false;
          },
        ),
      { timeout: WEBHOOK_MS, interval: 500 },
    );
  } catch (error) {
    throw refusal === undefined ? error : new Error(refusal.message, { cause: error });
  }
}

function readManifest(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);
}
