import type { TestContext } from "node:test";
import { apiVersion, nodesFinalizer, ownerAnnotation } from "../../../model/index.js";
import { FakeApiServer } from "../fake-api-server.js";
import { report, router } from "../network-fixtures.js";
import type { ClusterChange } from "./scenario.js";

const nodes = ["n1", "n2", "n3"];

/** A cluster whose agents do what a scenario says, by the real clock: providers in other processes read it. */
export class ScriptedCluster {
  private reports: NonNullable<ClusterChange["reports"]> = {};
  private readsUntilHealthy = Number.POSITIVE_INFINITY;

  private constructor(readonly server: FakeApiServer) {
    server.put("vlanrouters", router);
    for (const name of nodes) server.nodes.push({ name, ready: true });
    server.beforeReports = () => {
      this.reportNow();
      this.readsUntilHealthy -= 1;
    };
  }

  static async start(context: TestContext): Promise<ScriptedCluster> {
    const server = await FakeApiServer.start();
    context.after(() => server.stop());
    return new ScriptedCluster(server);
  }

  apply({ reports, healthyAfterReads, away, foreign, edited }: ClusterChange): void {
    if (reports !== undefined) {
      this.reports = reports;
      this.readsUntilHealthy = healthyAfterReads ?? Number.POSITIVE_INFINITY;
    }
    if (away !== undefined) {
      for (const node of this.server.nodes) node.ready = !away.includes(node.name);
    }
    if (foreign !== undefined) {
      const { name, owner, spec } = foreign;
      const metadata = { name, annotations: { [ownerAnnotation]: owner }, finalizers: [nodesFinalizer] };
      this.server.put("publicnetworks", { apiVersion, kind: "PublicNetwork", metadata, spec });
    }
    if (edited !== undefined) {
      const object = this.server.network(edited.name);
      if (object === undefined) throw new Error(`the cluster has no PublicNetwork ${edited.name} to edit`);
      this.server.put("publicnetworks", { ...object, spec: edited.spec });
    }
  }

  /** Specifications of the networks by name. */
  networks(): Readonly<Record<string, object>> {
    return Object.fromEntries(this.server.networks().map(({ metadata, spec }) => [metadata.name, spec]));
  }

  private reportNow(): void {
    const now = Date.now();
    for (const { metadata } of this.server.networks()) {
      if (metadata.deletionTimestamp !== undefined) this.server.remove("publicnetworks", metadata.name);
    }
    const [object] = this.server.networks();
    const healthy = this.readsUntilHealthy <= 0;
    for (const name of nodes) {
      const options = healthy ? {} : (this.reports[name] ?? {});
      if (options === "absent") this.server.remove("routernodes", name);
      else this.server.put("routernodes", report(name, object, now, options));
    }
  }
}
