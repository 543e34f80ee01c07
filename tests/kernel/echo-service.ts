import type { TestNamespaces } from "../support/namespace.js";

/** Much more than a segment and more than the first windows of both sides: data and acknowledgements must flow. */
const PAYLOAD_BYTES = 100_000;
export const PAYLOAD = "0123456789abcdef".repeat(PAYLOAD_BYTES / 16);

/** The kernel repeats a lost SYN after 1 s and again after 2 s; what does not come through then will not. */
const CONNECT_SECONDS = 4;
/** Busy machines stop for long, and an emulated one on them for longer. */
const SILENCE_SECONDS = 40;

/** Serves TCP until the namespaces end: says the place's name, then sends back all that it gets. */
export async function serveEcho(net: TestNamespaces, place: string, address: string, port: number): Promise<void> {
  const { tcp, host } = socatAddress(address);
  const listen = `${tcp}-LISTEN:${port},bind=${host},fork,reuseaddr,backlog=128`;
  const script = `socat ${listen} SYSTEM:'echo ${place}; exec cat' </dev/null >/dev/null 2>&1 &
until [ -n "$(ss -Hltn "src ${host}:${port}")" ]; do sleep 0.02; done`;
  await net.exec(place, ["sh", "-c", script], { timeout: 10_000 });
}

/**
 * Sends the payload to an echo service and reads all of it back.
 *
 * @param silenceSeconds of an open connection, after which the client gives up
 * @returns the server's name; undefined where not all came back
 */
export async function echo(
  net: TestNamespaces,
  place: string,
  address: string,
  silenceSeconds = SILENCE_SECONDS,
): Promise<string | undefined> {
  const { tcp, host } = socatAddress(address);
  const client = ["socat", "-t", `${silenceSeconds}`, "-T", `${silenceSeconds}`, "-"];
  const { stdout } = await net.exec(place, [...client, `${tcp}:${host}:80,connect-timeout=${CONNECT_SECONDS}`], {
    input: PAYLOAD,
    check: false,
  });
  const [name, answer] = stdout.split("\n");
  return answer === PAYLOAD ? name : undefined;
}

/** In the words of socat(1) and ss(8), which both put IPv6 addresses in brackets. */
function socatAddress(address: string): { readonly tcp: "TCP4" | "TCP6"; readonly host: string } {
  return address.includes(":") ? { tcp: "TCP6", host: `[${address}]` } : { tcp: "TCP4", host: address };
}
