import { rm } from "node:fs/promises";
import { pino } from "pino";
import { networkOfAlias, type RouterNodeStatus } from "../../../model/index.js";
import { startAnnouncer } from "../announce/announcer.js";
import { readSender } from "../announce/arp-frame.js";
import { startFrameListener } from "../announce/frame-listener.js";
import { readNeighbour } from "../announce/ndp-frame.js";
import { openArpEar, openNeighbourEar, openPacketSocket } from "../announce/packet-socket.js";
import { Agent } from "../core/agent.js";
import { ClaimFollower, type ClaimSource } from "../core/claim-follower.js";
import { FileSource } from "../core/file-source.js";
import { GatewayKeeper } from "../core/gateway-keeper.js";
import { HostKeeper } from "../core/host-keeper.js";
import { KeptSequences } from "../core/kept-sequences.js";
import { LastGood } from "../core/last-good.js";
import { NodeLock } from "../core/node-lock.js";
import type { AgentLog, ConfigurationSource } from "../core/ports.js";
import { Rejections } from "../core/rejections.js";
import { writeFileAtomically } from "../core/state-file.js";
import { EvpnSpeaker } from "../evpn/evpn-speaker.js";
import type { Log } from "../evpn/log.js";
import { GobgpApi } from "../gobgp/gobgp-api.js";
import { arpIgnore, forgetUdpFlows, KernelReconciler, lockedCommands } from "../kernel/index.js";
import type { AgentOptions } from "./agent-options.js";
import { exitCode } from "./exit-code.js";
import { missingAgentRights } from "./network-rights.js";
import { nodeProbes } from "./node-probes.js";
import { version } from "./version.js";

/** Milliseconds after which leaving does not wait any more for peers or the API server. */
const leaveTimeout = 2_000;

/** Where the configuration comes from, who follows claims and who hears of the status. */
interface Surroundings {
  readonly source: ConfigurationSource;
  readonly claims?: ClaimSource;
  readonly apiServerAnswers?: (timeout: number) => Promise<boolean>;
  readonly publish?: (status: RouterNodeStatus) => void;
  readonly reload?: () => void;
  readonly close: () => Promise<void>;
}

