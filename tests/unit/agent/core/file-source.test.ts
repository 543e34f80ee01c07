import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, mock, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { FileSource } from "../../../../agent-image/agent/core/file-source.js";
import { LastGood } from "../../../../agent-image/agent/core/last-good.js";
import { waitFor } from "../../../../lab/processes/index.js";

/** A configuration with one network, whose gateway tells one file from another. */
const configuration = (gateway: string): string =>
  "podNetworks: [10.244.0.0/16]\nnetworks:\n  - { type: vxlan, vxlan: { vni: 228, nodeNet: 10.0.7.0/24, " +
  `remotes: [10.0.7.19] }, routing: { cidr: 203.0.113.0/24, gateway: ${gateway} } }\n`;

let directory: string;
let path: string;
let source: FileSource | undefined;
let complaints: string[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "vlan-router-source-"));
  path = join(directory, "folder", "c.yaml");
  await mkdir(join(directory, "folder"));
  complaints = [];
  // Only the periodic look: what is heard of at once is not waited for with a clock of the test's own.
  mock.timers.enable({ apis: ["setInterval"] });
});
afterEach(async () => {
  mock.timers.reset();
  await source?.close();
  source = undefined;
  await rm(directory, { recursive: true });
});

async function open(): Promise<void> {
  const log = {
    info: () => undefined,
    warn: (_fields: object, message: string) => complaints.push(message),
    error: (fields: object, message: string) =>
      complaints.push(`${message}: ${(fields as { mistakes: readonly string[] }).mistakes.join("; ")}`),
  };
  const lastGood = await LastGood.open(join(directory, "state"), log);
  source = await FileSource.open(path, "n1", lastGood, log, () => undefined);
}

const gateway = (): string | undefined => source?.desired()?.networks[0]?.spec.routing[0]?.gateway;

async function reads(expected: string): Promise<void> {
  await waitFor(`the gateway ${expected}`, () => gateway() === expected, { timeout: 5_000 });
}

async function complains(expected: string): Promise<void> {
  await waitFor(`a complaint: ${expected}`, () => complaints.includes(expected), { timeout: 5_000 });
}

/** What the agent does after 5 s in which it heard of nothing. */
const look = (): void => mock.timers.tick(5_000);

describe("a change is read at once", () => {
  test("of the file itself, and of another that takes its name", async () => {
    await writeFile(path, configuration("203.0.113.1"));
    await open();
    assert.equal(gateway(), "203.0.113.1");
    await writeFile(path, configuration("203.0.113.2"));
    await reads("203.0.113.2");
    await writeFile(`${path}.new`, configuration("203.0.113.3"));
    await rename(`${path}.new`, path);
    await reads("203.0.113.3");
  });

  test("of a ConfigMap that is mounted, where kubelet exchanges the link ..data", async () => {
    const folder = join(directory, "folder");
    for (const [version, address] of [
      ["..1", "203.0.113.1"],
      ["..2", "203.0.113.2"],
    ] as const) {
      await mkdir(join(folder, version));
      await writeFile(join(folder, version, "c.yaml"), configuration(address));
    }
    await symlink("..1", join(folder, "..data"));
    await symlink("..data/c.yaml", path);
    await open();
    await symlink("..2", join(folder, "..data_tmp"));
    await rename(join(folder, "..data_tmp"), join(folder, "..data"));
    await reads("203.0.113.2");
  });
});

describe("what nobody tells is found by looking", () => {
  test("a link on the way to the file leads to another folder", async () => {
    for (const [version, address] of [
      ["d1", "203.0.113.1"],
      ["d2", "203.0.113.2"],
    ] as const) {
      await mkdir(join(directory, version));
      await writeFile(join(directory, version, "c.yaml"), configuration(address));
    }
    await symlink("d1", join(directory, "data"));
    await symlink("../data/c.yaml", path);
    await open();
    assert.equal(gateway(), "203.0.113.1");
    await symlink("d2", join(directory, "data.new"));
    await rename(join(directory, "data.new"), join(directory, "data"));
    look();
    await reads("203.0.113.2");
  });

  test("another folder has taken the place of the file's, and is watched from then on", async () => {
    await writeFile(path, configuration("203.0.113.1"));
    await open();
    await rename(join(directory, "folder"), join(directory, "before"));
    await mkdir(join(directory, "folder"));
    await writeFile(path, configuration("203.0.113.2"));
    look();
    await reads("203.0.113.2");
    await writeFile(path, configuration("203.0.113.3"));
    await reads("203.0.113.3");
  });

  test("the folder comes after the agent has started", async () => {
    await rm(join(directory, "folder"), { recursive: true });
    await open();
    assert.equal(source?.desired(), undefined);
    assert.deepEqual(complaints, [
      "the configuration cannot be watched and is looked at every 5 s",
      "the configuration cannot be used; there is none before it: " +
        `ENOENT: no such file or directory, stat '${path}'`,
    ]);
    await mkdir(join(directory, "folder"));
    await writeFile(path, configuration("203.0.113.1"));
    look();
    await reads("203.0.113.1");
  });
});

describe("what is no regular file is refused, the last good one stays, and a good one is read again", () => {
  for (const [kind, put] of Object.entries({
    "a FIFO": async () => assert.equal(spawnSync("mkfifo", [path]).status, 0),
    "a directory": () => mkdir(path),
    "a device": () => symlink("/dev/zero", path),
    "a socket": async (t: TestContext) => {
      const server = createServer().listen(path);
      t.after(() => server.close());
      await once(server, "listening");
    },
  })) {
    test(kind, async (t) => {
      await writeFile(path, configuration("203.0.113.1"));
      await open();
      await rm(path);
      await complains(
        "the configuration cannot be used; the last good one stays: " +
          `ENOENT: no such file or directory, stat '${path}'`,
      );
      await put(t);
      await complains(
        "the configuration cannot be used; the last good one stays: " +
          `${path} is ${kind}; put a regular file there, or a symbolic link to one`,
      );
      assert.equal(gateway(), "203.0.113.1");
      await rm(path, { recursive: true });
      await writeFile(path, configuration("203.0.113.2"));
      await reads("203.0.113.2");
    });
  }

  test("a FIFO from the start does not keep the agent from starting, and is told once", async () => {
    assert.equal(spawnSync("mkfifo", [path]).status, 0);
    await open();
    for (let looks = 0; looks < 3; looks += 1) {
      look();
      await sleep(150);
    }
    await rm(path);
    await writeFile(path, configuration("203.0.113.1"));
    await reads("203.0.113.1");
    const refusals = complaints.filter((text) => text.includes("is a FIFO"));
    assert.deepEqual(refusals, [
      "the configuration cannot be used; there is none before it: " +
        `${path} is a FIFO; put a regular file there, or a symbolic link to one`,
    ]);
  });
});
