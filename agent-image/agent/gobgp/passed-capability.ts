import type { ApiMessage } from "./dialect.js";

/** A capability that means nothing to this speaker, in the message that GoBGP has for its code. */
export interface PassedCapability {
  readonly field: string;
  readonly message: string;
  readonly value: ApiMessage;
}

const extendedNextHopTuple = 6;
const addPathTuple = 4;

/** By code. `gobgp neighbor` takes these for what the code says without looking, and panics where it is `UnknownCapability`. */
const readers: Readonly<Record<number, (value: Buffer) => PassedCapability | undefined>> = {
  1: () => undefined,
  // RFC 8950 section 4: AFI (2) | SAFI (2) | AFI of the next hop (2).
  5: (value) => {
    const tuples = tuplesOf(value, extendedNextHopTuple, (tuple) => ({
      nlri_family: { afi: tuple.readUInt16BE(0), safi: tuple.readUInt16BE(2) },
      nexthop_family: { afi: tuple.readUInt16BE(4), safi: 1 },
    }));
    return tuples && { field: "extended_nexthop", message: "ExtendedNexthopCapability", value: { tuples } };
  },
  64: () => undefined,
  // RFC 7911 section 4: AFI (2) | SAFI (1) | send and receive (1), with the numbers of the enum.
  69: (value) => {
    const tuples = tuplesOf(value, addPathTuple, (tuple) => ({
      family: { afi: tuple.readUInt16BE(0), safi: tuple.readUInt8(2) },
      mode: tuple.readUInt8(3),
    }));
    return tuples && { field: "add_path", message: "AddPathCapability", value: { tuples } };
  },
  71: () => undefined,
  // draft-walton-bgp-hostname-capability section 3: length (1) | host name | length (1) | domain.
  73: (value) => {
    const host = counted(value);
    const domain = host && counted(value.subarray(1 + host.length));
    return (
      domain && {
        field: "fqdn",
        message: "FqdnCapability",
        value: { host_name: host.toString(), domain_name: domain.toString() },
      }
    );
  },
  // draft-abraitis-bgp-version-capability section 3: length (1) | version.
  75: (value) => {
    const version = counted(value);
    return (
      version && {
        field: "software_version",
        message: "SoftwareVersionCapability",
        value: { software_version: version.toString() },
      }
    );
  },
};

/** Undefined: not what its code says, so that it must be left out. */
export function passedCapability(code: number, value: Buffer): PassedCapability | undefined {
  const read = readers[code];
  return read === undefined ? { field: "unknown", message: "UnknownCapability", value: { code, value } } : read(value);
}

function tuplesOf(
  value: Buffer,
  length: number,
  read: (tuple: Buffer) => ApiMessage,
): readonly ApiMessage[] | undefined {
  if (value.length % length !== 0) return undefined;
  return Array.from({ length: value.length / length }, (_, index) =>
    read(value.subarray(index * length, (index + 1) * length)),
  );
}

/** What follows a length of one byte. */
function counted(value: Buffer): Buffer | undefined {
  const [length] = value;
  return length === undefined || value.length <= length ? undefined : value.subarray(1, 1 + length);
}
