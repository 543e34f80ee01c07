/**
 * The dotted name of an interface's parameter (ip-sysctl.rst). sysctl(8): a dot inside the interface's name is written as a slash.
 *
 * @param device `default` stands for what a new interface starts with
 */
export function interfaceSysctl(family: "ipv4" | "ipv6", device: string, parameter: string): string {
  return `net.${family}.conf.${device.replaceAll(".", "/")}.${parameter}`;
}
