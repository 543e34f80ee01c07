import {
  canonicalAddress,
  floodMac,
  lastRulePriority,
  localTable,
  mainTable,
  nftFamily,
  nftTableName,
  routeProtocol,
} from "../../../model/index.js";
import type { EventInterest } from "./event-interest.js";

/** Whether a line of a monitor is about something that a comparison with the plan would look at. */
export type Concerns = (line: string, interest: EventInterest) => boolean;

/** A line of `ip -oneline -Numeric monitor link address route rule netconf`. What is not understood concerns us. */
export const ipLineConcerns: Concerns = (line, interest) => {
  const text = line.replace(/^Deleted /, "");
  const rule = /^(\d+):\t/.exec(text);
  if (rule !== null) return ruleConcerns(Number(rule[1]), text);
  const device = /^\d+: ([^\s@:]+)/.exec(text)?.[1];
  if (device !== undefined) return interest.anyInterface || interest.devices.has(device);
  const configured = /^inet6? (\S+) /.exec(text)?.[1];
  if (configured !== undefined) return configured === "all" || interest.devices.has(configured);
  return routeConcerns(text, interest);
};

/** Behind ours too: the local table may come to be looked up too late for them, and the main table by no rule at all. */
function ruleConcerns(priority: number, text: string): boolean {
  const table = wordAfter(text, "lookup");
  return (
    priority <= lastRulePriority ||
    wordAfter(text, "proto") === `${routeProtocol}` ||
    table === `${localTable}` ||
    (table === `${mainTable}` && isAnyPacket(text))
  );
}

/** Main looked up for a part alone, such as the marked packets of an overlay, says nothing about the kernel's own rule. */
function isAnyPacket(text: string): boolean {
  return text.includes("from all ") && !text.includes(" to ") && !text.includes(" fwmark ");
}

/**
 * Routes of the main table are printed without their table; none of ours stands there. A default route makes a foreign rule that
 * looks its table up for everything take our packets; wg-quick sets it behind the rule.
 */
function routeConcerns(text: string, interest: EventInterest): boolean {
  const table = wordAfter(text, "table");
  const device = wordAfter(text, "dev");
  if (table === undefined && device === undefined && wordAfter(text, "via") === undefined) return true;
  if (wordAfter(text, "proto") === `${routeProtocol}`) return true;
  if (table === undefined) return false;
  return interest.tables.has(Number(table)) || /^(?:\d+ )?default /.test(text);
}

/**
 * A line of `bridge monitor fdb`. What the routes want there is no news when it comes, and what they do not want is none
 * when it goes, so that our own writing makes no further comparison. What the data plane learns is not ours.
 */
export const fdbLineConcerns: Concerns = (line, interest) => {
  const deleted = line.startsWith("Deleted ");
  const [mac = ""] = line.slice(deleted ? "Deleted ".length : 0).split(" ", 1);
  const vtepText = wordAfter(line, "dst");
  const wanted = interest.forwarding(wordAfter(line, "dev") ?? "");
  if (wanted === undefined) return false;
  // What the bridge is told of a remote host, where the interface is the port of one.
  if (vtepText === undefined) return deleted && line.includes(" extern_learn") && wanted.hosts.has(mac);
  const wantedVtep = wanted.hosts.get(mac);
  // Mostly it is written alike, which spares the parsing.
  const vtep = vtepText === wantedVtep ? vtepText : canonicalAddress(vtepText);
  if (mac === floodMac) return deleted === wanted.flood.has(vtep);
  const external = line.includes(" extern_learn");
  if (deleted) return wantedVtep === vtep;
  return wantedVtep === undefined ? external : wantedVtep !== vtep || !external;
};

/** A line of `bridge monitor fdb` by which a host comes to, or goes from, a port of a bridge of ours. */
export const isHostLine: Concerns = (line, interest) =>
  interest.devices.has(wordAfter(line, "master") ?? "") &&
  !line.includes(" extern_learn") &&
  !line.includes(" permanent");

/** A line of `nft monitor` for rules, chains or tables. Lines with `#` tell of generations, or that events were lost. */
export const nftLineConcerns: Concerns = (line) =>
  `${line} `.includes(` ${nftFamily} ${nftTableName} `) ||
  (line.startsWith("#") && !line.startsWith("# new generation"));

/** The word after a keyword of iproute2's output. */
function wordAfter(text: string, keyword: string): string | undefined {
  const start = text.indexOf(` ${keyword} `);
  if (start === -1) return undefined;
  const word = start + keyword.length + 2;
  const end = text.indexOf(" ", word);
  return text.slice(word, end === -1 ? undefined : end);
}
