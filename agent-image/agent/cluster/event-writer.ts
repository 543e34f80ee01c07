import { apiVersion, type RouterNodeStatus } from "../../../model/index.js";
import { type ConditionChange, conditionChanges } from "../status/condition-changes.js";
import type { ApiClient } from "./api-client.js";
import { EventBudget } from "./event-budget.js";

/** Where Kubernetes keeps the events of objects without a namespace (validation of core/v1 Event). */
const path = "/api/v1/namespaces/default/events";
/** Milliseconds in which the same words count up one event; the API server forgets events after an hour (--event-ttl). */
const alike = 30 * 60_000;
/** What the API server takes as an event's message, bytes (NoteLengthLimit of its validation). */
const longestMessage = 1_024;

export interface EventWriterOptions {
  readonly client: Pick<ApiClient, "request">;
  readonly nodeName: string;
  /** Of the node's RouterNode; undefined while it is not known. */
  readonly nodeUid: () => string | undefined;
  /** Called for the first failure after a success. An event is not tried again: the status says the same. */
  readonly onError: (error: Error) => void;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

interface Written {
  readonly name: string;
  readonly at: number;
  count: number;
}

interface InvolvedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/**
 * Tells changes of conditions as events, of the network and of the node, so that `kubectl describe` shows them. The first status
 * of an agent tells nothing: what it says, its predecessor told.
 */
export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #now: () => number;
  readonly #budget: EventBudget;
  readonly #written = new Map<string, Written>();
  #last: RouterNodeStatus | undefined;
  #number = 0;
  #failing = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: EventWriterOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#budget = new EventBudget(this.#now());
  }

  set(status: RouterNodeStatus): void {
    const before = this.#last;
    this.#last = status;
    if (before === undefined) return;
    for (const change of conditionChanges(before, status)) {
      for (const [object, message] of this.#told(change)) this.#tell(change, object, message);
    }
  }

  /** Resolves when what was begun is written. */
  close(): Promise<void> {
    return this.#writing;
  }

  #told({ network, message }: ConditionChange): readonly (readonly [InvolvedObject, string])[] {
    const { nodeName, nodeUid } = this.#options;
    const uid = nodeUid();
    return [
      ...(uid === undefined
        ? []
        : [
            [
              { apiVersion, kind: "RouterNode", name: nodeName, uid },
              network === undefined ? message : `${network.name}: ${message}`,
            ] as const,
          ]),
      ...(network === undefined
        ? []
        : [[{ apiVersion, kind: "PublicNetwork", ...network }, `${nodeName}: ${message}`] as const]),
    ];
  }

  #tell({ warning, reason }: ConditionChange, involvedObject: InvolvedObject, text: string): void {
    const now = this.#now();
    if (!this.#budget.take(now)) return;
    const key = `${involvedObject.uid} ${reason}`;
    const time = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    const message = text.length > longestMessage ? `${text.slice(0, longestMessage - 1)}…` : text;
    const former = this.#written.get(key);
    if (former !== undefined && now - former.at < alike) {
      former.count += 1;
      const body = { count: former.count, lastTimestamp: time, message };
      this.#send(key, {
        method: "PATCH",
        path: `${path}/${former.name}`,
        contentType: "application/merge-patch+json",
        body,
      });
      return;
    }
    const name = this.#name(involvedObject.name);
    this.#written.set(key, { name, at: now, count: 1 });
    const { nodeName } = this.#options;
    this.#send(key, {
      method: "POST",
      path,
      body: {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name, namespace: "default" },
        involvedObject,
        type: warning ? "Warning" : "Normal",
        reason,
        message,
        count: 1,
        firstTimestamp: time,
        lastTimestamp: time,
        source: { component: "vlan-router-agent", host: nodeName },
      },
    });
  }

  /** Unlike every other event's, also that of another node about the same network. */
  #name(object: string): string {
    this.#number += 1;
    const own = `${Date.now().toString(16)}${this.#number.toString(16)}`;
    return `${object}.${this.#options.nodeName}.${own}`.slice(-253).replace(/^[^a-z0-9]+/, "");
  }

  /** One after the other, so that a count is never written before its event. */
  #send(key: string, call: Parameters<ApiClient["request"]>[0]): void {
    this.#writing = this.#writing.then(async () => {
      try {
        await this.#options.client.request(call);
        this.#failing = false;
      } catch (error) {
        // The event is not there, or not any more: the next change makes one.
        this.#written.delete(key);
        if (!this.#failing) this.#options.onError(error as Error);
        this.#failing = true;
      }
    });
  }
}