/** Runs the agent until SIGTERM or SIGINT. Without the rights that it needs it says so and does not begin. */
export async function runAgent(options: AgentOptions): Promise<void> {
  const log = pino({
    level: options.logLevel,
    base: { node: options.nodeName },
    timestamp: pino.stdTimeFunctions.isoTime,
  });
  const missing = missingAgentRights();
  if (missing !== undefined) {
    log.fatal(missing);
    process.exitCode = exitCode.refused;
    return;
  }
  // Nothing to leave yet: a signal ends the process while it waits for the lock.
  const leaveAtOnce = (): never => process.exit(0);
  process.once("SIGTERM", leaveAtOnce).once("SIGINT", leaveAtOnce);
  const lock = new NodeLock(options.stateDirectory);
  if (!lock.tryTake()) {
    log.info({ ...lock.blocker() }, "another agent works on this node; waiting");
    await lock.take();
  }
  await removeStatus(options.statusFile, log);

  const kernel = new KernelReconciler({
    sysctlRoot: options.sysctlRoot,
    nodeName: options.nodeName,
    commands: lockedCommands(lock),
  });
  const observed = await kernel.observe();
  const standing = observed.links.flatMap(({ alias }) => networkOfAlias(alias) ?? []);
  const restarted = standing.length > 0;
  const sequences = await KeptSequences.open(options.stateDirectory, log);
  const speakerLog: Log = (level, message, fields) => log[level](fields ?? {}, message);
  const speaker = new EvpnSpeaker({
    log: speakerLog,
    restarted,
    sequences: sequences.memory,
  });
  const lastGood = await LastGood.open(options.stateDirectory, log);
  const rejections = await Rejections.open(options.stateDirectory, log);

  let agent: Agent | undefined;
  const inputChanged = (): void => agent?.inputChanged();
  const gobgp = new GobgpApi({ speaker, log: speakerLog, onChange: inputChanged });
  const surroundings =
    options.config === undefined
      ? await inCluster(options, lastGood, standing, log, inputChanged)
      : await onHost(options.config, options.nodeName, lastGood, log, inputChanged);
  const addresses = await ClaimFollower.open({
    nodeName: options.nodeName,
    stateDirectory: options.stateDirectory,
    restarted,
    ...(surroundings.claims === undefined ? {} : { source: surroundings.claims }),
    onDue: inputChanged,
    log,
  });
  const frames = openPacketSocket();
  const announcer = startAnnouncer(frames, (error) =>
    log.warn({ error: error.message }, "an announcement could not be sent"),
  );
  const gateways = new GatewayKeeper({
    sender: frames,
    commands: lockedCommands(lock),
    onChange: inputChanged,
    log,
  });
  const hosts = await HostKeeper.open({
    sender: frames,
    commands: lockedCommands(lock),
    stateDirectory: options.stateDirectory,
    restarted,
    onChange: inputChanged,
    log,
  });
  const listeners = [
    startFrameListener(openArpEar(), readSender, (device, sender) => {
      gateways.hear(device, sender);
      addresses.hear(device, sender);
      hosts.hear(device, sender);
    }),
    startFrameListener(openNeighbourEar(), readNeighbour, (device, sender) => {
      addresses.hear(device, sender);
      hosts.hear(device, sender);
    }),
  ];

  agent = new Agent(
    {
      source: surroundings.source,
      kernel: {
        // Labels decided which networks are assigned; the plan needs none.
        facts: () => kernel.facts(),
        reconcile: (plan) => kernel.reconcile(plan),
        applyForwarding: (device, state) => kernel.applyForwarding(device, state),
        changeForwarding: (device, changes) => kernel.changeForwarding(device, changes),
        releaseHost: (device, mac) => kernel.releaseHost(device, mac),
        arpIgnore: (device) => arpIgnore(options.sysctlRoot, device),
        forgetFlows: (released) => forgetUdpFlows(lockedCommands(lock), released),
      },
      speaker,
      gobgp,
      addresses,
      announcer,
      gateways,
      hosts,
      probes: nodeProbes(options.probe, options.confirmTimeout * 1_000, surroundings.apiServerAnswers),
      rejections,
      report: async (status) => {
        surroundings.publish?.(status);
        await writeFileAtomically(options.statusFile, `${JSON.stringify(status, undefined, 2)}\n`);
      },
      log,
    },
    { version, image: options.image },
  );
  speaker.on("forwarding", (network) => void agent.forwardingChanged(network));
  speaker.on("session", inputChanged);
  speaker.on("moved", (network, mac) => agent.hostMoved(network, mac));
  const monitor = kernel.watch(
    () => agent.kernelChanged(),
    () => hosts.bridgesChanged(),
  );
  agent.kernelChanged();
  log.info({ version, config: options.config ?? "cluster" }, "agent started");

  const leave = async (signal: string): Promise<void> => {
    log.info({ signal }, "leaving; what stands in the kernel stays");
    setTimeout(() => process.exit(0), leaveTimeout).unref();
    monitor.close();
    await agent.close();
    for (const listener of listeners) listener.close();
    gobgp.close();
    // Asks nobody any more from here on: the announcer closes the socket.
    const gatewaysLeft = gateways.close();
    const hostsKept = hosts.close();
    announcer.close();
    // Without a notification: a peer with graceful restart keeps our routes for the successor (RFC 4724 section 4.2).
    await Promise.allSettled([
      speaker.close({ notify: false }),
      surroundings.close(),
      addresses.close(),
      sequences.close(),
      gatewaysLeft,
      hostsKept,
    ]);
    await removeStatus(options.statusFile, log);
    process.exit(0);
  };
  process.off("SIGTERM", leaveAtOnce).off("SIGINT", leaveAtOnce);
  process.once("SIGTERM", (signal) => void leave(signal)).once("SIGINT", (signal) => void leave(signal));
  process.on("SIGHUP", () => surroundings.reload?.());
}

/** Nobody takes an agent that has not begun, or has left, for ready. What cannot be removed stops neither beginning nor leaving. */
async function removeStatus(path: string, log: AgentLog): Promise<void> {
  await rm(path, { force: true }).catch((error: Error) =>
    log.warn({ path, error: error.message }, "the status file cannot be removed"),
  );
}

async function onHost(
  path: string,
  nodeName: string,
  lastGood: LastGood,
  log: AgentLog,
  inputChanged: () => void,
): Promise<Surroundings> {
  const source = await FileSource.open(path, nodeName, lastGood, log, inputChanged);
  return { source, reload: () => source.reload(), close: () => source.close() };
}

async function inCluster(
  options: AgentOptions,
  lastGood: LastGood,
  standing: readonly string[],
  log: AgentLog,
  inputChanged: () => void,
): Promise<Surroundings> {
  // Loaded only here: a node without Kubernetes need not spend it.
  const { connectCluster } = await import("../cluster/connect-cluster.js");
  return connectCluster({ ...options, lastGood, standing, log, onChange: inputChanged });
}
