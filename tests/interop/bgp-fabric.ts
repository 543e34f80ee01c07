import { TestNamespaces } from "../support/namespace.js";

/** Holds the bridge that all places are plugged into. */
const spine = "spine";

/** Room for 50 bytes of VXLAN header around a frame of 1500 bytes. */
const mtu = 1600;

/** Of a place with this number. */
export const address4 = (host: number): string => `10.0.7.${host}`;
export const address6 = (host: number): string => `2001:db8:7::${host}`;

/**
 * Network namespaces with `eth0` on one segment, as nodes and routers of a fabric. Leaner than the lab, whose reflectors,
 * gateway and addresses are given: here each test chooses who is there.
 *
 * @param hosts By place its number: 11 is 10.0.7.11 and 2001:db8:7::11.
 */
export async function startFabric(hosts: Readonly<Record<string, number>>): Promise<TestNamespaces> {
  const places = Object.keys(hosts);
  const fabric = await TestNamespaces.start([spine, ...places]);
  await fabric.ip(spine, `link add underlay mtu ${mtu} type bridge`, "link set underlay up");
  for (const [place, host] of Object.entries(hosts)) {
    // Without duplicate address detection an IPv6 address can be used at once.
    await fabric.sysctl(place, "net.ipv6.conf.all.accept_dad=0", "net.ipv6.conf.default.accept_dad=0");
    await fabric.connect(place, "eth0", spine, place);
    await fabric.ip(spine, `link set ${place} mtu ${mtu} master underlay`);
    await fabric.ip(
      place,
      `link set eth0 mtu ${mtu}`,
      `address add ${address4(host)}/24 dev eth0`,
      `address add ${address6(host)}/64 dev eth0`,
    );
  }
  return fabric;
}
