import assert from "node:assert/strict";
import { test } from "node:test";
import { unknownValue } from "../../../model/index.js";
import type { CheckedCluster } from "../../../provider/ask-cluster.js";
import { podNetworks, router } from "../../support/network-fixtures.js";
import { Scenario } from "./scenario.js";

interface Checked {
  readonly inputs: CheckedCluster;
  readonly failures: readonly { readonly property: string; readonly reason: string }[];
}

const uid = "5f4dcc3b-0000-4000-8000-000000000001";
const owner = "infra/prod urn:pulumi:prod::infra::vlan-router:index:VlanRouter::router";

const held = { cluster: {}, clusterUid: uid };

/** A check of each resource. */
const checks: Readonly<Record<string, (scenario: Scenario, olds: object, cluster: object) => Promise<Checked>>> = {
  NetworkState: async (scenario, olds, cluster) =>
    (await scenario.networkState.check(olds, scenario.arguments({ cluster }))) as Checked,
  NodeReports: ({ nodeReports }, olds, cluster) => nodeReports.check(olds, { cluster, owner }),
  AgentRollout: ({ agentRollout }, olds, cluster) =>
    agentRollout.check(olds, { cluster, image: "agent:1", podNetworks, timeoutSeconds: 60 }),
};

for (const [resource, check] of Object.entries(checks)) {
  test(`${resource}: the checked inputs name the cluster, and keep its name while it cannot be asked`, async (context) => {
    const scenario = await Scenario.start(context);
    const annotations = { "vlan-router.io/owner": owner };
    scenario.server.put("vlanrouters", { ...router, metadata: { name: "default", annotations } });
    const cluster = { kubeconfig: scenario.server.kubeconfig };
    for (const olds of [{}, held]) {
      const { inputs, failures } = await check(scenario, olds, cluster);
      assert.deepEqual([inputs.clusterUid, failures], [uid, []]);
    }
    const later = await check(scenario, held, { kubeconfig: unknownValue });
    assert.deepEqual([later.inputs.clusterUid, later.failures], [uid, []]);
    await scenario.server.stop();
    const unreached = await check(scenario, held, cluster);
    assert.deepEqual([unreached.inputs.clusterUid, unreached.failures], [uid, []]);
    assert.equal((await check(scenario, {}, cluster)).inputs.clusterUid, undefined);
  });

  test(`${resource}: another cluster behind the same address is refused by the check, before anything is touched`, async (context) => {
    const scenario = await Scenario.start(context);
    scenario.server.clusterUid = "00000000-0000-4000-8000-00000000000b";
    const { failures } = await check(scenario, held, { kubeconfig: scenario.server.kubeconfig });
    assert.equal(failures.length, 1);
    assert.match(
      failures[0]?.reason ?? "",
      /^cluster: .*leads to the cluster with uid 00000000-0000-4000-8000-00000000000b, but the state was made in the cluster with uid 5f4dcc3b-0000-4000-8000-000000000001; nothing was changed\. Give credentials of the cluster 5f4dcc3b/,
    );
  });
}

/** What must be mended, a cluster with that mistake, and what each check says of it. */
const mended: readonly (readonly [string, (kubeconfig: string) => object, RegExp])[] = [
  [
    "a context that the kubeconfig does not have",
    (kubeconfig) => ({ kubeconfig, context: "prod-east" }),
    /^cluster\.context: the cluster cannot be used: the program: it has no context "prod-east", but fake; write one of its contexts, or leave the key out to use its current one$/,
  ],
  [
    "a kubeconfig that is not there",
    () => ({ kubeconfig: "/nowhere/secret-token" }),
    /^cluster\.kubeconfig: .* the value, taken for a path because it is one line, cannot be read \(open ENOENT\); give a kubeconfig's content or its path$/,
  ],
  [
    "a kubeconfig that is none",
    () => ({ kubeconfig: "- secret-token\n- [\n" }),
    /^cluster\.kubeconfig: .* it is no YAML: see line 3, column 1$/,
  ],
  [
    "no kubeconfig at all",
    () => ({}),
    /^cluster\.kubeconfig: no credentials for the cluster: give cluster\.kubeconfig/,
  ],
  [
    "credentials that are refused",
    (kubeconfig) => ({ kubeconfig: kubeconfig.replace("secret-token", "secret-token-of-yesterday") }),
    /^cluster\.kubeconfig: .* says 401: it does not take the credentials of the kubeconfig; renew the token or certificate/,
  ],
];

for (const [resource, check] of Object.entries(checks)) {
  for (const [what, clusterOf, reason] of mended) {
    test(`${resource}: ${what} is refused at preview with path, reason and remedy, and without the secret`, async (context) => {
      const scenario = await Scenario.start(context);
      const { failures } = await check(scenario, {}, clusterOf(scenario.server.kubeconfig));
      assert.equal(failures.length, 1);
      assert.equal(failures[0]?.property, "");
      assert.match(failures[0]?.reason ?? "", reason);
      assert.doesNotMatch(failures[0]?.reason ?? "", /secret-token/);
      assert.deepEqual(scenario.environment.lines, []);
    });
  }
}

test("what the credentials may not read is refused at preview with the remedy; a network without a pool reads nothing of MetalLB's", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.forbiddenKinds.add("publicnetworks");
  const { failures } = await scenario.networkState.check({}, scenario.arguments());
  assert.equal(failures.length, 1);
  assert.match(
    failures[0]?.reason ?? "",
    /^cluster\.kubeconfig: list publicnetworks: .* says 403: publicnetworks is forbidden; give their user that permission, or give the kubeconfig of one who has it$/,
  );
  assert.deepEqual(
    scenario.server.requests.filter(({ path }) => path.includes("metallb")),
    [],
  );
});

test("a cluster that does not answer is told once, whatever is checked and however often", async (context) => {
  const scenario = await Scenario.start(context);
  const cluster = { kubeconfig: scenario.server.kubeconfig };
  await scenario.server.stop();
  for (const check of [...Object.values(checks), ...Object.values(checks)]) {
    assert.deepEqual((await check(scenario, {}, cluster)).failures, []);
  }
  assert.equal(scenario.environment.lines.length, 1);
  const another = { kubeconfig: cluster.kubeconfig.replaceAll('"fake"', '"another"') };
  assert.deepEqual((await scenario.networkState.check({}, scenario.arguments({ cluster: another }))).failures, []);
  assert.equal(scenario.environment.lines.length, 2);
});
