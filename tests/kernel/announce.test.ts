import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { Announcement } from "../../agent-image/agent/announce/schedule.js";
import { childEnd, waitFor } from "../../lab/processes/index.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import { TestNamespaces } from "../support/namespace.js";
import { CapturedFrames } from "./captured-frames.js";
import { HOST, startPublicSegment } from "./public-segment.js";

const file = `
podNetworks: [10.244.0.0/16]
networks:
  - type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, remotes: [10.0.7.19, 10.0.7.20] }
    routing:
      - { cidr: 203.0.113.0/24, gateway: 203.0.113.1, arpAnnouncer: true }
      - { cidr: "2001:db8:228::/64", gateway: "2001:db8:228::1", arpAnnouncer: true }
`;

describe("addresses that a node takes over", () => {
  let net: TestNamespaces;
  let agent: AgentProcess;
  let mac: string;
  const entry = async (address: string): Promise<string> =>
    (await net.exec("gateway", ["ip", "neigh", "show", address, "dev", "public"])).stdout.trim();
  const learns = (address: string) =>
    waitFor(`the gateway to learn ${address}`, async () => (await entry(address)).includes(mac), { timeout: 5_000 });

  before(async () => {
    net = await startPublicSegment();
    await net.ip("gateway", "address add 2001:db8:228::1/64 dev public nodad");
    agent = await AgentProcess.create(inNamespaces(net), "n1", "--config", file);
    agent.start();
    await agent.until("the network is carried", (networks) => networks.get("vxlan228")?.interface.state === "up");
    const [link] = (await net.json("n1", "ip -j link show dev vxlan228")) as readonly [{ readonly address: string }];
    mac = link.address;
  });
  after(async () => {
    await agent?.end();
    await net?.end();
  });

  it("D7: a gateway that makes no entry of a gratuitous frame has one all the same", async () => {
    assert.match((await net.exec("gateway", ["sysctl", "net.ipv4.conf.public.arp_accept"])).stdout, /= 0/);
    await net.ip("n1", "address add 203.0.113.20/32 dev lo", "address add 2001:db8:228::20/128 dev lo");
    await learns("203.0.113.20");
    await learns("2001:db8:228::20");
  });

  it("D6, D7: a takeover is five announcements in both forms, each with the question to the gateway", async () => {
    const heard = await CapturedFrames.start(net, "gateway", "public", "arp or icmp6");
    await net.ip("n1", "address add 203.0.113.21/32 dev lo", "address add 2001:db8:228::21/128 dev lo");
    const count = (pattern: RegExp) => heard.matching(pattern).length;
    const forms = () => ({
      requests: count(/Request who-has 203\.0\.113\.21 tell 203\.0\.113\.21/),
      replies: count(/Reply 203\.0\.113\.21 is-at/),
      questions: count(/who-has 203\.0\.113\.1 tell 203\.0\.113\.21/),
      advertisements: count(/2001:db8:228::21 > ff02::1: ICMP6, neighbor advertisement/),
      solicitations: count(/2001:db8:228::21 > ff02::1:ff00:1: ICMP6, neighbor solicitation/),
    });
    const expected = { requests: 3, replies: 2, questions: 5, advertisements: 5, solicitations: 5 };
    const whole = () =>
      Object.entries(expected).every(([form, number]) => forms()[form as keyof typeof expected] >= number);
    await waitFor("the whole burst", async () => whole(), { timeout: 10_000 }).catch(() => undefined);
    heard.stop();
    assert.deepEqual(forms(), expected, heard.lines.join("\n"));
  });

  it("D6: an address that another host had is moved in the gateway's table", async () => {
    const address = "203.0.113.22";
    await net.ip("host", `address add ${address}/32 dev public`);
    await net.exec("gateway", ["ping", "-c", "1", "-W", "2", address]);
    assert.ok(!(await entry(address)).includes(mac), await entry(address));
    await net.ip("host", `address delete ${address}/32 dev public`);
    await net.ip("n1", `address add ${address}/32 dev lo`);
    await learns(address);
  });

  it("D10: nothing of it leaves by another interface", async () => {
    const heard = await CapturedFrames.start(net, "n1", "eth0", "arp or icmp6");
    await net.ip("n1", "address add 203.0.113.23/32 dev lo", "address add 2001:db8:228::23/128 dev lo");
    await learns("203.0.113.23");
    await learns("2001:db8:228::23");
    heard.stop();
    assert.deepEqual(heard.matching(/203\.0\.113\.|2001:db8:228:/), []);
  });

  it("D6: an address that is given up is silent from then on, also within its burst", async () => {
    await net.ip("n1", "address add 203.0.113.24/32 dev lo");
    await learns("203.0.113.24");
    await net.ip("n1", "address delete 203.0.113.24/32 dev lo");
    await agent.until(
      "the address is gone",
      (networks) => !networks.get("vxlan228")?.addresses.includes("203.0.113.24"),
    );
    const heard = await CapturedFrames.start(net, "gateway", "public", `arp and not host ${HOST}`);
    await net.ip("n1", "address add 203.0.113.25/32 dev lo");
    await waitFor("the burst of another address", async () => heard.matching(/Reply 203\.0\.113\.25/).length >= 2, {
      timeout: 10_000,
    });
    heard.stop();
    assert.deepEqual(heard.matching(/203\.0\.113\.24/), []);
  });
});

