import { isDeepStrictEqual } from "node:util";
import { apiGroup, heartbeatPeriod, type RouterNodeStatus } from "../../../model/index.js";
import { Coalesced } from "../core/coalesced.js";
import { type ApiClient, ApiError } from "./api-client.js";

/** Milliseconds: several passes in a row become one write. */
const writeDelay = 200;
/**
 * Milliseconds between two writes that only renew the heartbeat; less than its period, so that the pass which brings it does
 * not come a moment too early.
 */
const heartbeatWritePeriod = (heartbeatPeriod - 5) * 1000;
/** Milliseconds after which a failed write is tried again. */
const retryDelay = 2_000;

/** What a status may be without: a merge patch keeps what it does not name (RFC 7396 section 2). */
const absent = { conditions: null } as const;

export interface StatusWriterOptions {
  readonly client: Pick<ApiClient, "request">;
  readonly nodeName: string;
  /** Called for the first failure after a success. */
  readonly onError: (error: Error) => void;
}

/**
 * Writes the status subresource of this node's RouterNode when its content changed, and in between the heartbeat, which is
 * the time of the last pass: an agent that hangs must not look alive.
 */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #writes: Coalesced;
  #wanted: RouterNodeStatus | undefined;
  #written: RouterNodeStatus | undefined;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #failing = false;
  #timer: NodeJS.Timeout;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
    this.#writes = new Coalesced(() => this.#write(), writeDelay, options.onError);
    this.#timer = setInterval(() => this.#writes.request(), retryDelay);
  }

  set(status: RouterNodeStatus): void {
    this.#wanted = status;
    if (!sameContent(status, this.#written)) {
      this.#writes.request();
    }
  }

  /** Somebody replaced the object: what we wrote is gone. */
  forget(): void {
    this.#written = undefined;
    this.#writes.request();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writes.close();
  }

  async #write(): Promise<void> {
    const { client, nodeName, onError } = this.#options;
    const wanted = this.#wanted;
    const due =
      wanted?.heartbeatTime !== this.#written?.heartbeatTime &&
      performance.now() - this.#writtenAt >= heartbeatWritePeriod;
    if (wanted === undefined || (sameContent(wanted, this.#written) && !due)) {
      return;
    }
    try {
      await client.request({
        method: "PATCH",
        path: `/apis/${apiGroup}/v1alpha1/routernodes/${nodeName}/status`,
        query: { fieldManager: "vlan-router-agent" },
        contentType: "application/merge-patch+json",
        body: { status: { ...absent, ...wanted } },
      });
      this.#written = wanted;
      this.#writtenAt = performance.now();
      this.#failing = false;
    } catch (error) {
      // Before the object exists there is nothing to write to; the timer comes back.
      const absent = error instanceof ApiError && error.status === 404;
      if (!absent && !this.#failing) {
        onError(error as Error);
      }
      this.#failing = !absent;
    }
  }
}

function sameContent(one: RouterNodeStatus, other: RouterNodeStatus | undefined): boolean {
  return other !== undefined && isDeepStrictEqual({ ...one, heartbeatTime: "" }, { ...other, heartbeatTime: "" });
}
