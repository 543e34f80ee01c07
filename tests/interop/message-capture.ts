import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { waitFor } from "../../lab/index.js";
import { ENTRY_WAITING_PARENTS } from "../../lab/isolation/index.js";
import { childEnd, type Result, signalEntered } from "../../lab/processes/index.js";
import type { TestNamespaces } from "../support/namespace.js";

/** Wireshark's number for the severity "Warning"; errors are higher. */
const EXPERT_WARNING = 0x600000;

/** Of Wireshark: a protocol, and the field that tells its messages apart. */
export interface CapturedProtocol {
  readonly name: string;
  readonly type: string;
  /** What tcpdump catches. */
  readonly filter: string;
}

export const bgpMessages: CapturedProtocol = { name: "bgp", type: "bgp.type", filter: "tcp port 179" };
export const bfdPackets: CapturedProtocol = { name: "bfd", type: "bfd.sta", filter: "udp port 3784 or udp port 4784" };

/**
 * Asserts that Wireshark's decoder has nothing to say against the messages of a sender, and that these types (RFC 4271
 * section 4.1, RFC 5880 section 4.1) were among them.
 *
 * @param run runs a program where the capture lies
 * @param sender a display filter
 */
export async function assertWellFormed(
  run: (argv: readonly string[]) => Promise<Result>,
  file: string,
  sender: string,
  types: readonly string[],
  { name, type }: CapturedProtocol = bgpMessages,
): Promise<void> {
  const complaints = `(_ws.malformed || _ws.expert.severity >= ${EXPERT_WARNING})`;
  // On a busy machine the capture loses frames; that says nothing about what was sent.
  const filter = `${sender} && ${name} && ${complaints} && !tcp.analysis.ack_lost_segment`;
  assert.deepEqual(await decoded(run, file, filter, "_ws.expert.message"), []);
  const seen = await decoded(run, file, `${sender} && ${name}`, type);
  assert.deepEqual([...new Set(seen)].sort(), types);
}

/** The values of a field in all packets that pass the display filter. */
export async function decoded(
  run: (argv: readonly string[]) => Promise<Result>,
  file: string,
  filter: string,
  field: string,
): Promise<readonly string[]> {
  const argv = ["tshark", "-r", file, "-d", "tcp.port==179,bgp", "-Y", filter, "-T", "fields", "-e", field];
  const { stdout } = await run(argv);
  return stdout.split(/[\n,]/).filter((value) => value !== "");
}

/** The messages of a protocol on `eth0` of a place of a test's fabric. */
export class MessageCapture {
  private constructor(
    private readonly fabric: TestNamespaces,
    private readonly place: string,
    private readonly tcpdump: ChildProcess,
    private readonly protocol: CapturedProtocol,
  ) {}

  static async start(
    fabric: TestNamespaces,
    place: string,
    protocol: CapturedProtocol = bgpMessages,
  ): Promise<MessageCapture> {
    // Packets would else lie in the kernel for up to a second, and be lost at the end.
    const argv = ["tcpdump", "--immediate-mode", "-U", "-i", "eth0", "-w", fileOf(place), protocol.filter];
    const tcpdump = fabric.spawn(place, argv, { stdio: ["ignore", "ignore", "pipe"] });
    // It says that it listens; what comes before is not in the file.
    if (tcpdump.stderr !== null) await once(tcpdump.stderr, "data");
    return new MessageCapture(fabric, place, tcpdump, protocol);
  }

  /** Ends it; see {@link assertWellFormed}. */
  async assertWellFormed(sender: string, types: readonly string[]): Promise<void> {
    await signalEntered(this.tcpdump, ENTRY_WAITING_PARENTS, "SIGINT");
    await childEnd(this.tcpdump);
    const run = (argv: readonly string[]) => this.fabric.exec(this.place, argv);
    await assertWellFormed(run, fileOf(this.place), sender, types, this.protocol);
  }

  /** The values of a field in all packets so far that pass the display filter. */
  async decoded(filter: string, field: string): Promise<readonly string[]> {
    // The last packet may be half written.
    const run = (argv: readonly string[]) => this.fabric.exec(this.place, argv, { check: false });
    return decoded(run, fileOf(this.place), filter, field);
  }

  /** Waits for a message of the sender that passes the display filter. */
  async until(what: string, filter: string): Promise<void> {
    await waitFor(what, async () => (await this.decoded(filter, "frame.number")).length > 0);
  }
}

/** On the tmpfs of the test's namespaces, so that it goes with them. */
function fileOf(place: string): string {
  return `/run/${place}.pcap`;
}
