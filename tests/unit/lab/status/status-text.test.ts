import assert from "node:assert/strict";
import { test } from "node:test";
import { kubernetesIsHealthy } from "../../../../lab/status/health.js";
import { type LabStatus, statusText } from "../../../../lab/status/index.js";
import { parseKubernetes } from "../../../../lab/status/kubernetes-status.js";
import { parseAddresses } from "../../../../lab/status/place-status.js";

const status: LabStatus = {
  name: "default",
  stateDirectory: "/root/.cache/vlan-router/lab/default",
  up: true,
  stage: "kubernetes",
  places: [
    { name: "client", namespace: true, addresses: ["eth0 192.0.2.10/24"] },
    { name: "n3", namespace: false, addresses: [] },
  ],
  processes: [
    { name: "rr1-bgpd", pid: 8099 },
    { name: "rr2-bgpd", pid: undefined },
  ],
  reflectors: [
    {
      name: "rr1",
      neighbors: [
        { address: "10.0.7.11", state: "Established", prefixesReceived: 2, prefixesSent: 4, uptime: 2000 },
        { address: "10.0.7.20", state: "Idle", prefixesReceived: 0, prefixesSent: 0, uptime: 0 },
      ],
    },
    { name: "rr2", neighbors: { error: "bgpd is not running\nmore" } },
  ],
  kubernetes: {
    nodes: [{ name: "n1", ready: true }],
    pods: [{ namespace: "default", name: "echo-1", node: "", phase: "Pending", ready: false }],
  },
};

test("a person sees what runs, what does not, and what could not be asked", () => {
  assert.equal(
    statusText(status),
    `lab default: up (kubernetes)
state and logs: /root/.cache/vlan-router/lab/default

places
  client  eth0 192.0.2.10/24
  n3      no namespace

processes
  rr1-bgpd  pid 8099
  rr2-bgpd  does not run

BGP sessions (l2vpn evpn)
  rr1  n1   10.0.7.11  Established  2 routes received, 4 sent
  rr1  rr2  10.0.7.20  Idle         0 routes received, 0 sent
  rr2  unknown: bgpd is not running

Kubernetes nodes
  n1  Ready

Kubernetes pods
  default/echo-1  no node  Pending, not ready
`,
  );
});

test("a lab that is down or half made says so", () => {
  assert.equal(statusText({ ...status, up: false }), "lab default: down\n");
  assert.match(statusText({ ...status, stage: "nothing" }), /^lab default: half made; make it again with/);
});

test("addresses from ip -json, whose filter leaves empty objects", () => {
  const json =
    '[{},{"ifname":"eth0","addr_info":[{"family":"inet","local":"10.0.7.10","prefixlen":24,"scope":"global"}]},{}]';
  assert.deepEqual(parseAddresses(json), ["eth0 10.0.7.10/24"]);
});

test("nodes and pods from kubectl, with what a pod has not got yet", () => {
  const json = `{"apiVersion":"v1","kind":"List","items":[
    {"kind":"Node","metadata":{"name":"n1"},"status":{"conditions":[{"type":"Ready","status":"True"}]}},
    {"kind":"Node","metadata":{"name":"n2"},"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}},
    {"kind":"Pod","metadata":{"name":"echo-1","namespace":"default"},"spec":{},"status":{"phase":"Pending"}}]}`;
  assert.deepEqual(parseKubernetes(json), {
    nodes: [
      { name: "n1", ready: true },
      { name: "n2", ready: false },
    ],
    pods: [{ namespace: "default", name: "echo-1", node: "", phase: "Pending", ready: false }],
  });
});

test("Kubernetes is healthy when all nodes and pods are, and only then", () => {
  const nodes = ["n1", "n2", "n3"].map((name) => ({ name, ready: true }));
  const pod = { namespace: "default", name: "echo-1", node: "n1", phase: "Running", ready: true };
  const done = { ...pod, phase: "Succeeded", ready: false };
  assert.equal(kubernetesIsHealthy({ nodes, pods: [pod, done] }), true);
  assert.equal(kubernetesIsHealthy({ nodes, pods: [pod, { ...pod, ready: false }] }), false);
  assert.equal(kubernetesIsHealthy({ nodes, pods: [] }), false);
  assert.equal(kubernetesIsHealthy({ nodes: nodes.slice(1), pods: [pod] }), false);
  assert.equal(kubernetesIsHealthy({ nodes: [{ name: "n1", ready: false }, ...nodes.slice(1)], pods: [pod] }), false);
});
