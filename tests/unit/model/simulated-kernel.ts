import {
  containsAddress,
  type Family,
  type ForwardingEntry,
  familyOf,
  linkProperties,
  type ObservedLink,
  type ObservedRoute,
  type ObservedRule,
  type ObservedState,
  type Operation,
  parsePrefix,
  sealOf,
} from "../../../model/index.js";

/**
 * A kernel that reads the commands themselves, so that what is compared with the plan is what an operator would paste. It refuses
 * what Linux refuses (facts measured on 6.18): a second interface of a name or a segment, a gateway that the table does not
 * reach yet, adding what is there, deleting what is not. Deleting an interface takes its routes, entries and sysctls along.
 */
export function applyOperations(state: ObservedState, operations: readonly Operation[]): ObservedState {
  return operations.reduce(applyOperation, state);
}

function applyOperation(state: ObservedState, operation: Operation): ObservedState {
  switch (operation.kind) {
    case "sysctl": {
      const { name, value } = operation.sysctl;
      const device = name.split(".")[3];
      if (!state.links.some((link) => link.name === device)) throw refused(name, "no such file");
      return { ...state, sysctls: { ...state.sysctls, [name]: value } };
    }
    case "filter": {
      const { filter: _, ...rest } = state;
      if (operation.ruleset === undefined) return rest;
      return { ...rest, filter: { listing: operation.ruleset, seal: sealOf(operation.ruleset, operation.ruleset) } };
    }
    case "ethtool":
      return setOffload(state, operation.command);
    default:
      return applyCommand(state, operation.command);
  }
}

function setOffload(state: ObservedState, command: string): ObservedState {
  const [, name, value] = /^ethtool --offload (\S+) tx-checksum-ip-generic (on|off)$/.exec(command) ?? [];
  const link = state.links.find((other) => other.name === name && other.kind === "vxlan");
  if (link === undefined) throw refused(command, "No such device");
  const changed: ObservedLink = { ...link, txChecksum: value === "on" };
  return { ...state, links: state.links.map((other) => (other === link ? changed : other)) };
}

function applyCommand(state: ObservedState, command: string): ObservedState {
  const words = command.split(" ").map((word) => word.replace(/^'(.*)'$/, "$1"));
  const [program = "", ...rest] = words;
  const option = /^-([46])$/.exec(rest[0] ?? "")?.[1];
  const family: Family = option === "6" ? 6 : 4;
  const [object, verb, ...args] = option === undefined ? rest : rest.slice(1);
  switch (`${program} ${object} ${verb}`) {
    case "ip address add":
      return addLinkLocal(state, command, wordAfter(args, "dev"));
    case "ip link add":
      return addLink(state, command, args);
    case "ip link set":
      return setLink(state, command, args);
    case "ip link del":
      return deleteLink(state, command, wordAfter(args, "dev"));
    case "ip route add":
    case "ip route replace":
    case "ip route del":
      return changeRoute(state, command, verb ?? "", family, args);
    case "ip rule add":
    case "ip rule del":
      return changeRule(state, command, verb ?? "", family, args);
    case "bridge fdb append":
    case "bridge fdb replace":
    case "bridge fdb del":
      return changeForwarding(state, command, verb ?? "", args);
    default:
      throw refused(command, "unknown command");
  }
}

function refused(command: string, reason: string): Error {
  return new Error(`${command}: ${reason}`);
}

/** The word after a keyword. */
function wordAfter(args: readonly string[], keyword: string): string | undefined {
  const index = args.indexOf(keyword);
  return index === -1 ? undefined : args[index + 1];
}

function addLink(state: ObservedState, command: string, args: readonly string[]): ObservedState {
  const [head, tail] = [args.slice(0, args.indexOf("type")), args.slice(args.indexOf("type"))];
  const kind = wordAfter(tail, "type") ?? "";
  const name = wordAfter(head, "name") ?? "";
  const parent = wordAfter(head, "link");
  const mac = wordAfter(head, "address");
  const group = wordAfter(head, "group");
  const id = Number(wordAfter(tail, "id"));
  const link: ObservedLink = {
    name,
    kind,
    ...(group === undefined ? {} : { group: Number(group) }),
    mtu: Number(wordAfter(head, "mtu")),
    up: false,
    ...(mac === undefined ? {} : { mac }),
    ...(parent === undefined ? {} : { parent }),
    ...(kind === "vlan" ? { vlan: { id } } : {}),
    ...(kind === "vxlan" ? { vxlan: { vni: id, port: Number(wordAfter(tail, "dstport")), ...tunnelOf(tail) } } : {}),
  };
  if (state.links.some((other) => other.name === name)) throw refused(command, "File exists");
  if (state.links.some((other) => segmentOf(other) === segmentOf(link))) throw refused(command, "segment exists");
  const lower = state.links.find((other) => other.name === parent);
  if (parent !== undefined && lower === undefined) throw refused(command, `no device ${parent}`);
  if (lower !== undefined && lower.mtu < link.mtu) throw refused(command, "Numerical result out of range");
  return {
    ...state,
    links: [...state.links, link],
    forwarding: kind === "vxlan" ? { ...state.forwarding, [name]: [] } : state.forwarding,
  };
}

