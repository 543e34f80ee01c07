import assert from "node:assert/strict";
import { test } from "node:test";
import { credentialSources } from "../../../provider/kubernetes/credential-source.js";

const content = "apiVersion: v1\nkind: Config\n";
const around = { stackKubeconfig: content, environmentKubeconfig: "/a:/b" };

const origins = (...args: Parameters<typeof credentialSources>) =>
  credentialSources(...args).map(({ origin }) => origin);

test("what the program names is used alone", () => {
  assert.deepEqual(origins({ kubeconfig: content }, "program", around, ":"), ["the program"]);
});

test("a program that names nothing gets the first of stack configuration and environment", () => {
  assert.deepEqual(origins({}, "program", around, ":"), ["stack configuration vlan-router:kubeconfig"]);
  assert.deepEqual(origins({}, "program", { environmentKubeconfig: "/a" }, ":"), ["environment KUBECONFIG"]);
});

test("what the state holds may have been rotated: it comes last", () => {
  assert.deepEqual(origins({ kubeconfig: content }, "state", around, ":"), [
    "stack configuration vlan-router:kubeconfig",
    "environment KUBECONFIG",
    "the state",
  ]);
});

test("nothing at all is nothing: the file in the home folder is never used", () => {
  assert.deepEqual(credentialSources({}, "program", { environmentKubeconfig: "" }, ":"), []);
});

test("KUBECONFIG may name several files; a kubeconfig may be a path, YAML or JSON; the context goes along", () => {
  assert.deepEqual(credentialSources({ context: "c" }, "program", { environmentKubeconfig: "/a:/b" }, ":"), [
    { origin: "environment KUBECONFIG", kubeconfig: { kind: "paths", paths: ["/a", "/b"] }, context: "c" },
  ]);
  assert.deepEqual(credentialSources({ kubeconfig: "/etc/kube/config" }, "program", {}, ":"), [
    { origin: "the program", kubeconfig: { kind: "secretPath", path: "/etc/kube/config" } },
  ]);
  assert.deepEqual(credentialSources({ kubeconfig: '{"kind":"Config"}' }, "program", {}, ":"), [
    { origin: "the program", kubeconfig: { kind: "content", text: '{"kind":"Config"}' } },
  ]);
});

test("an Output that turned out to be something else is named, with what to give instead", () => {
  const asked = (reference: unknown) => () =>
    credentialSources(reference as { kubeconfig?: string }, "program", {}, ":");
  const nothing =
    "the program gives nothing, or an output that is not there, as kubeconfig; give the content of a kubeconfig file";
  for (const [reference, message] of [
    [{ kubeconfig: null }, nothing],
    [{ kubeconfig: "" }, nothing],
    [{ kubeconfig: 5 }, "the program gives a value of type number as kubeconfig; "],
    [{ kubeconfig: { apiVersion: "v1" } }, "the program gives a value of type object as kubeconfig; "],
    [
      { kubeconfig: "/k", context: 5 },
      "the program gives a value of type number as context; give the name of a context",
    ],
  ] as const) {
    assert.throws(asked(reference), (error: Error) => error.message.startsWith(message));
  }
  assert.deepEqual(
    asked({ kubeconfig: "/k", context: null })(),
    credentialSources({ kubeconfig: "/k" }, "program", {}, ":"),
  );
});
