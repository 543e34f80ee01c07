import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CommandFailure, type CommandRunner } from "../../../../agent-image/agent/kernel/command-runner.js";
import {
  observeOffloads,
  parseTxChecksum,
  withOffload,
} from "../../../../agent-image/agent/kernel/observe-offloads.js";
import type { NodePlan, ObservedLink } from "../../../../model/index.js";

/** `ethtool --json --show-features '*'` of ethtool 6.1 (Debian 12) on Linux 6.18, shortened by other features. */
const features = `[ 
{
        "ifname": "lo",
        "tx-checksumming": {
            "active": true,
            "fixed": null,
            "requested": null
        },
        "tx-checksum-ip-generic": {
            "active": true,
            "fixed": true,
            "requested": false
        }
    },{
        "ifname": "vxlan5",
        "tx-checksumming": {
            "active": false,
            "fixed": null,
            "requested": null
        },
        "tx-checksum-ip-generic": {
            "active": false,
            "fixed": false,
            "requested": false
        }
    },{
        "ifname": "br5",
        "tx-checksum-ip-generic": {
            "active": true,
            "fixed": false,
            "requested": true
        }
    } ]
`;

const vxlan5 = { kind: "vxlan", name: "vxlan5" };
const planWith = (link: object): NodePlan => ({ networks: [{ link }], unplanned: [] }) as unknown as NodePlan;
const asked = planWith({ kind: "bridge", name: "br5", tunnel: { ...vxlan5, txChecksum: false } });

function program(answer: string | Error): { readonly commands: CommandRunner; readonly calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    commands: {
      async run(argv) {
        calls.push(argv.join(" "));
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  };
}

describe("C16: what ethtool says of offloads", () => {
  test("C16: is read for all interfaces at once", async () => {
    const { commands, calls } = program(features);
    const offloads = await observeOffloads(commands, asked);
    assert.deepEqual(calls, ["ethtool --json --show-features *"]);
    assert.deepEqual(offloads, {
      txChecksum: new Map([
        ["lo", true],
        ["vxlan5", false],
        ["br5", true],
      ]),
    });
  });

  test("C16: is not asked for where no network sets any", async () => {
    const { commands, calls } = program(features);
    for (const plan of [undefined, planWith(vxlan5), planWith({ kind: "vlan", name: "vlan220" })]) {
      assert.equal(await observeOffloads(commands, plan), undefined);
    }
    assert.deepEqual(calls, []);
  });

  test("C16: its failure is a result, so that no network waits for it: missing, older than the question, no JSON", async () => {
    for (const [answer, failure] of [
      [
        new CommandFailure(["ethtool"], "ethtool is not installed or not on PATH"),
        /^ethtool: ethtool is not installed or not on PATH$/,
      ],
      [
        new CommandFailure(["ethtool"], "ethtool: bad command line argument(s)\n"),
        /^ethtool: ethtool: bad command line argument\(s\)$/,
      ],
      ["Features for lo:\n", /is not valid JSON$/],
    ] as const) {
      const offloads = await observeOffloads(program(answer).commands, asked);
      assert.deepEqual(offloads?.txChecksum, new Map());
      assert.match(offloads?.failure ?? "", failure);
    }
  });

  test("C16: nothing at all is printed as an empty list", () => {
    assert.deepEqual(parseTxChecksum("[ ]\n"), new Map());
  });

  test("C16: belongs to VXLAN interfaces alone", () => {
    const link = (name: string, kind: string): ObservedLink => ({ name, kind, mtu: 1500, up: true });
    const read = new Map([
      ["vxlan5", false],
      ["br5", true],
    ]);
    assert.deepEqual(withOffload(link("vxlan5", "vxlan"), read), { ...link("vxlan5", "vxlan"), txChecksum: false });
    assert.deepEqual(withOffload(link("br5", "bridge"), read), link("br5", "bridge"));
    assert.deepEqual(withOffload(link("vxlan5", "vxlan"), undefined), link("vxlan5", "vxlan"));
  });
});
