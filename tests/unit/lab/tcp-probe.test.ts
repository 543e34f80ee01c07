import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { lossOf, probeTcp } from "../../../lab/traffic/tcp-probe.js";

const attempts = (answers: string) =>
  [...answers].map((answer, index) => ({ startedAt: index * 20, answered: answer === "+" }));

const cases = [
  { answers: "", loss: { attempts: 0, lost: 0, longestHole: 0 } },
  { answers: "++++", loss: { attempts: 4, lost: 0, longestHole: 0 } },
  { answers: "++-+", loss: { attempts: 4, lost: 1, longestHole: 40 } },
  { answers: "+--+-+", loss: { attempts: 6, lost: 3, longestHole: 60 } },
  { answers: "-++", loss: { attempts: 3, lost: 1, longestHole: 20 } },
  { answers: "+---", loss: { attempts: 4, lost: 3, longestHole: 60 } },
];

for (const { answers, loss } of cases) {
  test(`loss of "${answers}"`, () => assert.deepEqual(lossOf(attempts(answers)), loss));
}

test("a listening port answers, a closed one does not", async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const options = { address: "127.0.0.1", port: address.port, interval: 5, timeout: 200 };
  const open = await probeTcp(options, new Promise((resolve) => setTimeout(resolve, 60)));
  await new Promise((resolve) => server.close(resolve));
  const closed = await probeTcp(options, new Promise((resolve) => setTimeout(resolve, 60)));
  assert.ok(open.length > 2 && open.every(({ answered }) => answered));
  assert.ok(closed.length > 2 && closed.every(({ answered }) => !answered));
});
