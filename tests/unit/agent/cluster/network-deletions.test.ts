import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../../../agent-image/agent/cluster/api-client.js";
import { type Definition, NetworkDeletions } from "../../../../agent-image/agent/cluster/network-deletions.js";
import { apiVersion, type PublicNetworkObject } from "../../../../model/index.js";

const mark = "2026-01-01T10:00:00Z";

function network(uid: string, deletionTimestamp?: string): PublicNetworkObject {
  const metadata = { name: `n-${uid}`, uid, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) };
  return { apiVersion, kind: "PublicNetwork", metadata, spec: {} as PublicNetworkObject["spec"] };
}

const answer = (status: number) => () => {
  throw new ApiError(status, { method: "GET", path: "/definition" }, "as the API server said");
};
const definition =
  (uid: string, deletionTimestamp?: string): (() => Definition) =>
  () => ({ metadata: { uid, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) } });

/** The judge, and how to let it finish what it has begun. */
function judge(first: () => Definition) {
  const state = { read: first, reads: 0, changes: 0, errors: [] as string[] };
  const deletions = new NetworkDeletions({
    readDefinition: async () => {
      state.reads += 1;
      return state.read();
    },
    onChange: () => {
      state.changes += 1;
    },
    onError: (error) => state.errors.push(error.message),
    retryDelay: 5,
  });
  const look = async (...networks: PublicNetworkObject[]) => {
    deletions.look(networks);
    await new Promise((resolve) => setTimeout(resolve, 1));
  };
  return { deletions, state, look };
}

const verdicts = ({ asked, swept }: NetworkDeletions) => ({ asked: [...asked], swept: [...swept] });

test("a mark under a definition that stays was asked for, and is told once", async () => {
  const { deletions, state, look } = judge(definition("d1"));
  await look(network("a"), network("b"));
  assert.deepEqual(verdicts(deletions), { asked: [], swept: [] });
  await look(network("a", mark), network("b"));
  assert.deepEqual(verdicts(deletions), { asked: ["a"], swept: [] });
  await look(network("a", mark), network("b"));
  assert.deepEqual([state.changes, state.reads], [1, 2]);
});

test("a mark under a definition that is ending, or has gone, was not", async () => {
  for (const ending of [definition("d1", mark), answer(404)]) {
    const { deletions, state, look } = judge(definition("d1"));
    await look(network("a"));
    state.read = ending;
    await look(network("a", mark));
    assert.deepEqual(verdicts(deletions), { asked: [], swept: ["a"] });
  }
});

test("nor is one that was first seen when it was there already", async () => {
  const { deletions, look } = judge(definition("d1", mark));
  await look(network("a", mark));
  assert.deepEqual(verdicts(deletions), { asked: [], swept: ["a"] });
});

test("a definition that was made anew in the meantime says nothing of older objects, and decides on its own", async () => {
  const { deletions, state, look } = judge(definition("d1"));
  await look(network("a"));
  state.read = definition("d2");
  await look(network("a", mark));
  assert.deepEqual(verdicts(deletions), { asked: [], swept: ["a"] });
  await look(network("b"));
  await look(network("b", mark));
  assert.deepEqual(verdicts(deletions), { asked: ["b"], swept: ["a"] });
});

test("a deletion that was asked for before the definition's stays one", async () => {
  const { deletions, state, look } = judge(definition("d1"));
  await look(network("a", mark));
  state.read = definition("d1", mark);
  await look(network("a", mark), network("b", mark));
  assert.deepEqual(verdicts(deletions), { asked: ["a"], swept: ["b"] });
});

test("rights that do not name definitions leave a mark what it was, and say so", async () => {
  const { deletions, state, look } = judge(answer(403));
  await look(network("a", mark));
  assert.deepEqual(verdicts(deletions), { asked: ["a"], swept: [] });
  assert.match(state.errors[0] ?? "", /403 as the API server said/);
});

test("while the definition cannot be read nothing is judged, and it is read again", async () => {
  const { deletions, state, look } = judge(answer(503));
  await look(network("a", mark));
  assert.deepEqual(verdicts(deletions), { asked: [], swept: [] });
  state.read = definition("d1");
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(verdicts(deletions), { asked: ["a"], swept: [] });
});

test("what is marked while the definition is on its way is judged by the next", async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let reads = 0;
  const deletions = new NetworkDeletions({
    readDefinition: async () => {
      reads += 1;
      if (reads === 1) await held;
      return { metadata: reads === 1 ? { uid: "d1" } : { uid: "d1", deletionTimestamp: mark } };
    },
    onChange: () => undefined,
    onError: (error) => assert.fail(error),
    retryDelay: 5,
  });
  deletions.look([network("a", mark), network("b")]);
  deletions.look([network("a", mark), network("b", mark)]);
  release();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(verdicts(deletions), { asked: ["a"], swept: ["b"] });
});