/** The interfaces of a network flap when its parent does, or another program makes them again. */
const flaps = 100;

describe("D11: the announcer's socket", () => {
  let net: TestNamespaces;
  let announcer: ChildProcess;
  const own = (mac: string): Announcement => ({
    device: "public0",
    mac,
    family: 4,
    address: "203.0.113.20",
    gateway: "203.0.113.1",
    interval: 0.05,
    periodic: true,
    repeated: false,
  });
  const announce = async (...owned: readonly Announcement[]): Promise<void> => {
    announcer.send(owned);
    await once(announcer, "message");
  };
  const descriptors = async (): Promise<number> => {
    const script = 'for pid in $(pgrep -f "[a]nnouncer-process.js$"); do ls /proc/$pid/fd | wc -l; done';
    const counts = (await net.exec("n1", ["sh", "-c", script])).stdout.trim().split("\n").map(Number);
    return Math.max(...counts);
  };
  const make = "link add public0 address 02:e4:0a:00:07:0b type veth peer name peer0 netns";

  beforeEach(async () => {
    net = await TestNamespaces.start(["n1", "gateway"]);
    announcer = net.spawn("n1", [process.execPath, join(__dirname, "announcer-process.js")], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
  });
  afterEach(async () => {
    if (announcer.connected) announcer.disconnect();
    await childEnd(announcer);
    await net.end();
  });

  it("outlives its interface, and no descriptor is left of a hundred of them", async () => {
    await net.ip("n1", `${make} gateway`, "link set public0 up");
    await net.ip("gateway", "link set peer0 up");
    await announce(own("02:e4:0a:00:07:0b"));
    const before = await descriptors();
    for (let flap = 0; flap < flaps; flap += 1) {
      await net.ip("n1", "link delete public0", `${make} gateway`, "link set public0 up");
      await announce();
      await announce(own("02:e4:0a:00:07:0b"));
    }
    await net.ip("gateway", "link set peer0 up");
    const heard = await CapturedFrames.start(net, "gateway", "peer0", "arp");
    await waitFor("an announcement on the last one", async () => heard.matching(/203\.0\.113\.20/).length > 0, {
      timeout: 5_000,
    });
    heard.stop();
    assert.equal(await descriptors(), before);
  });

  it("goes on by itself on an interface that was made again with the same MAC", async () => {
    await net.ip("n1", `${make} gateway`, "link set public0 up");
    await announce(own("02:e4:0a:00:07:0b"));
    await net.ip("n1", "link delete public0", `${make} gateway`, "link set public0 up");
    await net.ip("gateway", "link set peer0 up");
    const heard = await CapturedFrames.start(net, "gateway", "peer0", "arp");
    await waitFor("an announcement", async () => heard.matching(/203\.0\.113\.20/).length > 0, { timeout: 5_000 });
    heard.stop();
  });
});
