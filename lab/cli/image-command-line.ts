import { parseArgs } from "node:util";
import { type Architecture, architectures, type Freshness } from "../images/index.js";
import { UsageError } from "./command-line.js";

export const imageUsage = `Usage: npm run image -- [--arch ARCH]... [--output FILE] [--name NAME:TAG] [--kept-packages] [--json]
       npm run image -- --root-filesystem FOLDER [--arch ARCH] [--kept-packages]

Writes the node agent's image as an OCI archive, with an SBOM (SPDX) for each processor beside it. Equal sources and equal
packages give the same bytes and digests.

  --arch ARCH               ${architectures.join(" or ")}; may be given twice; all of them when left out
  --output FILE             where to write it; dist/image/vlan-router-agent-VERSION.tar when left out
  --name NAME:TAG           name that the archive gives the image; vlan-router-agent:VERSION when left out
  --kept-packages           take the Debian packages of the last build, without asking for newer ones
  --json                    print what was written as JSON
  --root-filesystem FOLDER  write the image's files into a new folder instead, for one processor (this machine's when left out)

Exit code: 0 when it is written, 1 on failure, 2 on a mistake in the command line.
`;

export type ImageCommand =
  | { readonly kind: "help" }
  | {
      readonly kind: "archive";
      readonly architectures: readonly Architecture[];
      readonly output?: string;
      readonly reference?: string;
      readonly debian: Freshness;
      readonly json: boolean;
    }
  | {
      readonly kind: "root";
      readonly architecture?: Architecture;
      readonly folder: string;
      readonly debian: Freshness;
    };

/** Name and tag of an image (github.com/distribution/reference, grammar), without registry rules that only a push needs. */
const REFERENCE = /^[a-z0-9][a-z0-9._/:-]*:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

/**
 * Reads the arguments of `npm run image --`.
 *
 * @throws UsageError
 */
export function parseImageCommandLine(args: readonly string[]): ImageCommand {
  const values = options(args);
  if (values.help === true) return { kind: "help" };
  const chosen = [...new Set((values.arch ?? []).map(knownArchitecture))];
  const debian = values["kept-packages"] === true ? "kept" : "newest";
  const folder = values["root-filesystem"];
  if (folder !== undefined) {
    for (const option of ["output", "name", "json"] as const) {
      if (values[option] !== undefined)
        throw new UsageError(`--root-filesystem writes no archive: leave out --${option}`);
    }
    const [architecture, another] = chosen;
    if (another !== undefined) throw new UsageError("--root-filesystem is for one processor: give --arch once");
    return { kind: "root", folder, debian, ...(architecture === undefined ? {} : { architecture }) };
  }
  const { output, name } = values;
  if (name !== undefined && !REFERENCE.test(name))
    throw new UsageError(
      `--name "${name}" is no name with a tag: write it as in registry.example.com/vlan-router-agent:0.1.0`,
    );
  return {
    kind: "archive",
    architectures: architectures.filter((architecture) => chosen.length === 0 || chosen.includes(architecture)),
    debian,
    json: values.json === true,
    ...(output === undefined ? {} : { output }),
    ...(name === undefined ? {} : { reference: name }),
  };
}

function options(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: "boolean", short: "h" },
        arch: { type: "string", multiple: true },
        output: { type: "string" },
        name: { type: "string" },
        "kept-packages": { type: "boolean" },
        "root-filesystem": { type: "string" },
        json: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function knownArchitecture(name: string): Architecture {
  const found = architectures.find((architecture) => architecture === name);
  if (found === undefined) throw new UsageError(`--arch "${name}": images are made for ${architectures.join(" and ")}`);
  return found;
}
