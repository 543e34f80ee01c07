import { hostname } from "node:os";
import { Command, InvalidArgumentError, Option } from "commander";
import { agentStateDirectory } from "../../../model/kubernetes/agent-files.js";
import { agentNamespace } from "../../../model/kubernetes/objects.js";
import { SYSCTL_ROOT } from "../kernel/sysctl.js";
import { type LogLevel, logLevels, type TcpTarget } from "./agent-options.js";
import { defaultConfirmTimeout, defaultMetallbNamespace, defaultStatusFile } from "./defaults.js";
import type { BgpDecodeOptions } from "./run-bgp-decode.js";
import type { CleanupOptions } from "./run-cleanup.js";
import { version } from "./version.js";

interface AgentFlags {
  readonly config?: string;
  readonly kubeconfig?: string;
  readonly nodeName?: string;
  readonly podName?: string;
  readonly agentNamespace: string;
  readonly metallbNamespace: string;
  readonly image: string;
  readonly probe: readonly TcpTarget[];
  readonly confirmTimeout: number;
  readonly stateDirectory: string;
  readonly statusFile: string;
  readonly sysctlRoot: string;
  readonly logLevel: LogLevel;
}

const cleanupHelp = `
What is ours is read from the kernel: routes and rules by protocol number 118, interfaces by group and alias, the nft table
inet vlan_router. Objects of others stay, and those that touch ours are named. Needs root (CAP_NET_ADMIN), also for
--dry-run. May be run again: a second run finds nothing to do.

Exit codes:
  0  nothing of ours is left; with --dry-run: everything could be read
  1  something failed, or something of ours is in use and stays
  2  refused, nothing was changed: an agent runs, rights are missing, the lock or the kernel cannot be used, wrong usage`;

const bgpDecodeHelp = `
Verdicts:
  accept           taken as it is
  discard          a path attribute is left out, the routes stay
  withdraw         routes of the message are withdrawn or left out, the session stays
  reset            the session ends with the NOTIFICATION that is named
  refresh-ignored  a ROUTE-REFRESH that asks for nothing that was offered

Taken for given: AS numbers of four octets, messages of at most 4096 bytes (with --extended 65535), and a session in which the message is due.

Exit codes:
  0  all messages are explained, whatever the verdicts
  2  something is no hex or no whole message`;

