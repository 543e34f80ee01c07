/** What `npm start` does after the set-up: the lab, the example program on the real engine, and the proof with traffic. */
import { join } from "node:path";
import { loadImage } from "../cluster/index.js";
import { agentImage } from "../images/index.js";
import type { Lab } from "../lab.js";
import { DEFAULT_LAB } from "../lab.js";
import { labUp } from "../lifecycle.js";
import type { Result } from "../processes/index.js";
import { createProgress, type Progress } from "../progress.js";
import { configureLabStack, firstNetwork, labStack, STACK, vxlanNetwork } from "../pulumi/lab-stack.js";
import { withFileLock } from "../toolchain/file-lock.js";
import { locateToolchain } from "../toolchain/index.js";
import { nodeNames, places, publicService } from "../topology.js";
import { isProven, proveTraffic, type TrafficProof } from "../traffic/proof.js";
import { kernelCarriesVlan } from "../traffic/vlan-support.js";

const HELP = `usage: npm start

Sets the machine up, starts the embedded lab, deploys examples/public-networks on it with pulumi, proves with a client's
traffic that it works, and leaves the lab up. Running it again is safe: what stands already stays.
`;

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);

async function main(args: readonly string[]): Promise<number> {
  if (args.length > 0) {
    process.stdout.write(HELP);
    return args.includes("--help") ? 0 : 2;
  }
  const progress = createProgress();
  const lab = await labUp(DEFAULT_LAB, progress);
  // One engine at a time: a second `npm start` waits, and finds everything made.
  const onWait = () => progress.note("another npm start deploys on this lab: waiting for it");
  return withFileLock(join(lab.stateDirectory, "deploy.lock"), onWait, () => deploy(lab, progress));
}

async function deploy(lab: Lab, progress: Progress): Promise<number> {
  const image = await progress.step("the agent's image", async () => {
    const built = await agentImage();
    await loadImage(lab, built);
    return built.reference;
  });
  await noteVlan(progress);
  const networks = [vxlanNetwork(firstNetwork)];
  const stack = await progress.step(`stack "${STACK}"`, async () => {
    const opened = await labStack(lab, locateToolchain());
    await configureLabStack(opened, lab, { image, networks });
    return opened;
  });
  show(
    "pulumi preview",
    await progress.step("pulumi preview", async () => succeeded(await stack.preview("--diff", "--show-full-output"))),
  );
  show("pulumi up", await progress.step("pulumi up", async () => succeeded(await stack.up())));
  const proof = await progress.step("a client's requests", () =>
    proveTraffic(lab, `vxlan${firstNetwork.vni}`, firstNetwork.cidr),
  );
  show("stack outputs", JSON.stringify(await stack.outputs(), null, 2));
  process.stdout.write(`${proofText(proof)}\n${exploreText(lab)}`);
  return isProven(proof) ? 0 : 1;
}

/** The stack holds what the lab's nodes can carry; the example's VLAN network needs 802.1Q and a bond. */
async function noteVlan(progress: Progress): Promise<void> {
  if (await kernelCarriesVlan()) {
    progress.note("this kernel has 802.1Q, but the lab's nodes have no bond0: the VLAN network runs in the VM's tests");
  } else {
    progress.note("this kernel has no 802.1Q: the VLAN network is left to the VM (npm test -- vm)");
  }
}

function succeeded({ code, stdout, stderr }: Result): string {
  if (code !== 0) throw new Error(`pulumi ended with exit code ${code}\n${stdout}\n${stderr}`);
  return stdout.trim();
}

function show(title: string, text: string): void {
  process.stdout.write(`\n── ${title}\n${text}\n\n`);
}

function proofText(proof: TrafficProof): string {
  return [
    `${isProven(proof) ? "It works" : "IT DOES NOT WORK"}: ${proof.answered} of ${proof.requests} requests of the client to ${proof.url} were answered`,
    `  an answer: ${proof.answer}`,
    `  packets sent by vxlan${firstNetwork.vni}: ${proof.sentByInterface}; replies at the default gateway, the wrong door: ${proof.wrongDoor}`,
  ].join("\n");
}

function exploreText(lab: Lab): string {
  return `
The lab "${lab.name}" stays up. To explore it (NODE is one of ${places.join(", ")}):

  npm run lab -- status
  npm run lab -- shell NODE
  npm run lab -- exec client curl -s http://${publicService.address}/
  npm run lab -- exec ${nodeNames[0]} ip rule
  npm run lab -- down
`;
}
