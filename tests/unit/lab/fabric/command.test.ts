import assert from "node:assert/strict";
import { test } from "node:test";
import { inside, ip, script } from "../../../../lab/fabric/command.js";
import { gatewayCommands } from "../../../../lab/fabric/gateway.js";
import { leafCommands } from "../../../../lab/fabric/leaf.js";
import { underlayCommands } from "../../../../lab/fabric/underlay.js";
import { run } from "../../../../lab/processes/index.js";

test("a script passes every word on as it is", async () => {
  const awkward = ["two words", "it's", "$HOME", "a;b", "", "line\nbreak", '"', "*"];
  const { stdout } = await run(["sh", "-s"], { input: script([["printf", "<%s>", ...awkward]]) });
  assert.equal(stdout, "<two words><it's><$HOME><a;b><><line\nbreak><\"><*>");
});

test("a script stops at the first command that fails, names it and keeps its exit code", async () => {
  const commands = [
    ["echo", "before"],
    ["sh", "-c", "exit 4"],
    ["echo", "after"],
  ];
  const { code, stdout, stderr } = await run(["sh", "-s"], { input: script(commands), check: false });
  assert.equal(code, 4);
  assert.equal(stdout, "before\n");
  assert.equal(stderr, "failed: sh -c exit 4\n");
});

test("the leaves neither learn from frames nor flood ARP that they can answer", () => {
  const lines = leafCommands().map((command) => command.join(" "));
  assert.ok(
    lines.includes("ip -n rr1 link add vni228 mtu 1550 type vxlan id 228 local 10.0.7.19 dstport 4789 nolearning"),
  );
  assert.ok(lines.includes("ip netns exec rr2 bridge link set dev vni240 learning off neigh_suppress on"));
});

test("the default gateway of the nodes has no way to the client", () => {
  const wrongDoor = underlayCommands().filter((command) => command.includes("dgw"));
  assert.equal(wrongDoor.filter((command) => command.includes("route")).length, 0);
});

test("the gateway hangs behind rr1 alone, in every segment", () => {
  const ports = gatewayCommands().filter((command) => command.includes("master"));
  assert.deepEqual(ports, [
    ip("rr1", "link", "set", "gateway228", "master", "br228"),
    ip("rr1", "link", "set", "gateway240", "master", "br240"),
  ]);
});

test("pods of another node are reached through that node", () => {
  const commands = underlayCommands();
  assert.ok(commands.some((command) => command.join(" ") === "ip -n n3 route add 10.244.1.0/24 via 10.0.7.11"));
  assert.ok(!commands.some((command) => command.join(" ").startsWith("ip -n n1 route add 10.244.1.0/24")));
});

test("no reverse path filter of the machine reaches the lab's namespaces", () => {
  const off = ["sysctl", "-qw", "net.ipv4.conf.all.rp_filter=0", "net.ipv4.conf.default.rp_filter=0"];
  const made = [...underlayCommands(), ...gatewayCommands()].filter(
    (command) => command[2] === "add" && command[1] === "netns",
  );
  assert.deepEqual(
    made.map((command) => command[3]),
    ["spine", "dgw", "rr1", "rr2", "n1", "n2", "n3", "cp", "gateway", "client"],
  );
  const all = [...underlayCommands(), ...gatewayCommands()].map((command) => command.join(" "));
  for (const [, , , name = ""] of made) {
    assert.ok(
      all.some((line) => line.startsWith(inside(name, ...off).join(" "))),
      name,
    );
  }
});
