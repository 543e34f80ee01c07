/**
 * Which folder may import which folder and which packages (the map of the house in README.md). `node:` modules are
 * listed too: `model/` stays free of I/O.
 */
export interface Layer {
  /** Folder, relative to the repository; the longest match wins. */
  readonly folder: string;
  /** Folders that it may import besides itself. */
  readonly folders: readonly string[];
  /** Packages and `node:` modules that it may import; a trailing `*` matches any ending. */
  readonly packages: readonly string[];
}

const agentPackages = ["node:*"];

export const layers: readonly Layer[] = [
  { folder: "model", folders: [], packages: ["zod", "yaml", "ipaddr.js", "node:crypto"] },
  { folder: "schemas", folders: ["model"], packages: ["yaml", "node:*"] },
  { folder: "cli", folders: ["model"], packages: ["commander", "node:*"] },
  {
    folder: "provider",
    folders: ["model"],
    // The shell requires the runtime by the package's own name: it runs outside the package, in the program's folder.
    packages: ["@kubernetes/client-node", "@pulumi/pulumi", "pulumi-vlan-router/provider/runtime", "yaml", "node:*"],
  },
  { folder: "components", folders: ["model", "provider"], packages: ["@pulumi/*", "node:*"] },
  {
    folder: "agent-image/agent/kernel",
    // Addresses as bytes are written in one place, for frames of BGP and requests to the kernel alike.
    folders: [
      "model",
      ...["system", "evpn/forwarding-state", "bgp/codec/ip-address", "bgp/codec/mac-address"].map(
        (part) => `agent-image/agent/${part}`,
      ),
    ],
    packages: [...agentPackages, "koffi"],
  },
  {
    folder: "agent-image/agent/bgp",
    folders: ["model", "agent-image/agent/system"],
    packages: [...agentPackages, "ipaddr.js", "koffi"],
  },
  {
    folder: "agent-image/agent/bfd",
    // It knows nothing of BGP; both use time and sockets in the same way.
    folders: [
      "model",
      "agent-image/agent/system",
      ...["clock", "address-family", "socket-address", "socket-options", "ttl-security"].map(
        (part) => `agent-image/agent/bgp/session/${part}`,
      ),
    ],
    packages: agentPackages,
  },
  {
    folder: "agent-image/agent/evpn",
    folders: ["model", "agent-image/agent/bgp", "agent-image/agent/bfd"],
    packages: agentPackages,
  },
  {
    folder: "agent-image/agent/gobgp",
    folders: ["model", "agent-image/agent/bgp", "agent-image/agent/evpn"],
    packages: [...agentPackages, "@grpc/*"],
  },
  { folder: "agent-image/agent/addresses", folders: ["model"], packages: agentPackages },
  { folder: "agent-image/agent/system", folders: [], packages: [...agentPackages, "koffi"] },
  {
    folder: "agent-image/agent/announce",
    folders: ["model", "agent-image/agent/system", "agent-image/agent/bgp/codec/mac-address"],
    packages: [...agentPackages, "koffi"],
  },
  {
    folder: "agent-image/agent/probes",
    folders: ["agent-image/agent/announce"],
    packages: agentPackages,
  },
  {
    folder: "agent-image/agent/core",
    folders: [
      "model",
      ...["addresses", "announce", "evpn", "gobgp", "kernel", "status", "system"].map(
        (folder) => `agent-image/agent/${folder}`,
      ),
    ],
    packages: [...agentPackages, "koffi"],
  },
  { folder: "agent-image/agent/status", folders: ["model"], packages: agentPackages },
  {
    folder: "agent-image",
    folders: ["model"],
    packages: [...agentPackages, "@kubernetes/client-node", "commander", "koffi", "pino"],
  },
  { folder: "lab", folders: ["model"], packages: ["yaml", "node:*"] },
  { folder: "examples", folders: [], packages: ["pulumi-vlan-router", "@pulumi/*"] },
  { folder: "tests/lint", folders: [], packages: ["typescript", "node:*"] },
  { folder: "tests/support", folders: ["model", "lab"], packages: ["node:*", "yaml"] },
  {
    folder: "tests/bench",
    folders: [
      "model",
      "cli",
      "agent-image",
      "lab",
      "tests/support",
      // What runs the other speakers.
      ...["bgp-fabric", "frr-router", "gobgp-daemon"].map((file) => `tests/interop/${file}`),
    ],
    packages: ["node:*", "yaml", "ipaddr.js", "koffi"],
  },
  {
    folder: "tests",
    folders: ["model", "schemas", "cli", "provider", "components", "agent-image", "lab", "tests/support", "tests/lint"],
    packages: [
      "node:*",
      "ajv",
      "fast-check",
      "yaml",
      "zod",
      "@pulumi/*",
      "@grpc/grpc-js",
      "google-protobuf",
      "@kubernetes/client-node",
    ],
  },
];
