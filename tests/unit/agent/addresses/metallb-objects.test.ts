import assert from "node:assert/strict";
import { test } from "node:test";
import {
  readAnnouncement,
  readClaim,
  readReadyNodes,
  readServices,
  readSpeakers,
} from "../../../../agent-image/agent/addresses/metallb-objects.js";

test("D1: a claim is read from the labels: status.node may name the former owner", () => {
  // The shape that MetalLB v0.15.2 leaves after a move from n3 to n2 (metallb/metallb#2930).
  const claim = readClaim({
    metadata: {
      name: "l2-x7k2p",
      namespace: "metallb-system",
      creationTimestamp: "2026-01-01T10:00:00Z",
      labels: {
        "metallb.io/node": "n2",
        "metallb.io/service-name": "echo",
        "metallb.io/service-namespace": "default",
      },
      ownerReferences: [{ kind: "Pod", uid: "pod-2" }],
    },
    status: { node: "n3", serviceName: "echo", serviceNamespace: "default", interfaces: [{ name: "vxlan228" }] },
  } as Parameters<typeof readClaim>[0]);
  assert.deepEqual(claim, {
    service: "default/echo",
    node: "n2",
    object: "l2-x7k2p",
    statedAt: "2026-01-01T10:00:00Z",
    speaker: "pod-2",
    interfaces: ["vxlan228"],
  });
});

/** As the API server returned it (MetalLB v0.15.2, after the speaker of n3 came back). */
const announcement = {
  metadata: {
    name: "echo.18ed537ec1104a20",
    namespace: "default",
    creationTimestamp: "2026-12-02T03:53:50Z",
    managedFields: [{ manager: "speaker", operation: "Update", apiVersion: "v1", time: "2026-12-02T03:53:51Z" }],
  },
  involvedObject: { kind: "Service", name: "echo", namespace: "default" },
  reason: "nodeAssigned",
  message: 'announcing from node "n3" with protocol "layer2"',
  source: { component: "metallb-speaker" },
};

test("a claim is read from a nodeAssigned event, with the time of its last repetition", () => {
  assert.deepEqual(readAnnouncement(announcement), {
    service: "default/echo",
    node: "n3",
    object: "default/echo.18ed537ec1104a20",
    statedAt: "2026-12-02T03:53:51Z",
    interfaces: [],
  });
});

test("other events state nothing", () => {
  for (const changed of [
    { message: 'announcing from node "n3" with protocol "bgp"' },
    { reason: "IPAllocated" },
    { source: { component: "somebody" } },
    { involvedObject: { kind: "Pod", name: "echo", namespace: "default" } },
  ]) {
    assert.equal(readAnnouncement({ ...announcement, ...changed }), undefined);
  }
});

test("a status that was relabelled later is as late as its last change", () => {
  const claim = readClaim({
    metadata: {
      name: "l2-x7k2p",
      creationTimestamp: "2026-01-01T10:00:00Z",
      managedFields: [{ time: "2026-01-01T10:05:00Z" }, { time: "2026-01-01T10:00:01Z" }],
      labels: {
        "metallb.io/node": "n2",
        "metallb.io/service-name": "echo",
        "metallb.io/service-namespace": "default",
      },
    },
  });
  assert.equal(claim?.statedAt, "2026-01-01T10:05:00Z");
});

test("an object without labels states nothing", () => {
  assert.equal(readClaim({ metadata: { name: "l2-x7k2p" } }), undefined);
});

test("only LoadBalancer Services have addresses, host names are no addresses", () => {
  const services = readServices([
    {
      metadata: { namespace: "default", name: "echo" },
      spec: { type: "LoadBalancer" },
      status: { loadBalancer: { ingress: [{ ip: "203.0.113.10" }, {}] } },
    },
    { metadata: { namespace: "default", name: "kubernetes" }, spec: { type: "ClusterIP" } },
    { metadata: { namespace: "default", name: "pending" }, spec: { type: "LoadBalancer" } },
  ]);
  assert.deepEqual(
    [...services],
    [
      ["default/echo", ["203.0.113.10"]],
      ["default/pending", []],
    ],
  );
});

test("speakers are told by either label; a pod that is being deleted is not ready", () => {
  const ready = { conditions: [{ type: "Ready", status: "True" }] };
  const speakers = readSpeakers([
    {
      metadata: { name: "speaker-a", uid: "1", labels: { component: "speaker" } },
      spec: { nodeName: "n1" },
      status: ready,
    },
    {
      metadata: { name: "speaker-b", uid: "2", labels: { "app.kubernetes.io/component": "speaker" } },
      spec: { nodeName: "n2" },
    },
    {
      metadata: {
        name: "speaker-c",
        uid: "3",
        labels: { component: "speaker" },
        deletionTimestamp: "2026-01-01T10:00:00Z",
      },
      spec: { nodeName: "n3" },
      status: ready,
    },
    {
      metadata: { name: "controller", uid: "4", labels: { component: "controller" } },
      spec: { nodeName: "n1" },
      status: ready,
    },
  ]);
  assert.deepEqual(speakers, [
    { uid: "1", node: "n1", ready: true, repeats: false },
    { uid: "2", node: "n2", ready: false, repeats: false },
    { uid: "3", node: "n3", ready: false, repeats: false },
  ]);
});

test("a node is Ready when its condition says so", () => {
  const node = (name: string, status: string) => ({
    metadata: { name },
    status: { conditions: [{ type: "Ready", status }] },
  });
  assert.deepEqual(
    [...readReadyNodes([node("n1", "True"), node("n2", "Unknown"), { metadata: { name: "n3" } }])],
    ["n1"],
  );
});

test("a speaker repeats its announcements where its option says so (metallb/metallb#3125)", () => {
  const repeats = (...args: readonly string[]): boolean | undefined =>
    readSpeakers([
      {
        metadata: { name: "speaker-a", uid: "1", labels: { component: "speaker" } },
        spec: { nodeName: "n1", containers: [{}, { args: ["--port=7472", ...args, "--log-level=info"] }] },
      },
    ])[0]?.repeats;
  assert.equal(repeats("--gratuitous-arp-interval=60"), true);
  assert.equal(repeats("-gratuitous-arp-interval", "60"), true);
  for (const args of [[], ["--gratuitous-arp-interval=0"], ["--gratuitous-arp-interval"]]) {
    assert.equal(repeats(...args), false, args.join(" "));
  }
});
