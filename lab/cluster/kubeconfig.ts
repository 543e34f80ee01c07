import type { ClusterKeys } from "./certificates.js";

/**
 * A kubeconfig file for one user, with all keys inside, so that it also works where the lab's folder is not visible. JSON,
 * which every reader of a kubeconfig takes as YAML.
 *
 * @param name name of the user's certificate
 */
export function kubeconfig(name: string, server: string, keys: ClusterKeys): string {
  const { certificate, key } = keys.pair(name);
  const cluster = { server, "certificate-authority-data": base64(keys.authority) };
  const user = { "client-certificate-data": base64(certificate), "client-key-data": base64(key) };
  const context = "lab";
  return `${JSON.stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: context, cluster }],
      users: [{ name, user }],
      contexts: [{ name: context, context: { cluster: context, user: name } }],
      "current-context": context,
    },
    undefined,
    2,
  )}\n`;
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
