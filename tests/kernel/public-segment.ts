import { TestNamespaces } from "../support/namespace.js";

/** The public address that the tests call, on port 80. */
export const VIP = "203.0.113.10";
export const CLIENT = "192.0.2.9";
/** A pod with a server on port 80, on the node itself. */
export const POD = "10.244.1.5";
/** A pod without a server, on the node itself. */
export const CALLER = "10.244.1.9";
/** A pod with a server on port 80, on the other node. */
export const REMOTE_POD = "10.244.2.5";
export const NODE = "10.0.7.5";
/** The gateway's VTEP and that of a host on the public segment. */
export const VTEPS = ["10.0.7.19", "10.0.7.20"];
export const HOST = "203.0.113.66";

/**
 * The public segment is VNI 228 over the underlay 10.0.7.0/24. In it are the provider's gateway 203.0.113.1, which leads to the client,
 * and a host. The node n1 gets its own end from the product. Its default gateway is the wrong door: 10.0.7.1 knows no way
 * to the client.
 *
 * @param others Further places to make, for the caller to connect.
 */
export async function startPublicSegment(others: readonly string[] = []): Promise<TestNamespaces> {
  const places = [
    "n1",
    "n2",
    "gateway",
    "host",
    "door",
    "client",
    "pod",
    "caller",
    "remote-pod",
    "underlay",
    ...others,
  ];
  const net = await TestNamespaces.start(places);
  const routers = new Set(["n1", "n2", "gateway"]);
  await Promise.all(
    places.map((place) =>
      net.sysctl(
        place,
        ...["all", "default"].flatMap((name) => [
          `net.ipv4.conf.${name}.rp_filter=0`,
          `net.ipv6.conf.${name}.accept_dad=0`,
        ]),
        ...(routers.has(place) ? ["net.ipv4.ip_forward=1"] : []),
      ),
    ),
  );

  await net.ip("underlay", "link add br0 mtu 1600 type bridge", "link set br0 up");
  const underlay = { n1: NODE, n2: "10.0.7.12", gateway: "10.0.7.19", host: "10.0.7.20", door: "10.0.7.1" };
  await net.ip(
    "underlay",
    ...Object.keys(underlay).flatMap((place) => [
      `link add ${place} type veth peer name eth0 netns ${place}`,
      `link set ${place} mtu 1600 master br0 up`,
    ]),
  );
  await Promise.all(
    Object.entries(underlay).map(([place, address]) =>
      net.ip(place, "link set eth0 mtu 1600 up", `address add ${address}/24 dev eth0`),
    ),
  );
  await net.ip("n1", "route add default via 10.0.7.1", "route add 10.244.2.0/24 via 10.0.7.12");
  await net.ip("n2", "route add default via 10.0.7.1", "route add 10.244.1.0/24 via 10.0.7.5");

  for (const [place, address] of [
    ["gateway", "203.0.113.1"],
    ["host", HOST],
  ] as const) {
    await net.ip(
      place,
      `link add public type vxlan id 228 dstport 4789 local ${underlay[place]}`,
      "link set public mtu 1500 up",
      `address add ${address}/24 dev public`,
    );
    const vteps = Object.values(underlay);
    await net.bridge(place, ...vteps.map((vtep) => `fdb append 00:00:00:00:00:00 dev public dst ${vtep}`));
  }
  await net.connect("gateway", "eth1", "client", "eth0");
  await net.ip("gateway", "address add 192.0.2.1/24 dev eth1");
  await net.ip("client", `address add ${CLIENT}/24 dev eth0`, "route add default via 192.0.2.1");

  await Promise.all([
    connectPod(net, "n1", "pod", POD, "10.244.1.6"),
    connectPod(net, "n1", "caller", CALLER, "10.244.1.10"),
    connectPod(net, "n2", "remote-pod", REMOTE_POD, "10.244.2.6"),
  ]);
  return net;
}

/** A pod behind a routed cable of its own, as most CNI plugins do it. */
async function connectPod(net: TestNamespaces, node: string, pod: string, address: string, nodeAddress: string) {
  await net.ip(
    node,
    `link add ${pod} type veth peer name eth0 netns ${pod}`,
    `link set ${pod} up`,
    `address add ${nodeAddress}/30 dev ${pod}`,
  );
  await net.ip(pod, "link set eth0 up", `address add ${address}/30 dev eth0`, `route add default via ${nodeAddress}`);
}

/** Serves one file over HTTP until the namespaces end. */
export async function serve(net: TestNamespaces, place: string, listen: string, text: string): Promise<void> {
  const folder = `/run/www-${place}-${listen.replace(/\W/g, "-")}`;
  await net.exec(place, ["sh", "-c", `mkdir -p ${folder} && printf '%s' "$1" >${folder}/index.html`, "sh", text]);
  await net.exec(place, ["busybox", "httpd", "-p", listen, "-h", folder]);
}

/** Seconds that a request may take: the kernel repeats a lost SYN after 1 s. */
const REQUEST_SECONDS = 3;

/** The text that an HTTP server answers; undefined without a connection. */
export async function request(
  net: TestNamespaces,
  place: string,
  address: string,
  port = 80,
): Promise<string | undefined> {
  const script = `exec 3<>/dev/tcp/${address}/${port}; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3`;
  const { code, stdout } = await net.exec(place, ["timeout", `${REQUEST_SECONDS}`, "bash", "-c", script], {
    check: false,
  });
  return code === 0 ? stdout.split("\r\n\r\n")[1] : undefined;
}

/** Reads and resets a named counter. */
export async function takeCount(net: TestNamespaces, place: string, table: string, counter: string): Promise<number> {
  const { stdout } = await net.exec(place, ["nft", "-j", "reset", "counter", "inet", table, counter]);
  const { nftables } = JSON.parse(stdout) as {
    readonly nftables: readonly { readonly counter?: { readonly packets: number } }[];
  };
  const packets = nftables.find((entry) => entry.counter !== undefined)?.counter?.packets;
  if (packets === undefined) throw new Error(`${place}: no counter ${counter} in ${stdout}`);
  return packets;
}
