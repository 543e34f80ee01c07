import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubernetesObject } from "../../../../lab/cluster/kubectl.js";
import { metallbObjects } from "../../../../lab/cluster/metallb-objects.js";

const images = {
  controller: { reference: "vlan-router.local/metallb-controller:aaaaaaaaaaaa", archive: "/c.tar" },
  speaker: { reference: "vlan-router.local/metallb-speaker:bbbbbbbbbbbb", archive: "/s.tar" },
};

const workload = (kind: string, name: string): KubernetesObject => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name, namespace: "metallb-system" },
  spec: {
    selector: { matchLabels: { component: name } },
    template: {
      metadata: { labels: { component: name } },
      spec: {
        hostNetwork: kind === "DaemonSet",
        containers: [
          {
            name,
            image: `quay.io/metallb/${name}:v0.15.2`,
            args: ["--port=7472"],
            readinessProbe: { httpGet: { path: "/metrics" }, initialDelaySeconds: 10, periodSeconds: 10 },
          },
        ],
      },
    },
  },
});

const role: KubernetesObject = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "x" } };

/** The pod's part of an object, by its name. */
function podOf(objects: readonly KubernetesObject[], name: string) {
  const object = objects.find(({ kind, metadata }) => metadata.name === name && kind !== "Secret");
  return (object as unknown as { spec: { template: { spec: Record<string, unknown> } } }).spec.template.spec;
}

test("images and probes are the lab's; everything else is as MetalLB ships it", () => {
  const objects = metallbObjects(
    [role, workload("Deployment", "controller"), workload("DaemonSet", "speaker")],
    images,
  );
  assert.deepEqual(objects[0], role);
  const { containers, hostNetwork } = podOf(objects, "speaker");
  assert.equal(hostNetwork, true);
  assert.deepEqual(containers, [
    {
      name: "speaker",
      image: "vlan-router.local/metallb-speaker:bbbbbbbbbbbb",
      imagePullPolicy: "Never",
      args: ["--port=7472"],
      readinessProbe: { httpGet: { path: "/metrics" }, initialDelaySeconds: 1, periodSeconds: 1 },
    },
  ]);
});

test("a speaker can be sent away from a node by a label; the controller cannot", () => {
  const objects = metallbObjects([workload("Deployment", "controller"), workload("DaemonSet", "speaker")], images);
  assert.deepEqual(podOf(objects, "speaker").affinity, {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: "lab.vlan-router.io/speaker", operator: "NotIn", values: ["away"] }] },
        ],
      },
    },
  });
  assert.equal(podOf(objects, "controller").affinity, undefined);
});

test("the speakers find their secret", () => {
  const objects = metallbObjects([workload("Deployment", "controller"), workload("DaemonSet", "speaker")], images);
  assert.ok(objects.some(({ kind, metadata }) => kind === "Secret" && metadata.name === "memberlist"));
});

test("a manifest with another shape is refused, not half applied", () => {
  assert.throws(() => metallbObjects([workload("Deployment", "controller")], images), /lacks speaker/);
  assert.throws(() => metallbObjects([workload("DaemonSet", "frr-k8s")], images), /DaemonSet "frr-k8s"/);
});
