import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cniConfiguration,
  containerdConfiguration,
  imageKeeperConfiguration,
} from "../../../../lab/cluster/container-runtime.js";
import { kubeProxyConfiguration } from "../../../../lab/cluster/kube-proxy.js";
import { kubeletArguments, kubeletConfiguration } from "../../../../lab/cluster/kubelet.js";

const kubelet = JSON.parse(kubeletConfiguration()) as Record<string, unknown>;

test("the kubelet runs where it would refuse to by default", () => {
  assert.equal(kubelet.kind, "KubeletConfiguration");
  assert.equal(kubelet.failCgroupV1, false);
  assert.equal(kubelet.failSwapOn, false);
  assert.equal(kubelet.cgroupDriver, "cgroupfs");
  assert.deepEqual(kubelet.enforceNodeAllocatable, []);
});

test("pods get no DNS server of the machine, and images are never collected", () => {
  assert.equal(kubelet.resolvConf, "");
  assert.equal(kubelet.imageGCHighThresholdPercent, 100);
});

test("nothing that the kubelet reads lies outside the node's own /run", () => {
  const paths = JSON.stringify([kubelet, kubeletArguments("n2")]).match(/(?<=["=/:]\/?)\/(?:run|etc|root|home)[^"]*/g);
  assert.ok(paths !== null && paths.length >= 5, `too few paths: ${paths}`);
  for (const path of paths) assert.match(path, /^\/run\//);
});

test("a node's identity is on the kubelet's command line", () => {
  assert.ok(kubeletArguments("n2").includes("--hostname-override=n2"));
  assert.ok(kubeletArguments("n2").includes("--node-ip=10.0.7.12"));
});

for (const mode of ["nftables", "iptables"] as const) {
  test(`kube-proxy in mode ${mode} leaves the machine's conntrack limits alone`, () => {
    const configuration = JSON.parse(kubeProxyConfiguration("n3", mode)) as Record<string, unknown>;
    assert.equal(configuration.mode, mode);
    assert.equal(configuration.hostnameOverride, "n3");
    assert.deepEqual(configuration[mode], { minSyncPeriod: "0s", syncPeriod: "30s" });
    const conntrack = configuration.conntrack as Record<string, unknown>;
    assert.deepEqual(conntrack, {
      maxPerCore: 0,
      min: 0,
      tcpEstablishedTimeout: "0s",
      tcpCloseWaitTimeout: "0s",
      udpTimeout: "0s",
      udpStreamTimeout: "0s",
    });
  });
}

test("containerd takes the lab's pause image and the node's CNI folder", () => {
  const text = containerdConfiguration("vlan-router.local/pause:0123456789ab");
  assert.match(text, /^ {2}sandbox_image = "vlan-router\.local\/pause:0123456789ab"$/m);
  assert.match(text, /^ {2}conf_dir = "\/run\/node\/cni"$/m);
  assert.match(text, /^ {2}SystemdCgroup = false$/m);
});

test("no containerd of the lab makes a folder in the machine's /opt, and the image keeper runs no pods", () => {
  const keeper = imageKeeperConfiguration("/cache/seed", "/run/keeper", "/run/keeper/containerd.sock");
  for (const text of [containerdConfiguration("pause:1"), keeper]) {
    assert.match(text, /^disabled_plugins = \[.*"io\.containerd\.internal\.v1\.opt".*\]$/m);
  }
  assert.match(keeper, /^disabled_plugins = \[.*"io\.containerd\.grpc\.v1\.cri".*\]$/m);
  assert.match(keeper, /^root = "\/cache\/seed"$/m);
  assert.match(keeper, /^ {2}address = "\/run\/keeper\/containerd\.sock"$/m);
});

test("each node hands out its own part of the pod addresses", () => {
  const cni = JSON.parse(cniConfiguration("n3")) as {
    readonly plugins: readonly { readonly type: string; readonly ipam?: { readonly ranges: unknown } }[];
  };
  assert.deepEqual(
    cni.plugins.map(({ type }) => type),
    ["ptp", "portmap"],
  );
  assert.deepEqual(cni.plugins[0]?.ipam?.ranges, [[{ subnet: "10.244.3.0/24" }]]);
});
