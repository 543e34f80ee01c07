import assert from "node:assert/strict";
import { test } from "node:test";
import { unknownValue } from "../../../model/index.js";
import { replacedProvider } from "../../../provider/node-reports/replaced-provider.js";

const owner = "infra/prod urn:pulumi:prod::infra::vlan-router:index:VlanRouter::router";
const entry = { server: "https://192.0.2.1:6443", "certificate-authority-data": "QQ==" };

function kubeconfig(cluster: object, { token = "one", user = "admin" } = {}): string {
  return JSON.stringify({
    clusters: [
      { name: "other", cluster: { server: "https://192.0.2.9:6443" } },
      { name: "prod", cluster },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [
      { name: "prod", context: { cluster: "prod", user } },
      { name: "other", context: { cluster: "other", user } },
    ],
    "current-context": "prod",
  });
}

const own = { clusterIdentifier: "vlan-router" };
const given = (id: string, urn = "urn:pulumi:prod::infra::pulumi:providers:kubernetes::given") => ({ urn, id });
const state = (cluster: object, context?: string) => ({
  cluster: { kubeconfig: kubeconfig(cluster), ...(context === undefined ? {} : { context }) },
  owner,
});

test("a provider that an earlier version made is marked while the kubeconfig names the same cluster in the same words", () => {
  const before = state(entry);
  const rotated = { kubeconfig: kubeconfig(entry, { token: "two", user: "other" }) };
  for (const cluster of [before.cluster, rotated, {}, { kubeconfig: unknownValue }, { kubeconfig: "/nowhere" }]) {
    assert.deepEqual(replacedProvider(before, { cluster, owner, objectsProvider: own }), []);
  }
});

test("another address, certificate, option or context has to wait for the update that marks it", () => {
  for (const [change, context] of [
    [{ server: "https://192.0.2.2:6443" }],
    [{ "certificate-authority-data": "Qg==" }],
    [{ "disable-compression": true }],
    [{}, "other"],
  ] as const) {
    const news = { ...state({ ...entry, ...change }, context), objectsProvider: own };
    const [refusal] = replacedProvider(state(entry), news);
    assert.match(refusal?.reason ?? "", /^cluster\.kubeconfig: .* Run one update with the kubeconfig as it was/);
    assert.deepEqual(replacedProvider({ ...state(entry), objectsProvider: own }, news), []);
  }
});

test("a new router has nothing to lose", () => {
  assert.deepEqual(replacedProvider({}, { ...state(entry), objectsProvider: own }), []);
  assert.deepEqual(replacedProvider({}, { ...state(entry), objectsProvider: given(unknownValue) }), []);
});

test("a given provider that the engine makes anew is refused", () => {
  const before = { ...state(entry), objectsProvider: given("id-1") };
  const [refusal] = replacedProvider(before, { ...state(entry), objectsProvider: given(unknownValue) });
  assert.match(refusal?.reason ?? "", /^provider: .* Give it clusterIdentifier: "vlan-router" in an update of its own/);
});

test("a given provider that stays, or another one that is given, is left to the engine", () => {
  const before = { ...state(entry), objectsProvider: given("id-1") };
  for (const objectsProvider of [
    given("id-1"),
    given(unknownValue, "urn:pulumi:prod::infra::pulumi:providers:kubernetes::b"),
    own,
  ]) {
    assert.deepEqual(replacedProvider(before, { ...state(entry), objectsProvider }), []);
  }
});
