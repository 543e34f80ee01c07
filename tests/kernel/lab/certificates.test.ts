import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { certificates, makeCertificates } from "../../../lab/cluster/certificates.js";
import { run } from "../../../lab/processes/index.js";

const DAY_MS = 24 * 3600 * 1000;

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "certificates-"));
  await makeCertificates(folder);
});

after(() => rm(folder, { recursive: true }));

const openssl = async (...args: readonly string[]) => (await run(["openssl", ...args], { cwd: folder })).stdout;

test("openssl accepts every certificate for what it is meant for", async () => {
  for (const { name, usage } of certificates) {
    const purpose = usage === "serverAuth" ? "sslserver" : "sslclient";
    assert.equal(await openssl("verify", "-CAfile", "ca.crt", "-purpose", purpose, `${name}.crt`), `${name}.crt: OK\n`);
  }
});

for (const address of ["127.0.0.1", "10.96.0.1", "10.0.7.10", "169.254.77.2"]) {
  test(`the API server may be called ${address}`, async () => {
    const text = await openssl("x509", "-noout", "-in", "kube-apiserver.crt", "-checkip", address);
    assert.equal(text, `IP ${address} does match certificate\n`);
  });
}

test("a node is who Kubernetes takes it for", async () => {
  const subject = await openssl("x509", "-noout", "-subject", "-nameopt", "RFC2253", "-in", "node-n2.crt");
  assert.equal(subject, "subject=CN=system:node:n2,O=system:nodes\n");
  const text = await openssl("x509", "-noout", "-in", "kubelet-n2.crt", "-checkip", "10.0.7.12");
  assert.equal(text, "IP 10.0.7.12 does match certificate\n");
});

test("valid from yesterday for years, so that neither a clock's step nor a suspended machine ends it", async () => {
  const text = await openssl("x509", "-noout", "-dates", "-in", "admin.crt");
  const [begin = 0, end = 0] = Array.from(
    text.matchAll(/=(.*)$/gm),
    ([, date]) => Date.parse(String(date)) - Date.now(),
  );
  assert.ok(begin < -0.9 * DAY_MS && begin > -1.1 * DAY_MS, text);
  assert.ok(end > 3600 * DAY_MS, text);
});

test("a second call changes nothing, and a lost certificate is made again", async () => {
  const before = await readFile(join(folder, "admin.crt"), "utf8");
  await rm(join(folder, "kube-proxy.crt"));
  const keys = await makeCertificates(folder);
  assert.equal(await readFile(join(folder, "admin.crt"), "utf8"), before);
  assert.equal(keys.pair("admin").certificate, before);
  assert.equal(await openssl("verify", "-CAfile", "ca.crt", "kube-proxy.crt"), "kube-proxy.crt: OK\n");
});

test("nobody else reads the keys", async () => {
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
});
