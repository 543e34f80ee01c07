import type { TestContext } from "node:test";
import { type AgentRolloutOperations, agentRolloutOperations } from "../../../provider/agent-rollout/operations.js";
import { type NetworkStateOperations, networkStateOperations } from "../../../provider/network-state/operations.js";
import type { NetworkStateArguments, NetworkStateInputs } from "../../../provider/network-state/state.js";
import { type NodeReportsOperations, nodeReportsOperations } from "../../../provider/node-reports/operations.js";
import { FakeApiServer } from "../../support/fake-api-server.js";
import { podNetworks, type ReportOptions, report, router, start, written } from "../../support/network-fixtures.js";
import { TestEnvironment } from "./test-environment.js";

// The tests name every cluster themselves.
delete process.env.KUBECONFIG;

export const owner = "infra/prod urn:pulumi:prod::infra::vlan-router:index:PublicNetwork::customers";

/** A cluster of three nodes with agents, and a provider that works on it. */
export class Scenario {
  /** What the agent of a node reports instead of a healthy state; `absent` for a node without an agent. */
  readonly reports: Record<string, ReportOptions | "absent"> = {};
  /** Milliseconds after which the reports above no longer hold. */
  healsAfter = Number.POSITIVE_INFINITY;
  /** What else happens in the cluster while the provider sleeps. */
  whileSleeping: (now: number) => void = () => undefined;
  readonly environment: TestEnvironment;
  readonly networkState: NetworkStateOperations;
  readonly agentRollout: AgentRolloutOperations;
  readonly nodeReports: NodeReportsOperations;

  private constructor(
    readonly server: FakeApiServer,
    configuration: Readonly<Record<string, string>>,
  ) {
    this.environment = new TestEnvironment((now) => {
      this.whileSleeping(now);
      this.agents();
    }, configuration);
    this.networkState = networkStateOperations(this.environment);
    this.agentRollout = agentRolloutOperations(this.environment);
    this.nodeReports = nodeReportsOperations(this.environment);
    server.put("vlanrouters", router);
    for (const name of ["n1", "n2", "n3"]) server.nodes.push({ name, ready: true });
    server.agents = () => this.agents();
  }

  static async start(context: TestContext, configuration: Readonly<Record<string, string>> = {}): Promise<Scenario> {
    const server = await FakeApiServer.start();
    context.after(() => server.stop());
    return new Scenario(server, configuration);
  }

  /** Every agent reports now, and lets go of networks that are being deleted. */
  agents(): void {
    const now = this.environment.now();
    const healed = now - start >= this.healsAfter;
    for (const object of this.server.networks()) {
      if (object.metadata.deletionTimestamp !== undefined && (healed || Object.keys(this.reports).length === 0)) {
        this.server.remove("publicnetworks", object.metadata.name);
      }
    }
    const [object] = this.server.networks();
    for (const { name } of this.server.nodes) {
      const options = healed ? {} : (this.reports[name] ?? {});
      if (options === "absent") this.server.remove("routernodes", name);
      else this.server.put("routernodes", report(name, object, now, options));
    }
  }

  arguments(changes: Partial<NetworkStateArguments> = {}): NetworkStateArguments {
    const cluster = { kubeconfig: this.server.kubeconfig };
    return { cluster, name: "customers", owner, spec: written, podNetworks, timeoutSeconds: 120, ...changes };
  }

  /** The inputs as `check` makes them of the program's arguments. */
  async checked(changes: Partial<NetworkStateArguments> = {}): Promise<NetworkStateInputs> {
    const { inputs, failures } = await this.networkState.check({}, this.arguments(changes));
    if (failures.length > 0) throw new Error(JSON.stringify(failures));
    return inputs as NetworkStateInputs;
  }
}
