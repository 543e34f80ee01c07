import { run } from "../processes/index.js";

/** Whether this kernel can make VLAN interfaces: tried in a network namespace of its own, not read from a list. */
export async function kernelCarriesVlan(): Promise<boolean> {
  const attempt = "ip link add p0 type veth peer name p1 && ip link add link p0 name p0.2 type vlan id 2";
  const { code } = await run(["unshare", "--net", "sh", "-c", attempt], { check: false });
  return code === 0;
}
