/** What a program marked as secret reaches the provider in plain; it is said nowhere. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { apiVersion, type NetworkSpec, type PublicNetworkObject } from "../../../model/index.js";
import type { NetworkStateArguments, NetworkStateInputs } from "../../../provider/network-state/state.js";
import { written } from "../../support/network-fixtures.js";
import { owner, Scenario } from "./scenario.js";

const password = "/etc/vlan-router/bgp-passwords/fabricsecret";
const berlin = owner.replace("::customers", "::berlin");

type Vxlan = typeof written.vxlan;

function withSecret(bgp: object = {}, vxlan: Partial<Vxlan> = {}): NetworkStateArguments["spec"] {
  const secret = { ...written.vxlan.bgp, passwordFile: password, ...bgp };
  return { ...written, vxlan: { ...written.vxlan, ...vxlan, bgp: secret } };
}

const other = { name: "berlin", owner: berlin };
const elsewhere = { cidr: "198.51.100.0/24", gateway: "198.51.100.1" };
const secrets = ["vxlan.bgp.passwordFile"];

async function reasons(scenario: Scenario, changes: Partial<NetworkStateArguments>): Promise<readonly string[]> {
  const { failures } = await scenario.networkState.check({}, scenario.arguments(changes));
  return failures.map(({ reason }) => reason);
}

test("a secret that is a mistake is not shown, however long", async (context) => {
  const scenario = await Scenario.start(context);
  const wrong = (secret: string) =>
    reasons(scenario, { spec: withSecret({}, { nodeNet: secret }), secrets: ["vxlan.nodeNet"] });
  for (const secret of ["fabric secret", `relative/${"fabricsecret/".repeat(12)}`]) {
    const [reason = ""] = await wrong(secret);
    assert.match(reason, /^vxlan\.nodeNet: \[secret\] /);
    assert.doesNotMatch(reason, /fabricsecret|fabric secret/);
  }
});

test("a secret stands in no mistake of another network, of numbers too, and what is not secret is shown", async (context) => {
  const scenario = await Scenario.start(context);
  await scenario.checked({ spec: withSecret({ holdTime: 17 }), secrets: [...secrets, "vxlan.bgp.holdTime"] });
  const spec = { ...written, vxlan: { ...written.vxlan, vni: 230 }, routing: elsewhere };
  const found = await reasons(scenario, { ...other, spec });
  assert.match(found.join(), /vxlan\.bgp\.holdTime: 30 is not the \[secret\] of customers\.vxlan\.bgp\.holdTime/);
  assert.doesNotMatch(found.join(), /fabricsecret|\b17\b/);
});

test("a secret subnet is hidden in clashes, in the lines of a change and in commands, in whatever form it is written", async (context) => {
  const scenario = await Scenario.start(context);
  const routing = { cidr: "2001:DB8:1::/64", gateway: "2001:DB8:1::1" };
  const { podNetworks: _, ...news } = scenario.arguments({ spec: { ...written, routing }, secrets: ["routing"] });
  const { inputs, failures } = await scenario.networkState.check({}, news);
  assert.deepEqual(failures, []);
  const { commands = [] } = inputs as NetworkStateInputs;
  assert.ok(
    commands.some((command) => command.includes("from [secret]")),
    commands.join("\n"),
  );
  const moved = { ...news, spec: { ...written, routing: { ...routing, gateway: "2001:DB8:1::9" } } };
  scenario.environment.lines.length = 0;
  assert.deepEqual((await scenario.networkState.check(inputs as NetworkStateInputs, moved)).failures, []);
  const lines = scenario.environment.lines.join("\n");
  assert.match(lines, /network customers: what changes on its nodes/);
  assert.match(lines, /routing\[\[secret\]\]\.gateway: \[secret\] -> \[secret\]/);
  const clash = await reasons(scenario, {
    ...other,
    spec: { ...written, vxlan: { ...written.vxlan, vni: 230 }, routing },
  });
  assert.match(clash.join(), /^routing\.cidr: \[secret\] is already customers\.routing\[0\]\.cidr/);
  assert.doesNotMatch([...commands, ...clash, lines].join("\n"), /2001:db8:1:/i);
});

test("drift of a secret field hides both values, and the API server's answer the one that it repeats", async (context) => {
  const scenario = await Scenario.start(context);
  const { outs } = await scenario.networkState.create(await scenario.checked({ spec: withSecret(), secrets }));
  const object = scenario.server.network("customers") as PublicNetworkObject;
  assert.equal(object.apiVersion, apiVersion);
  const edited = scenario.arguments({ spec: withSecret({ passwordFile: "/etc/theirs" }) });
  const { inputs } = await scenario.networkState.check({}, { ...edited, ...other });
  scenario.server.put("publicnetworks", { ...object, spec: inputs.spec as NetworkSpec });
  const { props } = await scenario.networkState.read("customers", outs);
  assert.deepEqual(props?.drift["(cluster)"], { "spec.vxlan.bgp.passwordFile": "[secret], not [secret]" });
  scenario.server.conflictingManager = password;
  await assert.rejects(scenario.networkState.update("customers", outs, outs), (error: Error) => {
    assert.match(error.message, /conflict with "\[secret\]"/);
    return true;
  });
});
