import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { KeptSequences, sequencesPath } from "../../../../agent-image/agent/core/kept-sequences.js";

let parent: string;
before(async () => {
  parent = await mkdtemp(join(tmpdir(), "vlan-router-sequences-"));
});
after(() => rm(parent, { recursive: true, force: true }));

const mac = "02:00:00:00:00:11";

let directories = 0;
function newDirectory(): string {
  directories += 1;
  return join(parent, String(directories));
}

const started = new Date(10_000);

async function opened(
  directory: string,
  now = started,
): Promise<{ readonly kept: KeptSequences; readonly log: readonly string[] }> {
  const log: string[] = [];
  const note = (_fields: object, message: string): void => {
    log.push(message);
  };
  return { kept: await KeptSequences.open(directory, { info: note, warn: note, error: note }, now), log };
}

test("what was raised is there at the next start; networks and MACs do not share a number", async () => {
  const directory = newDirectory();
  const { kept, log } = await opened(directory);
  kept.memory.raise({ network: "a", mac, sequence: 1 }, new Date(1000));
  kept.memory.raise({ network: "a", mac, sequence: 7 }, new Date(2000));
  kept.memory.raise({ network: "b", mac, sequence: 2 }, new Date(3000));
  kept.memory.raise({ network: "a", mac, sequence: 3 }, new Date(4000));
  await kept.close();
  assert.deepEqual(JSON.parse(await readFile(sequencesPath(directory), "utf8")), {
    format: 1,
    state: [
      { network: "a", mac, sequence: 7, raisedAt: [1000, 2000] },
      { network: "b", mac, sequence: 2, raisedAt: [3000] },
    ],
  });
  const next = await opened(directory);
  assert.deepEqual(
    [
      ["a", mac],
      ["b", mac],
      ["a", "02:00:00:00:00:12"],
      ["c", mac],
    ].map(([network = "", of = ""]) => next.kept.memory.of(network, of)),
    [7, 2, 0, 0],
  );
  assert.deepEqual([...log, ...next.log], []);
});

for (const [name, content] of Object.entries({
  truncated: '{"format":1,"state":[{"netw',
  empty: "",
  "of a later format": '{"format":2,"state":[]}',
})) {
  test(`a file that is ${name} counts as none and is told`, async () => {
    const directory = newDirectory();
    await mkdir(directory);
    await writeFile(sequencesPath(directory), content);
    const { kept, log } = await opened(directory);
    assert.deepEqual(kept.memory.entries(), []);
    assert.deepEqual(log, ["the kept MAC mobility numbers cannot be read and start anew"]);
  });
}

test("an entry that cannot be sent is left out", async () => {
  const directory = newDirectory();
  await mkdir(directory);
  const good = { network: "a", mac, sequence: 4294967295 };
  const bad = [
    null,
    { network: "a", mac },
    { ...good, network: 1 },
    { ...good, mac: null },
    { ...good, sequence: -1 },
    { ...good, sequence: 1.5 },
    { ...good, sequence: 4294967296 },
    { ...good, sequence: "7" },
    { ...good, raisedAt: 7 },
    { ...good, raisedAt: ["yesterday"] },
    { ...good, unusedSince: "yesterday" },
  ];
  await writeFile(sequencesPath(directory), JSON.stringify({ format: 1, state: [...bad, good] }));
  assert.deepEqual((await opened(directory)).kept.memory.entries(), [{ ...good, unusedSince: 10_000 }]);
});

test("a disk that takes nothing is told, and the number counts all the same", async () => {
  const directory = newDirectory();
  await writeFile(directory, "a file where the directory should be");
  const { kept, log } = await opened(directory);
  kept.memory.raise({ network: "a", mac, sequence: 1 }, new Date());
  await kept.close();
  assert.equal(kept.memory.of("a", mac), 1);
  assert.deepEqual(log.slice(-1), ["MAC mobility numbers cannot be kept; a restart forgets them"]);
});

test("who is not announced after a restart is unused since then, over further restarts too", async () => {
  const directory = newDirectory();
  const other = "02:00:00:00:00:12";
  const first = await opened(directory);
  for (const of of [mac, other]) first.kept.memory.raise({ network: "a", mac: of, sequence: 3 }, started);
  await first.kept.close();
  for (const now of [20_000, 30_000]) {
    const { kept } = await opened(directory, new Date(now));
    assert.equal(kept.memory.take("a", mac), 3);
    await kept.close();
  }
  const { state } = JSON.parse(await readFile(sequencesPath(directory), "utf8"));
  const raisedAt = [10_000];
  assert.deepEqual(state, [
    { network: "a", mac, sequence: 3, raisedAt },
    { unusedSince: 20_000, network: "a", mac: other, sequence: 3, raisedAt },
  ]);
});
