import type { MetallbImages } from "../images/index.js";
import type { KubernetesObject } from "./kubectl.js";

export const metallbNamespace = "metallb-system";

/** A node with this label has no speaker. */
export const speakerLabel = { key: "lab.vlan-router.io/speaker", away: "away" } as const;

/** The part of the lab's public subnet that MetalLB hands out. */
const POOL = "203.0.113.10-203.0.113.250";

/** MetalLB's own 10 s before the first probe are most of the time until it is ready. */
const READINESS = { initialDelaySeconds: 1, periodSeconds: 1 } as const;

interface PodTemplate {
  readonly spec: {
    readonly containers: readonly (Readonly<Record<string, unknown>> & {
      readonly name: string;
      readonly image: string;
    })[];
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/**
 * MetalLB's manifest as the lab deploys it: with images that are on the nodes, with speakers that can be sent away by a
 * label, with the speakers' secret, and with quick probes.
 *
 * @throws when the manifest does not have the two programs that the lab has images of
 */
export function metallbObjects(
  manifest: readonly KubernetesObject[],
  images: MetallbImages,
): readonly KubernetesObject[] {
  const replaced = new Set<string>();
  const objects = manifest.map((object) => {
    if (object.kind !== "Deployment" && object.kind !== "DaemonSet") return object;
    const { name } = object.metadata;
    if (name !== "controller" && name !== "speaker")
      throw new Error(`MetalLB's manifest has the ${object.kind} "${name}", for which the lab has no image`);
    replaced.add(name);
    const spec = object.spec as { readonly template: PodTemplate };
    const template = podTemplate(spec.template, images[name].reference, name === "speaker" ? notAway : {});
    return { ...object, spec: { ...spec, template } };
  });
  const missing = Object.keys(images).filter((name) => !replaced.has(name));
  if (missing.length > 0) throw new Error(`MetalLB's manifest lacks ${missing.join(" and ")}`);
  return [...objects, memberlistSecret];
}

function podTemplate(template: PodTemplate, image: string, affinity: object): PodTemplate {
  return {
    ...template,
    spec: {
      ...template.spec,
      containers: template.spec.containers.map((container) => ({
        ...container,
        image,
        imagePullPolicy: "Never",
        readinessProbe: { ...(container.readinessProbe as object), ...READINESS },
      })),
      ...affinity,
    },
  };
}

/** "Ignored during execution" does not hold for DaemonSets: their controller deletes pods from nodes that do not fit any more. */
const notAway = {
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: speakerLabel.key, operator: "NotIn", values: [speakerLabel.away] }] },
        ],
      },
    },
  },
};

/**
 * The controller would make it too, but only after the kubelet has begun to look for it at growing intervals. It guards
 * nothing here: nobody else is on the lab's underlay.
 */
const memberlistSecret: KubernetesObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "memberlist", namespace: metallbNamespace },
  stringData: { secretkey: "vlan-router lab" },
};

export const poolObjects: readonly KubernetesObject[] = [
  {
    apiVersion: "metallb.io/v1beta1",
    kind: "IPAddressPool",
    metadata: { name: "public", namespace: metallbNamespace },
    spec: { addresses: [POOL] },
  },
  {
    apiVersion: "metallb.io/v1beta1",
    kind: "L2Advertisement",
    metadata: { name: "public", namespace: metallbNamespace },
    spec: { ipAddressPools: ["public"] },
  },
];