function segmentOf({ name, parent, vlan, vxlan }: ObservedLink): string {
  if (vlan !== undefined) return `${parent}.${vlan.id}`;
  return vxlan === undefined ? name : `${vxlan.vni} ${vxlan.port}`;
}

function tunnelOf(args: readonly string[]): { readonly local: string; readonly learning: boolean } {
  return { local: wordAfter(args, "local") ?? "", learning: args.includes("learning") };
}

function setLink(state: ObservedState, command: string, args: readonly string[]): ObservedState {
  const name = wordAfter(args, "dev");
  const link = state.links.find((other) => other.name === name);
  if (link === undefined) throw refused(command, "no such device");
  const alias = wordAfter(args, "alias");
  const mtu = wordAfter(args, "mtu");
  const mac = wordAfter(args, "address");
  const group = wordAfter(args, "group");
  const master = wordAfter(args, "master");
  const isPortOption = args.includes("bridge_slave");
  if (master !== undefined && !state.links.some(({ name: other, kind }) => other === master && kind === "bridge")) {
    throw refused(command, "Device does not allow enslaving");
  }
  if (isPortOption && link.master === undefined) throw refused(command, "Operation not supported");
  const left = withoutStrays(link, command);
  const { master: _, portLearning: _learning, ...free } = left;
  const changed: ObservedLink = {
    ...(args.includes("nomaster") ? free : left),
    ...(mac === undefined ? {} : { mac }),
    ...(group === undefined ? {} : { group: Number(group) }),
    ...(master === undefined ? {} : { master, portLearning: true }),
    ...(isPortOption ? { portLearning: wordAfter(args, "learning") === "on" } : {}),
    ...(alias === undefined ? {} : { alias }),
    ...(mtu === undefined ? {} : { mtu: Number(mtu) }),
    ...(args.includes("up") ? { up: true } : {}),
    ...(wordAfter(args, "type") === "vxlan" && link.vxlan !== undefined
      ? { vxlan: { ...link.vxlan, ...tunnelOf(args) } }
      : {}),
  };
  return { ...state, links: state.links.map((other) => (other === link ? changed : other)) };
}

function addLinkLocal(state: ObservedState, command: string, name: string | undefined): ObservedState {
  const held = state.links.find((link) => link.name === name);
  // It has the address, and the kernel takes none twice.
  if (held?.withoutLinkLocal !== true) throw refused(command, "File exists");
  const { withoutLinkLocal: _, ...link } = held;
  return { ...state, links: state.links.map((other) => (other === held ? link : other)) };
}

/** A property is what its words set it to. */
function withoutStrays({ strays = [], ...link }: ObservedLink, command: string): ObservedLink {
  const isSet = (stray: string): boolean =>
    linkProperties.some(
      (property) => property.name === stray && "words" in property && `${command} `.includes(` ${property.words} `),
    );
  const left = strays.filter((stray) => !isSet(stray));
  return left.length === 0 ? link : { ...link, strays: left };
}

function deleteLink(state: ObservedState, command: string, name: string | undefined): ObservedState {
  if (!state.links.some((link) => link.name === name)) throw refused(command, "no such device");
  const without = <Value>(record: Readonly<Record<string, Value>>, deviceOf: (key: string) => string | undefined) =>
    Object.fromEntries(Object.entries(record).filter(([key]) => deviceOf(key) !== name));
  return {
    ...state,
    links: state.links.filter((link) => link.name !== name).map((link) => withoutMaster(link, name)),
    addresses: state.addresses.filter(({ device }) => device !== name),
    routes: state.routes.filter(({ device }) => device !== name),
    sysctls: without(state.sysctls, (key) => key.split(".")[3]),
    forwarding: without(state.forwarding, (key) => key),
  };
}

