import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { locateToolchain } from "../../lab/toolchain/index.js";
import type { BareApiServer } from "./bare-api-server.js";

/** The file with MetalLB's own definition of a kind, such as `ipaddresspools`. */
export function metallbDefinition(kind: string): string {
  return join(locateToolchain().metallbConfigDirectory, "crd", "bases", `metallb.io_${kind}.yaml`);
}

/** The files of the kinds of which a pool is made. */
export function poolDefinitions(): readonly string[] {
  return ["ipaddresspools", "l2advertisements"].map(metallbDefinition);
}

/** MetalLB as far as pools need it: its definitions and its namespace; nobody acts on them. */
export async function definePools(api: BareApiServer): Promise<void> {
  for (const file of poolDefinitions()) {
    const body = parse(await readFile(file, "utf8"));
    await api.do({ method: "POST", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body });
  }
  await api.do({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "metallb-system" } } });
}
