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
    assert.deepEqual(
      failures.map(({ property }) => property),
      ["cluster"],
    );
    assert.match(
      failures[0]?.reason ?? "",
      /leads to the cluster with uid 00000000-0000-4000-8000-00000000000b, but the state was made in the cluster with uid 5f4dcc3b-0000-4000-8000-000000000001; nothing was changed\. Give credentials of the cluster 5f4dcc3b/,
    );
  });
}
