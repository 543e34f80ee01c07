import { passwordDirectory } from "../kubernetes/agent-files.js";

/** A key that people expect and that is not taken: with a reason of its own, because no nearest key would help. */
export interface UnsupportedKey {
  /** Continues the key as a sentence. */
  readonly message: string;
  readonly remedy: string;
}

const secret: UnsupportedKey = {
  message: "is not taken, because the agent may not read Secrets",
  remedy: `name the Secret as bgpPasswordSecret of the VlanRouter, and write passwordFile: ${passwordDirectory}/KEY`,
};

const unsupported: Readonly<Record<string, UnsupportedKey>> = {
  "vxlan.bgp.password": {
    message: "is not taken, because many may read a configuration, its plans and its logs",
    remedy: "write it into a file on the nodes, and the path of the file as passwordFile",
  },
  "vxlan.bgp.passwordSecret": secret,
  "vxlan.bgp.passwordSecretRef": secret,
};

/** By place in the normal form without list positions, such as `vxlan.bgp.password`. */
export function unsupportedKey(place: string): UnsupportedKey | undefined {
  return Object.hasOwn(unsupported, place) ? unsupported[place] : undefined;
}
