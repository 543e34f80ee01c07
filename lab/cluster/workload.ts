import type { Lab } from "../lab.js";
import type { Progress } from "../progress.js";
import { nodeNames, publicService } from "../topology.js";
import { type KubernetesObject, kubectlApply, waitForRollout } from "./kubectl.js";
import { labImages } from "./lab-images.js";
import { loadImage } from "./load-image.js";

const PORT = 8080;
const ROLLOUT_SECONDS = 60;

/** Deploys the HTTP workload, one pod on each node, behind the LoadBalancer Service that the client calls. */
export async function workloadUp(lab: Lab, progress: Progress): Promise<void> {
  await progress.step(`workload behind ${publicService.address}`, async () => {
    const { echo: image } = await labImages();
    await loadImage(lab, image);
    await kubectlApply(lab, workloadObjects(image.reference));
    await waitForRollout(lab, publicService.namespace, `deployment/${publicService.name}`, ROLLOUT_SECONDS);
  });
}

function workloadObjects(image: string): readonly KubernetesObject[] {
  const { name, namespace, address, port } = publicService;
  const labels = { app: name };
  const spread = {
    maxSkew: 1,
    topologyKey: "kubernetes.io/hostname",
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector: { matchLabels: labels },
  };
  const container = {
    name,
    image,
    imagePullPolicy: "Never",
    env: [
      { name: "PORT", value: String(PORT) },
      { name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
    ],
    ports: [{ containerPort: PORT }],
    readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 1 },
  };
  return [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace },
      spec: {
        replicas: nodeNames.length,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { terminationGracePeriodSeconds: 1, topologySpreadConstraints: [spread], containers: [container] },
        },
      },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace, annotations: { "metallb.io/loadBalancerIPs": address } },
      spec: { type: "LoadBalancer", selector: labels, ports: [{ port, targetPort: PORT }] },
    },
  ];
}
