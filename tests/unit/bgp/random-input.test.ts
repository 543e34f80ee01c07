import { test } from "node:test";
import { decoderProperties } from "./decoder-properties.js";

/** Some seconds for all; the nightly form tries a million. */
const messages = 4000;

for (const { name, check } of decoderProperties) {
  test(`whatever a peer sends: ${name}`, () => check(messages));
}
