import { readdir, readFile } from "node:fs/promises";

/** Programs on the node that manage interfaces, rules and routes as well. */
export interface NetworkPrograms {
  readonly networkd: boolean;
  readonly networkManager: boolean;
}

/** TASK_COMM_LEN cuts a process's name to 15 characters. */
const processNames = { networkd: "systemd-network", networkManager: "NetworkManager" } as const;

/**
 * From the sockets of this network namespace, which a pod with the node's network sees too, and from the names of processes,
 * where those of the node can be seen.
 */
export async function networkPrograms(procRoot = "/proc"): Promise<NetworkPrograms> {
  const [sockets, names] = await Promise.all([
    readFile(`${procRoot}/net/unix`, "utf8").catch(() => ""),
    processNamesOf(procRoot),
  ]);
  const bySocket = programsBySocket(sockets);
  return {
    networkd: bySocket.networkd || names.has(processNames.networkd),
    networkManager: bySocket.networkManager || names.has(processNames.networkManager),
  };
}

/**
 * From the text of /proc/net/unix. systemd's programs bind the socket of their bus connection to a name that holds theirs
 * (systemd/systemd#27573); NetworkManager listens for its DHCP helpers.
 */
export function programsBySocket(text: string): NetworkPrograms {
  return {
    networkd: /@[0-9a-f]+\/bus\/systemd-network\//.test(text),
    networkManager: text.includes("/run/NetworkManager/"),
  };
}

async function processNamesOf(procRoot: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(procRoot).catch(() => []);
  const pids = entries.filter((entry) => /^\d+$/.test(entry));
  // A process may end between the two readings.
  const names = pids.map((pid) => readFile(`${procRoot}/${pid}/comm`, "utf8").catch(() => ""));
  return new Set((await Promise.all(names)).map((name) => name.trim()));
}
