import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createProgress, type Lab, labDown, labUp, underlay, waitFor } from "../../lab/index.js";
import type { SessionStatus, SpeakerPlan } from "../../model/index.js";
import { RemoteSpeaker } from "./remote-speaker.js";

/** TCP MD5 (RFC 2385) and the generalized TTL security mechanism (RFC 5082) against FRR. */

const labName = "interop-protection";
const network = "vxlan228";
const password = "correct-horse-228";
/** Milliseconds: two attempts to connect with what lies between them. */
const twoAttempts = 30_000;

let lab: Lab;
let speaker: RemoteSpeaker;

before(async () => {
  await labDown(labName);
  lab = await labUp(labName, createProgress(), { kubernetes: false });
  speaker = new RemoteSpeaker(lab, "n1");
});

after(async () => {
  await speaker?.kill();
  await labDown(labName);
});

async function passwordFile(name: string, content: string): Promise<string> {
  const path = join(lab.stateDirectory, name);
  await writeFile(path, content);
  return path;
}

/** Of the peer group to which FRR counts the node. */
async function configureReflector(...lines: readonly string[]): Promise<void> {
  const commands = ["configure terminal", "router bgp 65001", ...lines].flatMap((line) => ["-c", line]);
  await lab.exec("rr1", ["vtysh", ...commands]);
}

/** Afresh: without sessions first, because what is tested are connections that begin. */
async function speak(
  protection: Partial<Pick<SpeakerPlan, "localAsn" | "passwordFile" | "ttlSecurity">>,
): Promise<void> {
  const vtep = underlay.nodes.n1;
  const plan: SpeakerPlan = {
    vni: 228,
    vtep,
    mac: "02:00:00:00:02:28",
    routerId: vtep,
    localAsn: 65001,
    peerAsn: 65001,
    peers: [underlay.reflectors.rr1],
    holdTime: 9,
    routeDistinguisher: `${vtep}:228`,
    importRouteTargets: ["65001:228"],
    exportRouteTargets: ["65001:228"],
    gobgpPort: 20228,
    ...protection,
  };
  await speaker.setNetworks([]);
  await speaker.setNetworks([{ network, plan }]);
}

async function session(): Promise<SessionStatus | undefined> {
  return (await speaker.sessions(network))[0];
}

function established(): Promise<unknown> {
  return waitFor("the session", async () => (await session())?.state === "Established", { timeout: twoAttempts });
}

/** The reason of the first attempt that fails; an Established session is a failure of the test. */
function refusal(): Promise<string> {
  return waitFor(
    "the refusal",
    async () => {
      const { state, lastError } = (await session()) ?? {};
      assert.notEqual(state, "Established");
      return lastError;
    },
    { timeout: twoAttempts },
  );
}

/** The kernel's counters of the reflector, as `nstat` names them. */
async function counter(name: string): Promise<number> {
  const { stdout } = await lab.exec("rr1", ["nstat", "-a", "-s", "-z", name]);
  return Number(new RegExp(`^${name}\\s+(\\d+)`, "m").exec(stdout)?.[1]);
}

describe("TCP MD5", () => {
  before(() => configureReflector(`neighbor NODES password ${password}`));
  after(() => configureReflector("no neighbor NODES password"));

  test("the right password, with the line break of an editor: Established, and routes are exchanged", async () => {
    await speak({ passwordFile: await passwordFile("right", `${password}\n`) });
    await established();
    await waitFor("the leaves' Type-3 routes", async () => (await speaker.forwarding(network))?.flood.length === 2);
  });

  test("the wrong password: no session, the status names the file and not what it holds", async () => {
    const file = await passwordFile("wrong", "not-this-one");
    const failures = await counter("TcpExtTCPMD5Failure");
    await speak({ passwordFile: file });
    const reason = await refusal();
    assert.equal(
      reason,
      `no answer to the connection within 5 s: the peer is away, or its password for this node is not the one in ${file}`,
    );
    assert.ok((await counter("TcpExtTCPMD5Failure")) > failures, "the reflector's kernel has refused the signature");
  });

  test("a password that is put right in the file counts from the next attempt on", async () => {
    await passwordFile("wrong", password);
    await established();
  });

  test("no password where the peer wants one: no session", async () => {
    await speak({});
    assert.equal(await refusal(), "no answer to the connection within 5 s");
  });
});

describe("TTL security", () => {
  const node = underlay.nodes.n1;
  /** FRR 8.4 let an internal neighbour and one of a listen range become Established without it (measured). */
  const localAsn = 65002;
  before(async () => {
    await speaker.setNetworks([]);
    await configureReflector(
      `no bgp listen range ${node}/32 peer-group NODES`,
      `neighbor ${node} remote-as ${localAsn}`,
      `neighbor ${node} passive`,
      `neighbor ${node} ttl-security hops 1`,
      "address-family l2vpn evpn",
      `neighbor ${node} activate`,
    );
  });

  test("ttl-security hops 1 on both sides: Established", async () => {
    await speak({ localAsn, ttlSecurity: 1 });
    await established();
  });

  test("ttl-security at the peer alone: our packets, sent with the usual TTL, keep no session", async () => {
    await speak({ localAsn });
    // FRR sets the option after it has accepted, so that the first packets may pass.
    await waitFor(
      "the end of the hold time",
      async () => {
        const { state, lastError = "" } = (await session()) ?? {};
        return state !== "Established" && /hold time/i.test(lastError);
      },
      { timeout: twoAttempts },
    );
  });

  test("packets of the peer that have come through a router: no session, and the status says why that may be", async () => {
    await lab.exec("rr1", ["nft", "add table ip far; add chain ip far out { type filter hook output priority 0 ; }"]);
    await lab.exec("rr1", ["nft", "add rule ip far out tcp sport 179 ip ttl set 254"]);
    await speak({ localAsn, ttlSecurity: 1 });
    assert.equal(
      await refusal(),
      "no answer to the connection within 5 s: the peer is away, or its packets do not arrive with a TTL of 255 or more",
    );
  });

  test("the same with two hops allowed: Established", async () => {
    await configureReflector(`neighbor ${node} ttl-security hops 2`);
    await speak({ localAsn, ttlSecurity: 2 });
    await established();
  });
});
