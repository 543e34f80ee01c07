import type { Capability } from "../bgp/codec/capabilities.js";
import type { ApiMessage, ApiVersion } from "./dialect.js";
import { type PassedCapability, passedCapability } from "./passed-capability.js";

/** RFC 8654 section 3; without a value. */
const extendedMessageCode = 6;
const noBytes = Buffer.alloc(0);

/** The R and N bits of RFC 4724 section 3 and RFC 8538 section 2, in the four bits that GoBGP hands on. */
const restartedFlag = 0x8;
const notificationFlag = 0x4;
/** The F bit, in the octet of a family. */
const forwardingPreservedFlag = 0x80;

/**
 * The capabilities of an OPEN: of v4 in messages `Capability`, of v3 packed into `Any`. What a major has no message for is handed on
 * as its code and bytes.
 */
export function capabilityMessages(capabilities: readonly Capability[], version: ApiVersion): readonly ApiMessage[] {
  return capabilities.flatMap((capability) => {
    const passed = passedOn(capability, version);
    if (passed === undefined) return [];
    const { field, message, value } = passed;
    return [version === "v4" ? { [field]: value } : { "@type": `type.googleapis.com/apipb.${message}`, ...value }];
  });
}

function passedOn(capability: Capability, version: ApiVersion): PassedCapability | undefined {
  switch (capability.kind) {
    case "multiprotocol":
      return {
        field: "multi_protocol",
        message: "MultiProtocolCapability",
        value: { family: familyMessage(capability.family) },
      };
    case "route-refresh":
      return { field: "route_refresh", message: "RouteRefreshCapability", value: {} };
    case "enhanced-route-refresh":
      return { field: "enhanced_route_refresh", message: "EnhancedRouteRefreshCapability", value: {} };
    case "extended-message":
      return version === "v4"
        ? { field: "extended_message", message: "ExtendedMessageCapability", value: {} }
        : passedCapability(extendedMessageCode, noBytes);
    case "graceful-restart": {
      const { restarted, notification, time, families } = capability.restart;
      const flags = (restarted ? restartedFlag : 0) | (notification ? notificationFlag : 0);
      const tuples = families.map((family) => ({
        family: familyMessage(family),
        flags: family.forwardingPreserved ? forwardingPreservedFlag : 0,
      }));
      return { field: "graceful_restart", message: "GracefulRestartCapability", value: { flags, time, tuples } };
    }
    case "long-lived-graceful-restart": {
      const tuples = capability.families.map((family) => ({
        family: familyMessage(family),
        flags: family.forwardingPreserved ? forwardingPreservedFlag : 0,
        time: family.staleTime,
      }));
      return { field: "long_lived_graceful_restart", message: "LongLivedGracefulRestartCapability", value: { tuples } };
    }
    case "four-octet-as":
      return { field: "four_octet_asn", message: "FourOctetASNCapability", value: { asn: capability.as } };
    case "unknown":
      return passedCapability(capability.code, capability.value);
  }
}

/** The numbers are those of the registries in both majors. */
export function familyMessage({ afi, safi }: { readonly afi: number; readonly safi: number }): ApiMessage {
  return { afi, safi };
}