/** A bridge that is deleted lets its ports go. */
function withoutMaster(link: ObservedLink, bridge: string | undefined): ObservedLink {
  const { master, portLearning: _, ...free } = link;
  return master === bridge ? free : link;
}

function changeRoute(
  state: ObservedState,
  command: string,
  verb: string,
  family: Family,
  args: readonly string[],
): ObservedState {
  const destination = args[0] ?? "";
  const table = Number(wordAfter(args, "table"));
  const protocol = Number(wordAfter(args, "protocol"));
  const isSame = (route: ObservedRoute) =>
    route.family === family && route.table === table && route.destination === destination;
  const held = state.routes.find(isSame);
  if (verb === "del") {
    if (held === undefined || held.protocol !== protocol) throw refused(command, "No such process");
    return { ...state, routes: state.routes.filter((route) => route !== held) };
  }
  if (verb === "add" && held !== undefined) throw refused(command, "File exists");
  const device = wordAfter(args, "dev") ?? "";
  if (!state.links.some((link) => link.name === device && link.up)) throw refused(command, "Network is down");
  const gateway = wordAfter(args, "via");
  const onlink = args.includes("onlink");
  if (gateway !== undefined && !onlink && !isReached(state, family, table, device, gateway)) {
    throw refused(command, "Nexthop has invalid gateway");
  }
  const route: ObservedRoute = {
    family,
    table,
    destination,
    protocol,
    device,
    ...(gateway === undefined ? {} : { gateway }),
    onlink,
    plain: true,
  };
  return { ...state, routes: [...state.routes.filter((other) => other !== held), route] };
}

/** A link-local gateway needs no route. */
function isReached(state: ObservedState, family: Family, table: number, device: string, gateway: string): boolean {
  if (gateway.startsWith("fe80:")) return true;
  return state.routes.some((route) => {
    const prefix = parsePrefix(route.destination);
    const address = parsePrefix(`${gateway}/${familyOf(gateway) === 4 ? 32 : 128}`);
    return (
      route.family === family &&
      route.table === table &&
      route.device === device &&
      route.gateway === undefined &&
      prefix !== undefined &&
      address !== undefined &&
      containsAddress(prefix, address)
    );
  });
}

function changeRule(
  state: ObservedState,
  command: string,
  verb: string,
  family: Family,
  args: readonly string[],
): ObservedState {
  const from = wordAfter(args, "from");
  const to = wordAfter(args, "to");
  const [value, mask] = (wordAfter(args, "fwmark") ?? "").split("/");
  const table = wordAfter(args, "lookup");
  const rule: ObservedRule = {
    family,
    priority: Number(wordAfter(args, "priority")),
    protocol: Number(wordAfter(args, "protocol")),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(value === "" || value === undefined ? {} : { mark: { value: Number(value), mask: Number(mask) } }),
    action:
      table === undefined ? { kind: "unreachable" } : { kind: "lookup", table: table === "main" ? 254 : Number(table) },
    plain: true,
  };
  const key = ruleText(rule);
  const index = state.rules.findIndex((other) => ruleText(other) === key);
  if (verb === "add") {
    if (index !== -1) throw refused(command, "File exists");
    return { ...state, rules: [...state.rules, rule] };
  }
  if (index === -1) throw refused(command, "No such file or directory");
  return { ...state, rules: state.rules.toSpliced(index, 1) };
}

/** Every field in a fixed order. */
export function ruleText({ family, priority, protocol, from, to, mark, action, plain }: ObservedRule): string {
  return JSON.stringify([family, priority, protocol, from, to, mark?.value, mark?.mask, action, plain]);
}

function changeForwarding(state: ObservedState, command: string, verb: string, args: readonly string[]): ObservedState {
  const [mac = ""] = args;
  const device = wordAfter(args, "dev") ?? "";
  const vtep = wordAfter(args, "dst") ?? "";
  const held = state.forwarding[device];
  if (held === undefined) throw refused(command, "no such device");
  const isSame = (entry: ForwardingEntry) => entry.mac === mac && (verb === "replace" || entry.vtep === vtep);
  const others = held.filter((entry) => !isSame(entry));
  const entry: ForwardingEntry = { mac, vtep, external: args.includes("extern_learn") };
  if (verb === "del" && others.length === held.length) throw refused(command, "No such file or directory");
  return { ...state, forwarding: { ...state.forwarding, [device]: verb === "del" ? others : [...others, entry] } };
}
