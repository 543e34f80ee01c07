import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { inspect } from "node:util";
import { connect } from "../../../provider/kubernetes/connect.js";
import { credentialSources } from "../../../provider/kubernetes/credential-source.js";
import { KubernetesError, kubernetesError } from "../../../provider/kubernetes/kubernetes-error.js";

const secret = "hunter2-0123456789";
const base64 = Buffer.from(`users: [{name: admin, user: {token: ${secret}}}]\n`).toString("base64");

/** A kubeconfig in JSON whose user and server are given. */
function kubeconfig(user: object, server = "http://127.0.0.1:9"): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "admin", user }],
    contexts: [{ name: "ctx", context: { cluster: "c", user: "admin" } }],
    "current-context": "ctx",
  });
}

/** A credential plugin: this very Node, running a script. */
const plugin = (script: string) => ({
  exec: { apiVersion: "client.authentication.k8s.io/v1", command: process.execPath, args: ["--eval", script] },
});

const yamlUsers = `users:\n- name: admin\n  user:\n    token: ${secret}\n`;

/** What is wrong, a kubeconfig that is wrong in this way, and what the message says of it. */
const bad: readonly (readonly [string, string, RegExp])[] = [
  ["YAML, in the token's own line", `${yamlUsers}    token: "${secret}: x\n`, /is no YAML: see line \d+, column \d+/],
  ["YAML, a line later", `${yamlUsers} bad: [\n`, /is no YAML: see line \d+, column \d+/],
  ["an alias that is the token", `${yamlUsers}clusters: *${secret}\n`, /is no YAML: see line \d+/],
  ["JSON that was cut off", kubeconfig({ token: secret }).slice(0, -20), /is no YAML: see line \d+/],
  [
    "base64 in one line",
    base64,
    /taken for a path because it is one line, cannot be read \(open E(NOENT|NAMETOOLONG)\)/,
  ],
  ["YAML in one line", `users: [{name: admin, user: {token: ${secret}}}]`, /cannot be read \(open ENOENT\)/],
  ["the token alone", secret, /cannot be read \(open ENOENT\)/],
  ["an empty document", `# ${secret}\n`, /is no kubeconfig: clusters, contexts and users must be lists/],
  ["a text", `token\n${secret}\n`, /names no cluster; it has the contexts: none/],
  ["a cluster without server", `${yamlUsers}clusters:\n- name: c\n  cluster: {}\n`, /is no kubeconfig/],
  ["a server that is no URL", kubeconfig({}, secret), /server is no URL such as/],
  ["a server of another scheme", kubeconfig({}, `ftp://a:${secret}@127.0.0.1`), /server is no URL such as/],
  ["a password in the server's URL", kubeconfig({}, `http://a:${secret}@127.0.0.1:9`), /http:\/\/127\.0\.0\.1:9 /],
  ["a token that no header can hold", kubeconfig({ token: `${secret}\n.` }), /does not answer: \w+/],
  ["a password that no header can hold", kubeconfig({ token: `\u0000${secret}` }), /does not answer: \w+/],
  [
    "a key where its path should stand",
    kubeconfig({ "client-key": secret }, "https://127.0.0.1:9"),
    /names cannot be used: open ENOENT/,
  ],
  [
    "a key that is none",
    kubeconfig({ "client-key-data": btoa(secret) }, "https://127.0.0.1:9"),
    /does not answer: \w+/,
  ],
  [
    "a plugin that is not installed",
    kubeconfig({ exec: { command: "/nowhere/plugin", args: [secret] } }),
    /spawn ENOENT/,
  ],
  [
    "a plugin that fails and says why",
    kubeconfig(plugin(`console.error("${secret}"); process.exit(1)`)),
    /does not answer: Error/,
  ],
  ["a plugin that prints no JSON", kubeconfig(plugin(`console.log("${secret}")`)), /does not answer: SyntaxError/],
];

/** Everything that anybody may print of an error. */
async function everythingOf(kubeconfigText: string): Promise<string> {
  const sources = credentialSources({ kubeconfig: kubeconfigText }, "program", {}, ":");
  const error = await connect(sources).then(
    () => assert.fail("connected"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof KubernetesError, inspect(error));
  return [error.message, String(error), error.stack, inspect(error, { depth: Number.POSITIVE_INFINITY })].join("\n");
}

function assertHidden(text: string): void {
  for (const hidden of [secret, base64.slice(0, 20), btoa(secret).slice(0, 16)])
    assert.ok(!text.includes(hidden), text);
}

for (const [what, text, expected] of bad) {
  test(`a kubeconfig with a mistake shows no credentials: ${what}`, async () => {
    const shown = await everythingOf(text);
    assert.match(shown, expected);
    assertHidden(shown);
  });
}

async function serverThatAnswers(context: TestContext, code: number, body: (authorization: string) => string) {
  const server = createServer((request, response) => {
    response.writeHead(code, { "content-type": "application/json", "x-echo": request.headers.authorization });
    response.end(body(request.headers.authorization ?? ""));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const echoes: readonly (readonly [string, (authorization: string) => string, RegExp])[] = [
  ["in a text", (authorization) => `denied: ${authorization}`, /says 403: the answer is no Status object/],
  [
    "in a JSON text",
    (authorization) => JSON.stringify({ message: authorization }),
    /says 403: the answer is no Status/,
  ],
  [
    "in a Status",
    (authorization) => JSON.stringify({ kind: "Status", message: `webhook refused "authorization: ${authorization}"` }),
    /says 403: webhook refused "authorization: Bearer \(hidden\)"/,
  ],
];

for (const [what, body, expected] of echoes) {
  test(`a server that sends the credentials back, ${what} and a header, does not get them printed`, async (context) => {
    const server = await serverThatAnswers(context, 403, body);
    const shown = await everythingOf(kubeconfig({ token: secret }, server));
    assert.match(shown, expected);
    assertHidden(shown);
  });
}

test("a file of KUBECONFIG is named, its content is not shown", async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "kubeconfig-"));
  context.after(() => rm(folder, { recursive: true }));
  const path = join(folder, "config");
  await writeFile(path, `${yamlUsers} bad: [\n`);
  for (const [paths, expected] of [
    [path, `${path} is no YAML: see line 5, column 2`],
    [`${folder}/missing`, `${folder}/missing cannot be read (open ENOENT)`],
    [folder, `${folder} cannot be read (read EISDIR)`],
  ] as const) {
    const sources = credentialSources({}, "program", { environmentKubeconfig: paths }, ":");
    await assert.rejects(connect(sources), (error: Error) => {
      assert.ok(error.message.includes(`environment KUBECONFIG: ${expected}`), error.message);
      assertHidden(inspect(error));
      return true;
    });
  }
});

test("a server that accepts and says nothing is one that does not answer, so waiting goes on", () => {
  const timeout = new DOMException("The operation was aborted due to timeout", "TimeoutError");
  const { kind, message } = kubernetesError("list nodes", "https://10.0.0.1:6443", timeout);
  assert.equal(kind, "unreachable");
  assert.equal(message, "list nodes: the API server https://10.0.0.1:6443 does not answer: TimeoutError");
});
