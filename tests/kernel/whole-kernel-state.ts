import type { TestNamespaces } from "../support/namespace.js";

/** Output by command, lines sorted. */
export type WholeKernelState = Readonly<Record<string, readonly string[]>>;

const COMMANDS = [
  "ip -brief address show",
  "ip -4 route show table all",
  "ip -6 route show table all",
  "ip -4 rule show",
  "ip -6 rule show",
  "ip neighbour show nud permanent",
  "bridge fdb show",
  "nft --stateless list ruleset",
  "sysctl -a -r ^net[.]ipv[46][.]conf[.]",
] as const;

const LINKS = "ip -details -json link show";

/** Of a link: the number that the kernel gives in the order of creation, and timers of bridges. */
const passing = (key: string): boolean => key === "ifindex" || key.endsWith("_timer");

/**
 * Everything in a network namespace that an agent could touch, its own and what belongs to others. Lines are sorted, because rules of
 * one priority stand in the order in which they came, and routes in that of their devices.
 *
 * Two things depend on what was before, as they should, and are left out: which mark a table has, for it keeps the one that it got first
 * (`MARK of TABLE` stands in its place); and sysctls of a bridge's ports, which have no effect and are nobody's to set.
 */
export async function wholeKernelState(namespaces: TestNamespaces, place: string): Promise<WholeKernelState> {
  const commands = [...COMMANDS, LINKS];
  const script = commands.map((command) => `${command}\nprintf '\\0'`).join("\n");
  const outputs = (await namespaces.exec(place, ["sh", "-e", "-c", script])).stdout.split("\0");
  const texts = new Map(commands.map((command, index) => [command, outputs[index] ?? ""]));
  const links = JSON.parse(texts.get(LINKS) ?? "[]") as readonly Link[];
  const marks = tablesByMark(texts.get("ip -4 rule show") ?? "");
  const ports = links.filter(({ master }) => master !== undefined).map(({ ifname }) => ifname);
  return Object.fromEntries(
    [...texts].map(([command, text]) => {
      const lines = command === LINKS ? linkLines(links) : text.split("\n");
      return [
        command,
        lines
          .filter((line) => !ports.some((port) => line.includes(`.conf.${port}.`)))
          .map((line) => withoutMarks(line, marks))
          .sort(),
      ];
    }),
  );
}

interface Link {
  readonly ifname: string;
  readonly master?: string;
}

function tablesByMark(rules: string): ReadonlyMap<number, string> {
  const lookups = rules.matchAll(/fwmark (0x[0-9a-f]+)\/0x[0-9a-f]+ lookup (\d+)/g);
  return new Map([...lookups].map(([, mark, table]) => [Number(mark), `MARK of ${table}`]));
}

/** In rules of the kernel and of nft, which prints a masked assignment as `& REST | MARK`, and in the digest of our nft table. */
function withoutMarks(line: string, marks: ReadonlyMap<number, string>): string {
  const named = (mark: string): string => marks.get(Number(mark)) ?? mark;
  return line
    .replace(/fwmark (0x[0-9a-f]+)/, (_, mark: string) => `fwmark ${named(mark)}`)
    .replace(/meta mark & 0x[0-9a-f]+ \| (0x[0-9a-f]+)/, (_, mark: string) => `meta mark = ${named(mark)}`)
    .replace(/chain seal-[0-9a-f-]+/, "chain seal");
}

/** One line for each property, so that a difference names it. */
function linkLines(links: readonly Link[]): readonly string[] {
  return links.flatMap((link) => propertyLines(link.ifname, link));
}

function propertyLines(path: string, value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${path}: ${JSON.stringify(value)}`];
  return Object.entries(value)
    .filter(([key]) => !passing(key))
    .flatMap(([key, inner]) => propertyLines(`${path} ${key}`, inner));
}
