import type { Configuration, NamedNetwork } from "../configuration/configuration.js";
import { segmentInterfaceName } from "../numbers/interface-name.js";

/** One thing that stands otherwise in two configurations, whatever a node makes of it. */
export type ConfigurationDifference =
  | { readonly kind: "added" | "removed"; readonly network: string }
  | {
      readonly kind: "changed";
      /** Absent for what all networks share. */
      readonly network?: string;
      /** As in the file, but that a subnet has its prefix for a number: `routing[203.0.113.0/24].gateway`. */
      readonly path: string;
      /** Absent where it was not set. */
      readonly from?: Setting;
      readonly to?: Setting;
    };

export type Setting = string | number | boolean | readonly string[];

/**
 * Networks are told apart by their interface, so that a renamed one counts as the same; they come in the order of the new
 * configuration, those that are gone at the end. The order of networks, subnets, peers and prefixes means nothing.
 */
export function configurationDifferences(old: Configuration, now: Configuration): readonly ConfigurationDifference[] {
  const [before, after] = [byInterface(old), byInterface(now)];
  return [
    ...changedSettings(clusterSettings(old), clusterSettings(now)),
    ...[...after].flatMap(([name, network]): readonly ConfigurationDifference[] => {
      const was = before.get(name);
      if (was === undefined) return [{ kind: "added", network: network.name }];
      return changedSettings(networkSettings(was), networkSettings(network), network.name);
    }),
    ...[...before].flatMap(([name, { name: network }]): readonly ConfigurationDifference[] =>
      after.has(name) ? [] : [{ kind: "removed", network }],
    ),
  ];
}

function byInterface({ networks }: Configuration): ReadonlyMap<string, NamedNetwork> {
  return new Map(networks.map((network) => [segmentInterfaceName(network), network]));
}

type Settings = ReadonlyMap<string, Setting>;

function clusterSettings({ networks: _, ...cluster }: Configuration): Settings {
  return new Map(settings("", cluster));
}

/** The subnets are one setting, and what each of them says is another for those that both configurations have. */
function networkSettings({ routing, ...network }: NamedNetwork): Settings {
  return new Map([
    ...settings("", network),
    ["routing", routing.map(({ cidr }) => cidr)] as const,
    ...routing.flatMap(({ cidr, ...subnet }) => settings(`routing[${cidr}]`, subnet)),
  ]);
}

function settings(path: string, value: object): readonly (readonly [path: string, setting: Setting])[] {
  return Object.entries(value).flatMap(([key, nested]: [string, Setting | object]) => {
    const place = path === "" ? key : `${path}.${key}`;
    return typeof nested === "object" && !Array.isArray(nested)
      ? settings(place, nested)
      : [[place, nested as Setting]];
  });
}

function changedSettings(old: Settings, now: Settings, network?: string): readonly ConfigurationDifference[] {
  const subnets = subnetsOf(old).filter((subnet) => subnetsOf(now).includes(subnet));
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((path): readonly ConfigurationDifference[] => {
    const [from, to] = [old.get(path), now.get(path)];
    const [, subnet] = /^routing\[(.+)\]/.exec(path) ?? [];
    if (isSame(from, to) || (subnet !== undefined && !subnets.includes(subnet))) return [];
    return [
      {
        kind: "changed",
        ...(network === undefined ? {} : { network }),
        path,
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      },
    ];
  });
}

function subnetsOf(found: Settings): readonly string[] {
  const subnets = found.get("routing");
  return Array.isArray(subnets) ? subnets : [];
}

function isSame(left: Setting | undefined, right: Setting | undefined): boolean {
  return JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
}

function sorted(setting: Setting | undefined): unknown {
  return Array.isArray(setting) ? setting.toSorted() : setting;
}
