import { z } from "zod";
import { tableRange, udpPortRange } from "../numbers/limits.js";
import type { RouterNodeSpec, RouterNodeStatus } from "./objects.js";

/** Several writers may own entries of one list; server-side apply then tells them apart by this key. */
const byKey = (key: string) => ({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [key] });
const timestamp = () => z.string().meta({ format: "date-time" });

export const routerNodeSpecSchema = z.strictObject({
  networks: z.array(z.strictObject({ name: z.string(), uid: z.string(), revision: z.string() })).meta(byKey("name")),
}) satisfies z.ZodType<RouterNodeSpec>;

const interfaceStatus = z.strictObject({
  name: z.string(),
  state: z.enum(["up", "down", "missing"]),
  mac: z.string().exactOptional(),
  mtu: z.int32().min(0).exactOptional(),
  local: z.string().exactOptional(),
  port: z.int().min(udpPortRange.minimum).max(udpPortRange.maximum).exactOptional(),
});

const sessionStatus = z.strictObject({
  peer: z.string(),
  local: z.string().exactOptional(),
  state: z.enum(["Idle", "Connect", "Active", "OpenSent", "OpenConfirm", "Established"]),
  bfd: z.enum(["AdminDown", "Down", "Init", "Up"]).exactOptional(),
  since: timestamp(),
  lastError: z.string().exactOptional(),
});

const condition = z.strictObject({
  type: z.string(),
  status: z.enum(["True", "False", "Unknown"]),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: timestamp(),
});

const networkStatus = z.strictObject({
  name: z.string(),
  uid: z.string(),
  revision: z.string(),
  interface: interfaceStatus,
  tables: z.array(z.int().min(tableRange.minimum).max(tableRange.maximum)),
  sessions: z.array(sessionStatus).meta(byKey("peer")),
  addresses: z.array(z.string()),
  bridgedHosts: z.int32().min(1).exactOptional(),
  conditions: z.array(condition).meta(byKey("type")),
  drift: z.array(z.string()),
  repairs: z.int32().min(0),
});

/** As wide as the kernel has them: one that the schema refused would take the whole status with it. */
const foreignInterface = z.strictObject({
  name: z.string(),
  kind: z.string().exactOptional(),
  vni: z.int32().min(0).exactOptional(),
  port: z.int().min(0).max(udpPortRange.maximum).exactOptional(),
  external: z.literal(true).exactOptional(),
  parent: z.string().exactOptional(),
  vlanId: z.int32().min(0).exactOptional(),
  master: z.string().exactOptional(),
});

const foreignObjects = z.strictObject({
  interfaces: z.array(foreignInterface).meta(byKey("name")),
  omittedInterfaces: z.int32().min(0),
  tables: z.array(z.int().min(0).max(0xffff_ffff)),
});

export const routerNodeStatusSchema = z.strictObject({
  agent: z.strictObject({ version: z.string(), image: z.string() }),
  heartbeatTime: timestamp(),
  conditions: z.array(condition).meta(byKey("type")).exactOptional(),
  foreign: foreignObjects.exactOptional(),
  networks: z.array(networkStatus).meta(byKey("name")),
}) satisfies z.ZodType<RouterNodeStatus>;
