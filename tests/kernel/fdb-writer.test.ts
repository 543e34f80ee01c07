import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { TestNamespaces } from "../support/namespace.js";

const device = "vxlan228";
const mac = (host: number): string => `02:00:00:00:${[host >> 8, host & 0xff].map(hexByte).join(":")}`;
const hexByte = (byte: number): string => byte.toString(16).padStart(2, "0");
const replace = (host: number, vtep = "10.0.7.19"): string =>
  `bridge fdb replace ${mac(host)} dev ${device} dst ${vtep} self extern_learn`;
const remove = (host: number): string => `bridge fdb del ${mac(host)} dev ${device} dst 10.0.7.19 self`;

interface Applied {
  readonly done: readonly string[];
  readonly errors: readonly string[];
}

describe("forwarding entries written by netlink", () => {
  let node: TestNamespaces;

  const write = async (commands: readonly string[]): Promise<Applied> => {
    const program = [process.execPath, join(__dirname, "fdb-writer-driver.js")];
    return JSON.parse((await node.exec("n1", program, { input: commands.join("\n") })).stdout) as Applied;
  };
  const held = async (): Promise<readonly string[]> => {
    const entries = (await node.json("n1", `bridge -j fdb show dev ${device}`)) as readonly {
      mac: string;
      dst: string;
    }[];
    return entries.map((entry) => `${entry.mac} ${entry.dst}`).toSorted();
  };

  before(async () => {
    node = await TestNamespaces.start(["n1"]);
    await node.ip("n1", `link add ${device} type vxlan id 228 dstport 4789 nolearning`, `link set ${device} up`);
  });
  after(async () => {
    await node?.end();
  });

  it("says of each command by itself whether it failed, wherever it stands among hundreds, the last one too", async () => {
    const hosts = Array.from({ length: 400 }, (_, host) => host);
    const absent = [0, 126, 127, 128, 129, 255, 256, 399];
    const commands = hosts.map((host) => (absent.includes(host) ? remove(host) : replace(host)));
    const { done, errors } = await write(commands);
    assert.deepEqual(
      errors,
      absent.map((host) => `${remove(host)}: ENOENT`),
    );
    assert.equal(done.length, hosts.length - absent.length);
    const written = hosts.filter((host) => !absent.includes(host)).map((host) => `${mac(host)} 10.0.7.19`);
    assert.deepEqual(await held(), written.toSorted());
  });

  it("says so where all of them fail", async () => {
    const commands = Array.from({ length: 300 }, (_, host) => remove(1000 + host));
    const { done, errors } = await write(commands);
    assert.deepEqual(done, []);
    assert.deepEqual(
      errors,
      commands.map((command) => `${command}: ENOENT`),
    );
  });

  it("carries out commands in their order, around one for an interface that is not there", async () => {
    const elsewhere = replace(2).replace(device, "vxlan229");
    const commands = [replace(2000), remove(2000), replace(2001, "10.0.7.20"), elsewhere];
    const { done, errors } = await write(commands);
    assert.deepEqual(done, commands.slice(0, 3));
    assert.deepEqual(errors, [`${elsewhere}: there is no interface vxlan229`]);
    assert.deepEqual(
      (await held()).filter((entry) => entry.startsWith("02:00:00:00:07:d")),
      [`${mac(2001)} 10.0.7.20`],
    );
  });
});
