import { type Command, inside, ip } from "./command.js";

/**
 * New IPv4 namespaces take over the machine's values (net.core.devconf_inherit_init_net), and the larger of `all` and the
 * interface's own counts. Without rp_filter what a test sees depends on the lab's routes alone.
 */
const SYSCTLS = ["net.ipv4.conf.all.rp_filter=0", "net.ipv4.conf.default.rp_filter=0"];

export const FORWARDING = "net.ipv4.ip_forward=1";

/** Makes a network namespace with the sysctls that the lab wants, before its first interface takes over the defaults. */
export function namespace(name: string, ...sysctls: readonly string[]): readonly Command[] {
  return [
    ["ip", "netns", "add", name],
    inside(name, "sysctl", "-qw", ...SYSCTLS, ...sysctls),
    ip(name, "link", "set", "lo", "up"),
  ];
}

export interface LinkEnd {
  readonly namespace: string;
  readonly name: string;
}

/** A cable between two namespaces, both ends up. */
export function cable(a: LinkEnd, b: LinkEnd, mtu: number): readonly Command[] {
  return [
    ["ip", "link", "add", a.name, "netns", a.namespace, "mtu", String(mtu), "type", "veth"].concat([
      "peer",
      "name",
      b.name,
      "netns",
      b.namespace,
      "mtu",
      String(mtu),
    ]),
    ip(a.namespace, "link", "set", a.name, "up"),
    ip(b.namespace, "link", "set", b.name, "up"),
  ];
}
