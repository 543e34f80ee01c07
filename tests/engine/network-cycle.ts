import assert from "node:assert/strict";
import type { Result } from "../../lab/processes/index.js";
import type { Stack } from "../../lab/pulumi/stack.js";
import { underlay } from "../../lab/topology.js";
import { type EngineCluster, engineImage, engineNodes } from "./engine-cluster.js";
import { projectName } from "./program-project.js";
import { deployedTypes, stateOf, typesOf } from "./stack-state.js";

const nodeNet = "10.0.7.0/24";
const remotes = [underlay.nodes.n1, underlay.nodes.n2];
const networksPath = "/apis/vlan-router.io/v1alpha1/publicnetworks";
const router = { image: engineImage, podNetworks: ["10.244.0.0/16", "10.96.0.0/16"] };
/** Away from the numbers that are reserved as routing tables. */
const firstVni = 300;

/** What one command of the engine took, and what the state was afterwards. */
export interface Measured {
  readonly step: string;
  readonly seconds: number;
  readonly stateBytes: number;
}

function declaredNetworks(count: number, gatewayHost = 1): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `net${index}`,
      {
        name: `net${index}`,
        type: "vxlan",
        vxlan: { vni: firstVni + index, nodeNet, remotes },
        routing: { cidr: `198.18.${index}.0/24`, gateway: `198.18.${index}.${gatewayHost}` },
        // Two agents make them all, one interface after the other.
        timeoutSeconds: 300,
      },
    ]),
  );
}

/**
 * The life of a router with so many networks, on two nodes that run the agent: preview, up, a preview and a refresh without
 * change, an update of one network and of all of them, and a destroy that leaves the definitions alone.
 * @param onStep told of each step when it has ended
 * @throws AssertionError where a step fails, or counts another number of resources than the program declares
 */
export async function networkCycle(
  cluster: EngineCluster,
  stack: Stack,
  count: number,
  onStep: (measured: Measured) => void = () => undefined,
): Promise<void> {
  const declare = (networks: Readonly<Record<string, object>>) =>
    stack.configure(
      { [`${projectName}:router`]: router, [`${projectName}:networks`]: networks },
      { [`${projectName}:kubeconfig`]: cluster.api.adminKubeconfig() },
    );
  const measure = async (step: string, run: () => Promise<Result>) => {
    const start = performance.now();
    const { code, stdout, stderr } = await run();
    const seconds = (performance.now() - start) / 1000;
    assert.equal(code, 0, `${step}: ${stdout}\n${stderr}`);
    onStep({ step, seconds, stateBytes: Buffer.byteLength(await stack.exported()) });
    return stdout;
  };

  for (const node of engineNodes) await cluster.hear(node, true);
  await declare(declaredNetworks(count));
  await measure("preview", () => stack.preview());
  await measure("up", () => cluster.deploy(stack.up("--skip-preview")));
  assert.deepEqual(typesOf(await stateOf(stack)), deployedTypes({ networks: count }));
  await measure("preview without change", () => stack.preview("--expect-no-changes"));
  await measure("preview --refresh without drift", () => stack.preview("--refresh", "--expect-no-changes"));
  await measure("refresh", () => stack.refresh("--yes", "--skip-preview", "--expect-no-changes"));

  await declare({ ...declaredNetworks(count), ...declaredNetworks(1, 254) });
  const one = await measure("up, one network changed", () => stack.up("--skip-preview"));
  // The component shows its inputs, so it is updated with its resource.
  assert.match(one, /~ 2 updated/);
  await declare(declaredNetworks(count, 254));
  await measure("up, every network changed", () => stack.up("--skip-preview"));
  await measure("preview without change, after the updates", () => stack.preview("--expect-no-changes"));

  await measure("destroy", () => stack.destroy("--skip-preview"));
  assert.deepEqual(await stateOf(stack), []);
  assert.deepEqual((await cluster.api.do<{ readonly items: readonly unknown[] }>({ path: networksPath })).items, []);
}
