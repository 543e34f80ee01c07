import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ServiceDefinition } from "@grpc/grpc-js";
import type { EvpnSpeaker } from "../../../../agent-image/agent/evpn/evpn-speaker.js";
import { apiCalls } from "../../../../agent-image/agent/gobgp/api-calls.js";
import { serviceDefinition } from "../../../../agent-image/agent/gobgp/proto-files.js";
import { hex } from "../../bgp/bytes.js";
import { gobgpOpen } from "../../bgp/captured.js";
import { frrOpenFrom } from "../../bgp/frr-open.js";
import { plan228 } from "../../evpn/plan.js";
import { messageType, setting } from "../../evpn/speaker-setting.js";

/** A speaker whose only peer has answered with this OPEN, or with none. */
async function speakerWith(open?: Buffer): Promise<EvpnSpeaker> {
  const { speaker, peers, clock } = setting();
  void speaker.setNetworks([{ network: "vxlan228", plan: plan228 }]);
  await clock.advance(0);
  if (open !== undefined) {
    peers.last.send(messageType.open, open);
    peers.last.send(messageType.keepalive, Buffer.alloc(0));
    await clock.advance(0);
  }
  return speaker;
}

interface Peer {
  readonly conf: Readonly<Record<string, unknown>>;
  readonly state: Readonly<Record<string, unknown>>;
  readonly [message: string]: unknown;
}

const definitions: Readonly<Record<"v3" | "v4", ServiceDefinition>> = {
  v3: serviceDefinition("v3"),
  v4: serviceDefinition("v4"),
};

/** The answer to ListPeer as it leaves. */
function bytesOf(speaker: EvpnSpeaker, version: "v3" | "v4"): Buffer {
  const [answer] = apiCalls("vxlan228", speaker, version).ListPeer?.({ address: "" }) ?? [];
  return definitions[version].ListPeer?.responseSerialize(answer) ?? Buffer.alloc(0);
}

function peerOf(speaker: EvpnSpeaker, version: "v3" | "v4"): Peer {
  const answer = definitions[version].ListPeer?.responseDeserialize(bytesOf(speaker, version));
  return (answer as { readonly peer: Peer }).peer;
}

const opens = [
  ["no OPEN", undefined],
  ["FRR's OPEN", frrOpenFrom("0a000713")],
  ["GoBGP's OPEN", gobgpOpen],
] as const;

for (const version of ["v3", "v4"] as const) {
  for (const [what, open] of opens) {
    test(`${version}, ${what}: every message is there that \`gobgp neighbor\` reads without asking`, async () => {
      const peer = peerOf(await speakerWith(open), version);
      const { state, timers } = peer as unknown as Record<string, Record<string, unknown>>;
      const messages = state?.messages as Record<string, unknown>;
      assert.ok(peer.conf && state && timers && peer.transport && peer.route_reflector && peer.route_server);
      assert.ok(timers.config && timers.state && messages.sent && messages.received && state.queues);
      const [family] = peer.afi_safis as { state: { family: unknown } }[];
      assert.deepEqual(family?.state.family, { afi: "AFI_L2VPN", safi: "SAFI_EVPN" });
    });
  }
}

describe("an established session inside AS 65001", () => {
  const facts = async (version: "v3" | "v4") => {
    const { conf, state } = peerOf(await speakerWith(frrOpenFrom("0a000713")), version);
    return [conf.type, state.session_state, state.admin_state, state.router_id];
  };

  test("v3 names its values as v3 does", async () => {
    assert.deepEqual(await facts("v3"), ["INTERNAL", "ESTABLISHED", "UP", "10.0.7.19"]);
  });

  test("v4 names them otherwise", async () => {
    assert.deepEqual(await facts("v4"), [
      "PEER_TYPE_INTERNAL",
      "SESSION_STATE_ESTABLISHED",
      "ADMIN_STATE_UP",
      "10.0.7.19",
    ]);
  });

  test("the same state is other numbers on the wire: admin_state UP is 0 in v3 and so absent, 1 in v4", async () => {
    const speaker = await speakerWith(frrOpenFrom("0a000713"));
    // Fields 13 (session_state) and 15 (admin_state) as varints: keys 0x68 and 0x78 (protobuf.dev, encoding).
    const established = "6806";
    assert.ok(bytesOf(speaker, "v3").toString("hex").includes(established));
    assert.ok(bytesOf(speaker, "v4").toString("hex").includes(`${established}7801`));
    assert.ok(!bytesOf(speaker, "v3").toString("hex").includes(`${established}7801`));
  });
});

test("the peer's capabilities: GoBGP's name, next hop and graceful restart in messages of their own", async () => {
  const { state } = peerOf(await speakerWith(gobgpOpen), "v4");
  const kinds = (state.remote_cap as Record<string, unknown>[]).map((capability) => Object.keys(capability)[0]);
  assert.deepEqual(kinds, [
    "route_refresh",
    "fqdn",
    "software_version",
    "extended_message",
    "multi_protocol",
    "four_octet_asn",
    "graceful_restart",
    "extended_nexthop",
  ]);
});

test("a capability whose bytes are not what its code says is left out: the command would panic", async () => {
  // Host name capability (73) that names 9 bytes and has 1; ADD-PATH (69) of 3 bytes; code 200, which nobody knows.
  const open = hex("04 fde9 0009 0a000713 1a 0218 0104 00190046 4104 0000fde9 4902 0961 4503 000102 c801 07");
  const { state } = peerOf(await speakerWith(open), "v4");
  const kinds = (state.remote_cap as Record<string, unknown>[]).map((capability) => Object.keys(capability)[0]);
  assert.deepEqual(kinds, ["multi_protocol", "four_octet_asn", "unknown"]);
});

test("messages are counted, and the peer that was asked for alone is told", async () => {
  const speaker = await speakerWith(frrOpenFrom("0a000713"));
  const { state } = peerOf(speaker, "v4");
  const { sent, received } = state.messages as Record<"sent" | "received", Record<string, number>>;
  assert.deepEqual([sent.open, received.open, received.keepalive, received.total], [1, 1, 1, 2]);
  const list = (address: string) => apiCalls("vxlan228", speaker, "v3").ListPeer?.({ address }).length;
  assert.deepEqual([list("10.0.7.19"), list("10.0.7.18"), list("no address"), list("")], [1, 0, 0, 1]);
});
