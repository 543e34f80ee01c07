import { z } from "zod";
import { fieldDescription } from "../configuration/field-descriptions.js";
import { switchWords } from "../configuration/normalise.js";
import { configurationSchema } from "../configuration/schema.js";
import type { JsonSchema } from "./json-schema.js";
import { described, mapFields } from "./map-fields.js";

/**
 * JSON Schema (draft 2020-12) of a configuration file, for editors. It never refuses what `parseConfigurationFile` takes,
 * and sees what stands in one place: unknown keys, types, ranges, forms of texts. What it cannot see, such as host bits or
 * what stands between networks, `vlan-router plan` says.
 */
export function configurationJsonSchema(): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(configurationSchema, { io: "input", reused: "inline" });
  return {
    $schema,
    title: "vlan-router configuration",
    description: "Public networks of a cluster or a host.",
    ...mapFields(schema, (field, place) => {
      const known = place.replace(/^networks\./, "");
      return described(writtenForms[known]?.(field) ?? field, fieldDescription(known));
    }),
  };
}

/** AS numbers as `normaliseAsn` reads them: digits as a text, or asdot (RFC 5396). */
const asn = (number: JsonSchema): JsonSchema => ({
  anyOf: [number, { type: "string", pattern: "^([0-9]{1,10}|[0-9]{1,5}[.][0-9]{1,5})$" }],
});

/** What YAML 1.1 calls booleans, as `normaliseConfiguration` reads it. */
const words: JsonSchema = { enum: [...switchWords.keys()] };

const flag = ({ default: normal, ...type }: JsonSchema): JsonSchema => ({
  anyOf: [type, words],
  ...(normal === undefined ? {} : { default: normal }),
});

/** What may also say how it is on. */
const switched = ({ default: _mapping, ...mapping }: JsonSchema): JsonSchema => ({
  anyOf: [{ type: "boolean" }, words, mapping],
  default: false,
});

/** By place: the forms that a person may write beside the normal one, as `normaliseConfiguration` takes them. */
const writtenForms: Readonly<Record<string, (normal: JsonSchema) => JsonSchema>> = {
  segmentFilter: flag,
  vxlan: (normal) => ({ ...normal, oneOf: [{ required: ["bgp"] }, { required: ["remotes"] }] }),
  "vxlan.bridge": flag,
  "vxlan.txChecksum": flag,
  "vxlan.bgp.myAsn": asn,
  "vxlan.bgp.peerAsn": asn,
  "vxlan.bgp.bfd": switched,
  "vxlan.bgp.bfd.enabled": flag,
  "vxlan.bgp.bfd.multihop": flag,
  routing: (list) => ({ anyOf: [list.items, list] }),
  "routing.arpAnnouncer": switched,
  "routing.arpAnnouncer.enabled": flag,
  "routing.onlink": flag,
};
