import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { SysctlWatch } from "../../../../agent-image/agent/kernel/sysctl-watch.js";

describe("sysctls of which the kernel tells nothing", () => {
  const planned = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `net.ipv6.conf.vxlan${index}.accept_ra`, value: "0" }));
  let values: Map<string, string>;
  let told: number;
  let watch: SysctlWatch;
  const name = "net.ipv6.conf.vxlan7.accept_ra";

  beforeEach(() => {
    values = new Map(planned(1500).map((sysctl) => [sysctl.name, sysctl.value]));
    told = 0;
    watch = new SysctlWatch(
      (sysctl) => values.get(sysctl),
      () => told++,
    );
    watch.expect(planned(20));
  });

  test("a changed one is told once, and again when it was put right and changes again", () => {
    watch.look();
    assert.equal(told, 0);
    values.set(name, "1");
    watch.look();
    watch.look();
    assert.equal(told, 1);
    values.set(name, "0");
    watch.look();
    values.set(name, "1");
    watch.look();
    assert.equal(told, 2);
  });

  test("one that cannot be put back does not ask for ever; another value is news", () => {
    values.delete(name);
    for (let look = 0; look < 10; look++) watch.look();
    assert.equal(told, 1);
    values.set(name, "2");
    watch.look();
    assert.equal(told, 2);
  });

  test("those of many networks take their turn: 1500 in 25 looks", () => {
    watch.expect(planned(1500));
    values.set("net.ipv6.conf.vxlan1499.accept_ra", "1");
    for (let look = 0; look < 24; look++) watch.look();
    assert.equal(told, 0);
    watch.look();
    assert.equal(told, 1);
  });

  test("what is not planned any more is not looked at", () => {
    values.set(name, "1");
    watch.expect([]);
    watch.look();
    assert.equal(told, 0);
  });
});
