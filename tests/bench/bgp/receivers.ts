import { join } from "node:path";
import { frrDirectory } from "../../../lab/fabric/frr-entry.js";
import { locateToolchain } from "../../../lab/toolchain/index.js";
import { addLeafSegment, FrrRouter } from "../../interop/frr-router.js";
import { GobgpDaemon } from "../../interop/gobgp-daemon.js";
import { AgentProcess, inNamespaces } from "../../support/agent-process.js";
import type { TestNamespaces } from "../../support/namespace.js";
import { Program } from "./program.js";
import { agentConfiguration, receiverAddress } from "./speaker-network.js";
import { asn, firstVni, senderAddress } from "./table-bytes.js";

/** The place of every receiver. */
export const place = "node";

/** Somebody who takes the sender's table. */
export interface Receiver {
  /** Matches the command lines of its processes, and of no others. */
  readonly processes: string;
  /** The sender has to connect to it. */
  readonly isPassive: boolean;
  /** Begins to look for so many hosts; the program says `all` and the time. */
  watch(hosts: number): Promise<Program>;
  end(): Promise<void>;
}

export interface ReceiverKind {
  readonly name: string;
  start(fabric: TestNamespaces, networks: number, hosts: number): Promise<Receiver>;
}

const script = (name: string): readonly string[] => [process.execPath, join(__dirname, name)];

/** The two Type-3 routes that come with the hosts. */
const floodRoutes = 2;

async function asking(fabric: TestNamespaces, ...argv: readonly string[]): Promise<Program> {
  const program = new Program(fabric, place, [...script("rib-watch.js"), ...argv]);
  await program.hears("asking");
  return program;
}

async function listening(fabric: TestNamespaces, device: string, hosts: number): Promise<Program> {
  const program = new Program(fabric, place, [...script("fdb-watch.js"), device, String(hosts)]);
  await program.hears("listening");
  return program;
}

export const speaker: ReceiverKind = {
  name: "ours",
  async start(fabric, networks, hosts) {
    const program = new Program(fabric, place, [...script("speaker.js"), String(networks), String(hosts)]);
    await program.hears("process");
    return {
      processes: "tests/bench/bgp/speaker.js",
      isPassive: false,
      watch: async () => program,
      end: () => program.end(),
    };
  },
};

const gobgp: ReceiverKind = {
  name: "gobgpd v4",
  async start(fabric) {
    const neighbours = [{ address: senderAddress, asn }];
    const settings = { asn, routerId: receiverAddress, holdTime: 90, neighbours };
    const daemon = await GobgpDaemon.start(fabric, place, "v4", settings);
    return {
      processes: gobgpProcesses,
      isPassive: true,
      watch: (hosts) => asking(fabric, "gobgp", locateToolchain().path("gobgp-v4"), String(hosts + floodRoutes)),
      end: () => daemon.stop("SIGKILL"),
    };
  },
};

export const gobgpProcesses = "gobgpd-v4 -f";

const frrConfiguration = (announceVnis: boolean): string => `router bgp ${asn}
 bgp router-id ${receiverAddress}
 no bgp default ipv4-unicast
 neighbor ${senderAddress} remote-as ${asn}
 neighbor ${senderAddress} passive
 address-family l2vpn evpn
  neighbor ${senderAddress} activate
${announceVnis ? "  advertise-all-vni\n" : ""} exit-address-family
`;

const frr: ReceiverKind = {
  name: "FRR bgpd",
  async start(fabric) {
    await FrrRouter.start(fabric, place, frrConfiguration(false));
    return {
      processes: "/usr/lib/frr/bgpd",
      isPassive: true,
      watch: (hosts) => asking(fabric, "frr", `${frrDirectory(place)}/bgpd.vty`, String(hosts + floodRoutes)),
      end: async () => undefined,
    };
  },
};

const frrWithZebra: ReceiverKind = {
  name: "FRR bgpd and zebra",
  async start(fabric) {
    await addLeafSegment(fabric, place, firstVni, receiverAddress);
    await FrrRouter.start(fabric, place, frrConfiguration(true));
    return {
      processes: "/usr/lib/frr/(bgpd|zebra)",
      isPassive: true,
      watch: (hosts) => listening(fabric, `vni${firstVni}`, hosts),
      end: async () => undefined,
    };
  },
};

/** The whole agent, as it runs on a node. */
export const agent: ReceiverKind = {
  name: "our agent",
  async start(fabric, networks) {
    const running = await AgentProcess.create(inNamespaces(fabric), place, "--config", agentConfiguration(networks));
    running.start();
    return {
      processes: "agent-image/agent/main.js agent",
      isPassive: false,
      watch: (hosts) => listening(fabric, `vxlan${firstVni}`, hosts),
      end: () => running.end(),
    };
  },
};

/** Who only keeps the routes. */
export const ribReceivers: readonly ReceiverKind[] = [speaker, gobgp, frr];
/** Who writes them into the kernel's forwarding table. */
export const kernelReceivers: readonly ReceiverKind[] = [agent, frrWithZebra];
