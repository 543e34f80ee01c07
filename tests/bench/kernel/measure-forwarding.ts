/** Forwarding entries of one VXLAN interface; runs in a network namespace of its own. Argument: how many. */

import type { ForwardingState } from "../../../agent-image/agent/evpn/forwarding-state.js";
import { KernelReconciler, observe, SYSCTL_ROOT, systemCommands } from "../../../agent-image/agent/kernel/index.js";
import { nodeFacts, parseConfigurationFile, planNode } from "../../../model/index.js";
import { manyNetworks } from "../model/many-networks.js";
import type { Comparison, Measured } from "./measurement.js";
import { memorySince, residentMemory, usageOf } from "./usage.js";

const peerDevice = "peer0";
const vteps = ["10.0.7.19", "10.0.7.20"] as const;

const mac = (index: number): string =>
  `02:00:${[24, 16, 8, 0].map((shift) => ((index >>> shift) & 0xff).toString(16).padStart(2, "0")).join(":")}`;

function state(size: number, firstVtep = 0): ForwardingState {
  const hosts = Array.from({ length: size }, (_, index) => ({
    mac: mac(index),
    vtep: index === 0 ? (vteps[firstVtep] ?? "") : (vteps[index % 2] ?? ""),
  }));
  return { flood: [...vteps], hosts, neighbours: [] };
}

async function prepared(): Promise<{ readonly reconciler: KernelReconciler; readonly device: string }> {
  const parsed = parseConfigurationFile(manyNetworks(1));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.mistakes));
  const plan = planNode(parsed.value, nodeFacts(await observe(systemCommands, SYSCTL_ROOT), "n1", {}));
  const reconciler = new KernelReconciler();
  await reconciler.reconcile(plan);
  const device = plan.networks[0]?.link.name ?? "";
  const vxlan = "type vxlan id 9999 dstport 4790 local 10.0.7.5 nolearning";
  await systemCommands.run(["ip", "-batch", "-"], `link add ${peerDevice} ${vxlan}\nlink set ${peerDevice} up\n`);
  return { reconciler, device };
}

async function measure(size: number): Promise<Measured> {
  const { reconciler, device } = await prepared();
  const beforehand = residentMemory();
  const [wanted, same, moved] = [state(size), state(size), state(size, 1)];
  const lines = [
    ...wanted.flood.map((vtep) => `fdb append 00:00:00:00:00:00 dev ${peerDevice} dst ${vtep} self permanent\n`),
    ...wanted.hosts.map((host) => `fdb replace ${host.mac} dev ${peerDevice} dst ${host.vtep} self extern_learn\n`),
  ].join("");
  const comparisons: Comparison[] = [];
  const compare = async (work: string, by: string, ours: () => Promise<unknown>, peer: () => Promise<unknown>) => {
    comparisons.push({ size, work, by, ours: (await usageOf(ours)).usage, peer: (await usageOf(peer)).usage });
  };

  const write = async (next: ForwardingState): Promise<void> => {
    const { errors } = await reconciler.applyForwarding(device, next);
    if (errors.length > 0) throw new Error(errors.slice(0, 3).join("; "));
  };
  await compare(
    "write all",
    "`bridge -batch`",
    () => write(wanted),
    () => systemCommands.run(["bridge", "-batch", "-"], lines),
  );
  const dump = async () => JSON.parse(await systemCommands.run(["bridge", "-json", "fdb", "show", "dev", peerDevice]));
  await compare(
    "read all",
    "`bridge -j fdb show`, JSON.parse",
    async () => {
      const held = (await reconciler.observe()).forwarding[device]?.length;
      if (held !== size + vteps.length) throw new Error(`${held} entries were read`);
    },
    dump,
  );
  await compare(
    "write the same again",
    "`bridge -batch`",
    () => write(same),
    () => systemCommands.run(["bridge", "-batch", "-"], lines),
  );
  await compare(
    "move one MAC",
    "`bridge fdb replace`",
    () => write(moved),
    () =>
      systemCommands.run([
        "bridge",
        "fdb",
        "replace",
        mac(0),
        "dev",
        peerDevice,
        "dst",
        vteps[1],
        "self",
        "extern_learn",
      ]),
  );
  return { comparisons, memory: memorySince(size, beforehand) };
}

measure(Number(process.argv[2])).then((measured) => process.stdout.write(`${JSON.stringify(measured)}\n`));
