import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { LastGood, lastGoodPath } from "../../../../agent-image/agent/core/last-good.js";

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "vlan-router-last-good-"));
});
after(() => rm(directory, { recursive: true, force: true }));

const network = {
  name: "edge",
  uid: "u1",
  revision: "edge-1",
  podNetworks: ["10.244.0.0/16"],
  spec: {
    type: "vxlan",
    vxlan: { vni: 228, nodeNet: "10.0.7.0/24", port: 4789, remotes: ["10.0.7.12"] },
    routing: [
      {
        cidr: "203.0.113.0/24",
        gateway: "203.0.113.1",
        onlink: false,
        returnPath: "auto",
        arpAnnouncer: { enabled: false, interval: 60 },
      },
    ],
  },
};

/** What an agent makes of the file, and what it logs. */
async function opened(content: string): Promise<{ readonly carried: unknown; readonly log: readonly string[] }> {
  await writeFile(lastGoodPath(directory), content);
  const log: string[] = [];
  const note = (_fields: object, message: string): void => {
    log.push(message);
  };
  const lastGood = await LastGood.open(directory, { info: note, warn: note, error: note });
  return { carried: lastGood.carried(), log };
}

const stored = (state: unknown, format = 1) => JSON.stringify({ format, state });

test("what was kept is there again", async () => {
  const carried = { networks: [network], removedUids: ["u0"] };
  assert.deepEqual(await opened(stored(carried)), { carried, log: [] });
});

for (const [name, content] of Object.entries({
  truncated: stored({ networks: [network] }).slice(0, 40),
  empty: "",
  "of a later format": stored({ networks: [network], removedUids: [] }, 2),
  "without networks": stored({ removedUids: [] }),
  null: stored(null),
  "a list of nothing": stored({ networks: [null], removedUids: [] }),
})) {
  test(`a file that is ${name} counts as none and is told`, async () => {
    const { carried, log } = await opened(content);
    assert.equal(carried, undefined);
    assert.equal(log.length, 1);
    assert.match(log[0] ?? "", /the last good configuration .* is made anew/);
  });
}

test("where no check would let one network pass the file counts as none: the kernel would lose what is left out", async () => {
  const bad = {
    ...network,
    name: "bad",
    uid: "u2",
    spec: { ...network.spec, routing: [{ cidr: "203.0.113.0/24\nflush" }] },
  };
  assert.deepEqual(await opened(stored({ networks: [bad, network], removedUids: [] })), {
    carried: undefined,
    log: ["the last good configuration cannot be used and is made anew"],
  });
});
