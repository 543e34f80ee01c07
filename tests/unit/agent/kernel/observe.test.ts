import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandFailure, type CommandRunner } from "../../../../agent-image/agent/kernel/command-runner.js";
import { observe } from "../../../../agent-image/agent/kernel/observe.js";

const vxlan = (id: number, master = ""): string =>
  `{"ifname":"vxlan${id}","flags":["UP"],"mtu":1500,"ifalias":"vlan-router:vxlan${id}",${master}"addr_info":[],` +
  `"linkinfo":{"info_kind":"vxlan","info_data":{"id":${id},"port":4789,"local":"10.0.7.5","learning":false}}}`;
const other = (name: string, kind: string): string =>
  `{"ifname":"${name}","flags":["UP"],"mtu":1500,"addr_info":[],"linkinfo":{"info_kind":"${kind}"}}`;
const links = [
  vxlan(1),
  vxlan(2, '"master":"br2",'),
  vxlan(3, '"master":"br3",'),
  // A VRF is a master too, and has no forwarding entries.
  vxlan(4, '"master":"red",'),
  ...[other("br2", "bridge"), other("br3", "bridge"), other("red", "vrf"), other("flannel.1", "vxlan")],
];

// Lines of `bridge -json -batch -` of iproute2 6.1.0, one for each question.
const flood = '[{"mac":"00:00:00:00:00:00","dst":"10.0.7.19","flags":["self"],"state":"permanent"}]';
const host = '[{"mac":"02:00:00:00:00:02","ifname":"tap0","flags":[],"master":"br2","state":"static"}]';
const routes =
  '[{"type":"1","dst":"default","gateway":"10.0.7.1","dev":"eth0","table":"254","protocol":"3","flags":[]},' +
  '{"type":"1","dst":"10.9.0.0/16","dev":"eth0","table":"254","protocol":"3","flags":[]},' +
  '{"type":"1","dst":"10.8.0.0/16","dev":"vxlan1","table":"1","protocol":"118","flags":[]}]';

test("the kernel is read by as many processes for many networks as for one", async () => {
  const calls: string[] = [];
  const commands: CommandRunner = {
    async run(argv, input = "") {
      calls.push(`${argv.join(" ")}${input === "" ? "" : ` <<< ${JSON.stringify(input)}`}`);
      if (argv[0] === "nft") return "table inet vlan_router {\n}\n";
      if (argv[0] === "ip") return input === "" ? `[${links.join(",")}]` : `${routes}\n[]\n`;
      return input.includes(" br ") ? `${host}\n[]\n` : `${flood}\n[]\n[]\n[]\n`;
    },
  };
  const observed = await observe(commands, "/nowhere");
  assert.deepEqual(calls, [
    "ip -details -json address show",
    'ip -4 -details -Numeric -json -batch - <<< "route show table all\\nrule show\\n"',
    "nft --stateless list table inet vlan_router",
    'bridge -json -batch - <<< "fdb show dev vxlan1\\nfdb show dev vxlan2\\nfdb show dev vxlan3\\nfdb show dev vxlan4\\n"',
    'bridge -json -batch - <<< "fdb show br br2\\nfdb show br br3\\n"',
  ]);
  assert.deepEqual(observed.forwarding, {
    vxlan1: [{ mac: "00:00:00:00:00:00", vtep: "10.0.7.19", external: false }],
    vxlan2: [],
    vxlan3: [],
    vxlan4: [],
  });
  assert.deepEqual(observed.bridged, {
    vxlan2: [{ mac: "02:00:00:00:00:02", port: "tap0", external: false }],
    vxlan3: [],
  });
  assert.equal(observed.ipv6, false);
  assert.deepEqual(observed.defaultRoutes, [{ family: 4, table: 254 }]);
  assert.deepEqual(
    observed.routes.map(({ destination }) => destination),
    ["10.8.0.0/16"],
  );
});

test("an answer that is too short is not taken for missing entries", async () => {
  const commands: CommandRunner = {
    async run(argv, input = "") {
      if (argv[0] === "nft") return "table inet vlan_router {\n}\n";
      if (argv[0] === "ip") return input === "" ? `[${links.slice(0, 1).join(",")},${vxlan(5)}]` : "[]\n[]\n";
      return `${flood}\n`;
    },
  };
  await assert.rejects(observe(commands, "/nowhere"), { message: "bridge answered 1 of 2 questions" });
});

/** A node of which an interface goes each time before its entries are asked for. */
function vanishing(times: number): { readonly commands: CommandRunner; readonly asked: () => number } {
  let left = times;
  let asked = 0;
  return {
    asked: () => asked,
    commands: {
      async run(argv, input = "") {
        if (argv[0] === "nft") return "table inet vlan_router {\n}\n";
        if (argv[0] === "ip" && input !== "") return "[]\n[]\n";
        if (argv[0] === "ip") {
          asked += 1;
          return left > 0 ? `[${vxlan(1)}]` : "[]";
        }
        left -= 1;
        // iproute2 6.1.0
        throw new CommandFailure(argv, 'Cannot find device "vxlan1"\nCommand failed -:1\n');
      },
    },
  };
}

test("an interface that goes between the questions: they are asked again", async () => {
  const { commands, asked } = vanishing(2);
  const observed = await observe(commands, "/nowhere");
  assert.deepEqual([asked(), observed.links, observed.forwarding], [3, [], {}]);
});

test("interfaces that never stay: the failure is told after five attempts", async () => {
  const { commands, asked } = vanishing(Number.POSITIVE_INFINITY);
  await assert.rejects(observe(commands, "/nowhere"), /Cannot find device "vxlan1"/);
  assert.equal(asked(), 5);
});
