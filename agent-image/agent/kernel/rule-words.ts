/** A rule as `ip -details -Numeric -json rule show` prints it: a key without a value is null. */
export type PrintedRule = Readonly<Record<string, unknown>>;

/** Keys that say nothing which a rule is found by, or that are written together with another. */
const SILENT_KEYS = [
  "priority",
  "protocol",
  "unresolved",
  "iif_detached",
  "oif_detached",
  "srclen",
  "dstlen",
  "fwmask",
];

/** By key, in the order in which they are written. Undefined where iproute2 takes no such value. */
const WORDS: Readonly<Record<string, (value: unknown, rule: PrintedRule) => string | undefined>> = {
  not: () => "not",
  src: (value, { srclen }) => `from ${value}${srclen === undefined ? "" : `/${srclen}`}`,
  dst: (value, { dstlen }) => `to ${value}${dstlen === undefined ? "" : `/${dstlen}`}`,
  fwmark: (value, { fwmask }) => `fwmark ${value}${fwmask === undefined ? "" : `/${fwmask}`}`,
  tos: (value) => `tos ${value}`,
  iif: (value) => `iif ${value}`,
  oif: (value) => `oif ${value}`,
  // `ipproto-6` under -Numeric (measured).
  ipproto: (value) => withNumber("ipproto", /^ipproto-(\d+)$/.exec(`${value}`)?.[1]),
  sport: (value) => `sport ${value}`,
  sport_start: (value, { sport_end }) => `sport ${value}-${sport_end}`,
  dport: (value) => `dport ${value}`,
  dport_start: (value, { dport_end }) => `dport ${value}-${dport_end}`,
  uid_start: (value, { uid_end }) => `uidrange ${value}-${uid_end}`,
  tun_id: (value) => `tun_id ${value}`,
  l3mdev: () => "l3mdev",
  table: (value) => `lookup ${value}`,
  goto: (value) => `goto ${value}`,
  nop: () => "nop",
  action: (value) => ACTIONS[`${value}`],
  suppress_prefixlen: (value) => `suppress_prefixlength ${value}`,
  suppress_ifgroup: (value) => `suppress_ifgroup ${value}`,
  flow_from: (value, { flow_to }) => `realms ${value}/${flow_to}`,
  flow_to: (value, { flow_from }) => (flow_from === undefined ? `realms ${value}` : ""),
};

/** FR_ACT_* of linux/fib_rules.h. */
const ACTIONS: Readonly<Record<string, string>> = { "6": "blackhole", "7": "unreachable", "8": "prohibit" };

/** Ends of ranges are written with their begin. */
const KNOWN_KEYS = new Set([...Object.keys(WORDS), ...SILENT_KEYS, "sport_end", "dport_end", "uid_end"]);

/**
 * A rule in the words of `ip rule del`, but for its priority and protocol. Undefined where a part of it has no words here: without that
 * part the command would name other rules too.
 */
export function ruleWords(rule: PrintedRule): string | undefined {
  if (!Object.keys(rule).every((key) => KNOWN_KEYS.has(key))) return undefined;
  const parts = Object.entries(WORDS)
    .filter(([key]) => key in rule)
    .map(([key, write]) => write(rule[key], rule));
  return parts.includes(undefined) ? undefined : parts.filter((part) => part !== "").join(" ");
}

function withNumber(keyword: string, number: string | undefined): string | undefined {
  return number === undefined ? undefined : `${keyword} ${number}`;
}
