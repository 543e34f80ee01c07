import type { ModuleVersion, Tool } from "./tool.js";

const kubernetes: ModuleVersion = { path: "k8s.io/kubernetes", version: "v1.36.3" };

/** The published version of the `staging` modules of the Kubernetes version above. */
const kubernetesLibraries = "v0.36.3";

/** v0.16.2 does not build: its frr-k8s version is not published. */
const metallb: ModuleVersion = { path: "go.universe.tf/metallb", version: "v0.15.2" };

/** Its commands and daemons understand each other only within a major version (`GobgpApi` of v3, `GoBgpService` of v4). */
const gobgp4: ModuleVersion = { path: "github.com/osrg/gobgp/v4", version: "v4.8.0" };
const gobgp3: ModuleVersion = { path: "github.com/osrg/gobgp/v3", version: "v3.37.0" };

/** The npm package @pulumi/kubernetes that the plugin serves; the two must be equal. */
export const pulumiKubernetesVersion = "4.34.2";

const pulumiKubernetes: ModuleVersion = {
  path: "github.com/pulumi/pulumi-kubernetes/provider/v4",
  version: "v4.0.0-20260115033456-f47bc2d6f199",
};

/** MetalLB's manifests and CRDs, of the same version as its programs. */
export const metallbConfig = { module: metallb, folder: "config" } as const;

/** All programs that the lab builds or finds, in the order in which they are wanted first. */
export const tools: readonly Tool[] = [
  {
    name: "etcd",
    version: "v3.6.16",
    source: {
      kind: "package",
      module: { path: "go.etcd.io/etcd/server/v3", version: "v3.6.16" },
      package: "go.etcd.io/etcd/server/v3",
      replacements: [],
    },
    variables: {},
    installed: { kind: "path", versionArguments: ["--version"], versions: { minimum: "3.6.0", below: "4.0.0" } },
  },
  {
    name: "pause",
    version: "v1",
    source: { kind: "own-main", replacements: [], embeds: [] },
    variables: {},
    installed: { kind: "never", reason: "a program of this repository" },
  },
  kubernetesProgram("kube-apiserver"),
  kubernetesProgram("kubelet"),
  kubernetesProgram("kube-controller-manager"),
  kubernetesProgram("kube-scheduler"),
  kubernetesProgram("kube-proxy"),
  {
    ...kubernetesProgram("kubectl"),
    installed: { kind: "path", versionArguments: ["version", "--client"], versions: { minimum: "1.30.0" } },
  },
  metallbProgram("metallb-controller", "controller"),
  metallbProgram("metallb-speaker", "speaker"),
  gobgpProgram("gobgpd", gobgp4),
  gobgpProgram("gobgp", gobgp4),
  gobgpProgram("gobgpd", gobgp3),
  gobgpProgram("gobgp", gobgp3),
  {
    name: "pulumi",
    version: "v3.274.1",
    source: {
      kind: "package",
      module: { path: "github.com/pulumi/pulumi/pkg/v3", version: "v3.274.1" },
      package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
      replacements: [
        // As the module's own go.mod has it.
        {
          from: "github.com/atotto/clipboard",
          to: { path: "github.com/tgummerer/clipboard", version: "v0.0.0-20241001131231-d02d263e614e" },
        },
      ],
    },
    // Without it `pulumi version` prints nothing and the Automation API refuses the CLI.
    variables: { "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": "v3.274.1" },
    installed: { kind: "path", versionArguments: ["version"], versions: { minimum: "3.250.0", below: "4.0.0" } },
  },
  {
    name: "pulumi-language-nodejs",
    // The newest version whose module still holds the language host.
    version: "v3.68.0",
    source: {
      kind: "package",
      module: { path: "github.com/pulumi/pulumi/sdk/v3", version: "v3.68.0" },
      package: "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
      replacements: [],
    },
    variables: {},
    installed: { kind: "beside", program: "pulumi" },
  },
  {
    name: "pulumi-resource-kubernetes",
    version: `v${pulumiKubernetesVersion}`,
    source: {
      kind: "own-main",
      module: pulumiKubernetes,
      replacements: [],
      embeds: ["cmd/pulumi-resource-kubernetes/schema.json", "cmd/pulumi-resource-kubernetes/terraform-mapping.json"],
    },
    variables: { "main.version": pulumiKubernetesVersion },
    installed: { kind: "pulumi-plugin", folder: `resource-kubernetes-v${pulumiKubernetesVersion}` },
  },
];

function kubernetesProgram(name: string): Tool {
  return {
    name,
    version: kubernetes.version,
    source: {
      kind: "package",
      module: kubernetes,
      package: `${kubernetes.path}/cmd/${name}`,
      replacements: { kind: "published-folders", version: kubernetesLibraries },
    },
    variables: { "k8s.io/component-base/version.gitVersion": kubernetes.version },
    // The lab's component configuration is written for this minor version.
    installed: { kind: "path", versionArguments: ["--version"], versions: { minimum: "1.36.0", below: "1.37.0" } },
  };
}

function metallbProgram(name: string, folder: string): Tool {
  return {
    name,
    version: metallb.version,
    source: { kind: "package", module: metallb, package: `${metallb.path}/${folder}`, replacements: [] },
    variables: {},
    installed: { kind: "never", reason: "MetalLB is shipped as images, and its programs have too general names" },
  };
}

/** Named with the major version, such as `gobgpd-v4`. */
function gobgpProgram(program: "gobgp" | "gobgpd", module: ModuleVersion): Tool {
  return {
    name: `${program}-${module.path.slice(module.path.lastIndexOf("/") + 1)}`,
    version: module.version,
    source: { kind: "package", module, package: `${module.path}/cmd/${program}`, replacements: [] },
    variables: {},
    installed: {
      kind: "never",
      reason: "both major versions are wanted side by side, and their programs have one name",
    },
  };
}
