import { type ApiClient, ApiError } from "./api-client.js";
import {
  decideLease,
  heldLease,
  type LeaseSighting,
  type LeaseSpec,
  leaseName,
  leaseRenewDeadline,
  leaseRetryPeriod,
  sight,
} from "./election.js";

interface LeaseObject {
  readonly apiVersion: "coordination.k8s.io/v1";
  readonly kind: "Lease";
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion?: string };
  readonly spec?: LeaseSpec;
}

export interface LeaseElectorOptions {
  readonly client: ApiClient;
  readonly namespace: string;
  readonly identity: string;
  /** Called when this process holds the Lease after it did not, for the first time or after a late renewal. */
  readonly onHeld: () => void;
  readonly onError: (error: Error) => void;
}

/** Tries to get the Lease and to keep it. `holds()` is to be asked again before each write. */
export class LeaseElector {
  readonly #options: LeaseElectorOptions;
  #sighting: LeaseSighting | undefined;
  /** Monotonic milliseconds of the last write that succeeded as holder. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #running: Promise<void>;

  constructor(options: LeaseElectorOptions) {
    this.#options = options;
    this.#running = this.#round();
  }

  holds(): boolean {
    return !this.#closed && performance.now() - this.#renewedAt < leaseRenewDeadline;
  }

  /** Gives the Lease up, so that another agent goes on at once instead of after 15 s. */
  async close(): Promise<void> {
    const held = this.holds();
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
    if (held && this.#sighting !== undefined) {
      const spec = { ...this.#sighting.spec, holderIdentity: "" };
      await this.#write("PUT", spec, this.#sighting.resourceVersion).catch(this.#options.onError);
    }
  }

  async #round(): Promise<void> {
    try {
      await this.#try();
    } catch (error) {
      // A conflict is another agent that was faster.
      if (!(error instanceof ApiError && error.status === 409)) {
        this.#options.onError(error as Error);
      }
    }
    if (this.#closed) {
      return;
    }
    this.#timer = setTimeout(() => {
      this.#running = this.#round();
    }, leaseRetryPeriod);
  }

  async #try(): Promise<void> {
    const { identity } = this.#options;
    const current = await this.#read();
    const started = performance.now();
    if (current === undefined) {
      await this.#take("POST", heldLease(undefined, identity, microTime()), undefined, started);
      return;
    }
    const { resourceVersion = "" } = current.metadata;
    this.#sighting = sight(this.#sighting, current.spec ?? {}, resourceVersion, started);
    if (decideLease(this.#sighting, identity, started) !== "wait") {
      await this.#take("PUT", heldLease(current.spec, identity, microTime()), resourceVersion, started);
    }
  }

  async #take(
    method: "POST" | "PUT",
    spec: LeaseSpec,
    resourceVersion: string | undefined,
    started: number,
  ): Promise<void> {
    const written = await this.#write(method, spec, resourceVersion);
    this.#sighting = sight(undefined, spec, written.metadata.resourceVersion ?? "", started);
    // Asked now, not before the request: the hold may have lapsed while it was on its way.
    const lapsed = !this.holds();
    this.#renewedAt = started;
    if (lapsed && this.holds()) {
      this.#options.onHeld();
    }
  }

  async #read(): Promise<LeaseObject | undefined> {
    const { client } = this.#options;
    try {
      return await client.request<LeaseObject>({ method: "GET", path: `${this.#path()}/${leaseName}` });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) {
        return undefined;
      }
      throw error;
    }
  }

  async #write(method: "POST" | "PUT", spec: LeaseSpec, resourceVersion: string | undefined): Promise<LeaseObject> {
    const { client, namespace } = this.#options;
    const body: LeaseObject = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: leaseName, namespace, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
      spec,
    };
    const path = method === "POST" ? this.#path() : `${this.#path()}/${leaseName}`;
    return client.request<LeaseObject>({ method, path, body });
  }

  #path(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${this.#options.namespace}/leases`;
  }
}

/** The API's MicroTime wants exactly six digits of fraction. */
function microTime(): string {
  return new Date().toISOString().replace("Z", "000Z");
}
