import assert from "node:assert/strict";
import { test } from "node:test";
import { requiredPackages } from "../../../../lab/images/required-packages.js";

test("names of packages, without their parts, Node's own modules and files", () => {
  const compiled = `
const fs = require("node:fs");
const net = require("net");
const zod_1 = __importDefault(require("zod"));
const own = require("../core/loop.js");
const peer = require("./peer.js");
const rfc = require("@kubernetes/client-node/dist/api.js");
const koffi = await import("koffi/indirect");
`;
  assert.deepEqual(requiredPackages(compiled), ["zod", "@kubernetes/client-node", "koffi"]);
});
