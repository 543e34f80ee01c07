import { nearestKey } from "./nearest-key.js";

/** Stands where a secret stood: mistakes end up in logs, in CI and in the status of Kubernetes objects. */
const hidden = "(hidden)";

const secretWord = /pass|secret|token/i;
/** As in `password=…` or `{password:…}`, where a slip of the pen made one text of key and value. */
const secretInText = /(pass|secret|token)\w*\s*[\s:=]/i;

/** Whether what stands under a key may be a secret; a misspelt `pasword` holds one too. */
export function isSecretKey(key: string): boolean {
  return secretWord.test(key) || nearestKey(key, ["password"]) !== undefined;
}

/** The key without a secret that was written into it. */
export function withoutSecret(key: string): string {
  return secretInText.test(key) ? `${/^\w*/.exec(key)?.[0]}…` : key;
}

/** The value with every secret inside replaced; the order of keys stays. */
export function hideSecrets(value: unknown): unknown {
  if (typeof value === "string") return secretInText.test(value) ? hidden : value;
  if (Array.isArray(value)) return value.map(hideSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, nested]) => [withoutSecret(key), isSecretKey(key) ? hidden : hideSecrets(nested)]),
  );
}
