import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Agent } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ServiceAccount } from "../../../../agent-image/agent/cluster/service-account.js";

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "service-account-"));
  writeFileSync(join(folder, "ca.crt"), "first authority");
  writeFileSync(join(folder, "token"), "first-token\n");
});
after(() => rmSync(folder, { recursive: true }));

const account = (host: string) =>
  new ServiceAccount({ KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: "443" }, folder);

test("the address is what the kubelet says, IPv6 in brackets", async () => {
  assert.equal((await account("10.96.0.1").access()).server, "https://10.96.0.1:443");
  assert.equal((await account("fd00:10:96::1").access()).server, "https://[fd00:10:96::1]:443");
});

test("a renewed token is used at once; a renewed authority after a failure, until which connections are kept", async () => {
  const credentials = account("10.96.0.1");
  const first = await credentials.access();
  assert.deepEqual(first.headers, { Authorization: "Bearer first-token" });
  const authority = ({ agent }: typeof first) => (agent as Agent).options.ca;
  assert.deepEqual([authority(first), agentKeeps(first)], ["first authority", true]);
  writeFileSync(join(folder, "token"), "second-token\n");
  writeFileSync(join(folder, "ca.crt"), "second authority");
  const second = await credentials.access();
  assert.equal(second.headers.Authorization, "Bearer second-token");
  assert.equal(second.agent, first.agent);
  credentials.forget();
  assert.equal(authority(await credentials.access()), "second authority");
});

function agentKeeps({ agent }: Awaited<ReturnType<ServiceAccount["access"]>>): boolean | undefined {
  return (agent as Agent).options.keepAlive;
}

test("outside a pod it says what to name instead", () => {
  assert.throws(() => new ServiceAccount({}, folder), /KUBERNETES_SERVICE_HOST .*--kubeconfig, or .*--config/);
});