/** The command line; wrong usage is thrown as a CommanderError after its message is printed. What a subcommand does is loaded when it runs: the readiness probe must be cheap. */
export function program(): Command {
  const root = new Command("vlan-router")
    .description("Public networks on a node: interface, routing table, rules, EVPN and ARP")
    .version(version)
    .showHelpAfterError()
    .exitOverride();

  root
    .command("agent")
    .description("carry the networks that the cluster assigns to this node, or those of a file")
    .option("--config <file>", "configuration file, on a host without Kubernetes; read again when it changes")
    .addOption(new Option("--kubeconfig <file>", "API server; the pod's service account when absent").env("KUBECONFIG"))
    .addOption(new Option("--node-name <name>", "this node's name; the host name with --config").env("NODE_NAME"))
    .addOption(new Option("--pod-name <name>", "identity on the Lease").env("POD_NAME"))
    .addOption(namespaceOption("--agent-namespace <name>", "of Lease and ControllerRevisions", agentNamespace))
    .addOption(namespaceOption("--metallb-namespace <name>", "of MetalLB's speakers", defaultMetallbNamespace))
    .addOption(new Option("--image <reference>", "image to report in the status").env("AGENT_IMAGE").default(""))
    .option(
      "--probe <host:port>",
      "a host that a change must not cut this node off from; may be given several times",
      (text: string, earlier: readonly TcpTarget[]) => [...earlier, tcpTarget(text)],
      [],
    )
    .addOption(
      new Option(
        "--confirm-timeout <seconds>",
        "go back when what answered before a change has not answered for so long since",
      )
        .argParser(seconds)
        .default(defaultConfirmTimeout),
    )
    .addOption(stateDirectoryOption())
    .addOption(statusFileOption())
    .addOption(sysctlRootOption())
    .addOption(
      new Option("--log-level <level>", "least severity that is logged")
        .choices(logLevels)
        .env("LOG_LEVEL")
        .default("info"),
    )
    .action(async (flags: AgentFlags, command: Command) => {
      const nodeName = flags.nodeName ?? (flags.config === undefined ? undefined : hostname());
      if (nodeName === undefined) {
        command.error(
          "error: in a cluster the node's name is needed; set NODE_NAME or --node-name, or give --config FILE",
        );
      }
      const { runAgent } = await import("./run-agent.js");
      await runAgent({ ...flags, nodeName });
    });

  root
    .command("status")
    .description("print what the agent on this node reports")
    .option("--ready", "print nothing and exit 0 when the agent can reconcile", false)
    .addOption(statusFileOption())
    .action(async (flags: { readonly statusFile: string; readonly ready: boolean }) => {
      const { runStatus } = await import("./run-status.js");
      process.exitCode = await runStatus(flags);
    });

  root
    .command("facts")
    .description("print what planning has to know of this node, for `vlan-router plan CONFIG --node FACTS`")
    .addOption(new Option("--node-name <name>", "this node's name").env("NODE_NAME").default(hostname()))
    .option("--label <key=value>", "a label of the node; may be given several times", label, {})
    .addOption(sysctlRootOption())
    .action(
      async (flags: {
        readonly nodeName: string;
        readonly label: Readonly<Record<string, string>>;
        readonly sysctlRoot: string;
      }) => {
        const { runFacts } = await import("./run-facts.js");
        await runFacts({ ...flags, labels: flags.label });
      },
    );

  root
    .command("cleanup")
    .description(
      "remove every interface, route, rule and nft table of ours from this node, and the agent's files; refused while an agent runs",
    )
    .option("--dry-run", "change nothing; print the commands and files as a shell script, and what would stay", false)
    .option("--json", "print one JSON document", false)
    .addOption(stateDirectoryOption())
    .addOption(statusFileOption())
    .addOption(sysctlRootOption())
    .addHelpText("after", cleanupHelp)
    .action(async (flags: CleanupOptions) => {
      const { runCleanup } = await import("./run-cleanup.js");
      process.exitCode = await runCleanup(flags);
    });

  root
    .command("bgp")
    .description("look into BGP messages")
    .command("decode")
    .description("print BGP messages with what the speaker does about each, and the RFC clause that says so")
    .argument("<hex...>", "a message, header included, in hex; - reads one a line from standard input")
    .option("--extended", "both sides have offered extended messages (RFC 8654)", false)
    .addOption(new Option("--sort <sort>", "of the peer that sent them").choices(["ibgp", "ebgp"]).default("ibgp"))
    .option("--json", "print one JSON document a line for each message", false)
    .addHelpText("after", bgpDecodeHelp)
    .action(async (texts: readonly string[], flags: BgpDecodeOptions) => {
      const { runBgpDecode } = await import("./run-bgp-decode.js");
      process.exitCode = await runBgpDecode(texts, flags);
    });

  return root;
}

function label(text: string, earlier: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const separator = text.indexOf("=");
  if (separator < 1) throw new InvalidArgumentError("write KEY=VALUE such as topology.kubernetes.io/zone=a");
  return { ...earlier, [text.slice(0, separator)]: text.slice(separator + 1) };
}

function tcpTarget(text: string): TcpTarget {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw new InvalidArgumentError("write HOST:PORT, an IPv6 address in brackets, such as 10.0.7.1:22 or [fd00::1]:22");
  }
  return { host, port: Number(port) };
}

function seconds(text: string): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) < 1) throw new InvalidArgumentError("write whole seconds from 1 to 9999");
  return Number(text);
}

function namespaceOption(flags: string, description: string, value: string): Option {
  const variable = flags.startsWith("--agent") ? "AGENT_NAMESPACE" : "METALLB_NAMESPACE";
  return new Option(flags, `namespace ${description}`).env(variable).default(value);
}

function stateDirectoryOption(): Option {
  return new Option("--state-directory <directory>", "last good configuration, claims and lock")
    .env("STATE_DIRECTORY")
    .default(agentStateDirectory);
}

function statusFileOption(): Option {
  return new Option("--status-file <file>", "where the agent reports").env("STATUS_FILE").default(defaultStatusFile);
}

function sysctlRootOption(): Option {
  return new Option("--sysctl-root <directory>", "the node's /proc/sys").env("SYSCTL_ROOT").default(SYSCTL_ROOT);
}
