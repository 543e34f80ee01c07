import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { waitFor } from "../../lab/index.js";
import type { SpeakerPlan } from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startFabric } from "./bgp-fabric.js";
import { fabricPlan, network } from "./fabric-plan.js";
import { FrrRouter } from "./frr-router.js";
import { MessageCapture } from "./message-capture.js";
import { inFabric, RemoteSpeaker } from "./remote-speaker.js";

/** How a session ends on purpose, as FRR reads it and as we read FRR: both offer the N bit (RFC 8538). */

const plan = fabricPlan("10.0.7.18");

let fabric: TestNamespaces;
let router: FrrRouter;
let speaker: RemoteSpeaker;
let capture: MessageCapture;

before(async () => {
  fabric = await startFabric({ n1: 20, rr: 18 });
  router = await FrrRouter.start(
    fabric,
    "rr",
    `router bgp 65001
 bgp router-id 10.0.7.18
 no bgp default ipv4-unicast
 neighbor 10.0.7.20 remote-as 65001
 neighbor 10.0.7.20 passive
 address-family l2vpn evpn
  neighbor 10.0.7.20 activate
 exit-address-family
`,
  );
  capture = await MessageCapture.start(fabric, "n1");
  speaker = new RemoteSpeaker(inFabric(fabric), "n1");
});

after(async () => {
  await speaker?.kill();
  await fabric?.end();
});

async function establish(networks: Readonly<Record<string, SpeakerPlan>> = { [network]: plan }): Promise<void> {
  await speaker.setNetworks(Object.entries(networks).map(([name, wanted]) => ({ network: name, plan: wanted })));
  await waitFor(
    "the session",
    async () => (await speaker.sessions(network))[0]?.state === "Established",
    // FRR may just be counting down from the session before.
    { timeout: 60_000 },
  );
  const ours = async () => (await router.routes()).filter(({ from }) => from === "10.0.7.20");
  await waitFor("our Type-3 at the router", async () => (await ours()).length > 0);
}

/** The last NOTIFICATION that the router took from us. */
interface LastNotification {
  readonly lastNotificationReason?: string;
  readonly lastNotificationHardReset?: boolean;
  readonly lastShutdownDescription?: string;
}

async function received(reason: string, hardReset: boolean): Promise<LastNotification> {
  return waitFor("the farewell at the router", async () => {
    const text = await router.vtysh("show bgp neighbors 10.0.7.20 json");
    const last = (JSON.parse(text) as Record<string, LastNotification>)["10.0.7.20"];
    return last?.lastNotificationReason === reason && last.lastNotificationHardReset === hardReset && last;
  });
}

const farewell = "ip.src == 10.0.7.20 && bgp.notify.major_error == 6 && bgp.notify.minor_error_cease";

test("the last network goes: an administrative shutdown with its name, after which the router has no route of ours", async () => {
  await establish();
  await speaker.setNetworks([]);
  await received("Cease/Administrative Shutdown", true);
  assert.deepEqual(await router.routes(), []);
  // FRR 8.4 shows no text of a Hard Reset.
  await capture.until("the text", `${farewell} == 9 && frame contains "removed from this node: vxlan228"`);
});

test("a peer goes and its network stays: Peer De-configured", async () => {
  await establish();
  await speaker.setNetworks([{ network, plan: { ...plan, peers: ["10.0.7.99"] } }]);
  await received("Cease/Peer De-configured", true);
});

test("the operator of the router ends the session: the status has the text", async () => {
  await speaker.setNetworks([]);
  await establish();
  await router.configure(65001, "neighbor 10.0.7.20 shutdown message back at 10");
  const error = await waitFor("the end", async () => {
    const [session] = await speaker.sessions(network);
    return session?.state !== "Established" && session?.lastError;
  });
  assert.equal(
    error,
    'the peer ended the session: Cease, Hard Reset (6/9) for Cease, Administrative Shutdown (6/2): "back at 10"',
  );
  await router.configure(65001, "no neighbor 10.0.7.20 shutdown");
});

test("another hold time: the session comes back, and it was no Hard Reset", async () => {
  await establish();
  await establish({ [network]: { ...plan, holdTime: 12 } });
  await capture.until("the farewell", `${farewell} == 6`);
});

test("a router without graceful restart gets no Hard Reset, and shows its operator the text", async () => {
  await speaker.setNetworks([]);
  await router.configure(65001, "neighbor 10.0.7.20 graceful-restart-disable");
  await establish();
  await speaker.setNetworks([]);
  const { lastShutdownDescription } = await received("Cease/Administrative Shutdown", false);
  assert.equal(lastShutdownDescription, "removed from this node: vxlan228");
});

test("an independent decoder finds nothing wrong in our farewells", async () => {
  await capture.until("the last farewell", `${farewell} == 2`);
  await capture.assertWellFormed("ip.src == 10.0.7.20", ["1", "2", "3", "4"]);
});
