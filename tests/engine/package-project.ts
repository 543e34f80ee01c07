import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Result, run } from "../../lab/processes/index.js";

/** Tests run compiled, in `dist/tests/engine`. */
export const repositoryRoot = join(__dirname, "..", "..", "..");

export const packageName = "pulumi-vlan-router";

/** What npm says of a tarball that it made. */
export interface Tarball {
  readonly filename: string;
  /** Bytes, packed and unpacked. */
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** An entry of a lock file (docs.npmjs.com, package-lock-json). */
export interface LockedPackage {
  readonly version?: string;
  readonly link?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** How the project's own program is compiled and loaded. */
export type ModuleSystem = "commonjs" | "module";

/** Packs the repository as a release is packed, its `prepack` included. */
export async function pack(directory: string): Promise<Tarball> {
  const { stdout } = await run(["npm", "pack", "--json", "--pack-destination", directory], { cwd: repositoryRoot });
  const [tarball] = JSON.parse(stdout) as readonly Tarball[];
  if (tarball === undefined) throw new Error(`npm pack said nothing of a tarball: ${stdout}`);
  return tarball;
}

/** A copy of an example outside the repository, which depends on the tarball instead of the repository. */
export class FreshProject {
  private constructor(readonly directory: string) {}

  /**
   * The engine compiles a CommonJS program itself; one of ECMAScript modules must be compiled before.
   * @param tarball file name beside the folder of the project
   */
  static async create(
    directory: string,
    { example, type, tarball }: { readonly example: string; readonly type: ModuleSystem; readonly tarball: string },
  ): Promise<FreshProject> {
    const source = join(repositoryRoot, "examples", example);
    await mkdir(directory);
    await cp(source, directory, {
      recursive: true,
      filter: (path) => !path.slice(source.length).includes("node_modules"),
    });
    const project = new FreshProject(directory);
    const { packages } = await readJson<Lockfile>(join(repositoryRoot, "package-lock.json"));
    const original = await project.json<Record<string, unknown>>("package.json");
    const manifest = {
      ...original,
      type,
      main: type === "module" ? "bin/index.js" : original.main,
      dependencies: {
        ...(original.dependencies as Readonly<Record<string, string>>),
        [packageName]: `file:../${tarball}`,
      },
    };
    await project.write("package.json", manifest);
    // The versions that the repository was tested with: what npm needs of them is in its cache since `npm ci`.
    const locked = Object.entries(packages).filter(([path, { link }]) => path.startsWith("node_modules/") && !link);
    await project.write("package-lock.json", {
      name: original.name,
      lockfileVersion: 3,
      requires: true,
      packages: { "": manifest, ...Object.fromEntries(locked) },
    });
    if (type === "module") {
      const engineProject = await readFile(join(source, "Pulumi.yaml"), "utf8");
      const compiled = "runtime: { name: nodejs, options: { typescript: false } }";
      await project.write("Pulumi.yaml", engineProject.replace(/^runtime: nodejs$/m, compiled));
    }
    return project;
  }

  /** @param flags of `npm install` besides the usual ones */
  async install(...flags: readonly string[]): Promise<void> {
    const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
    await this.run("npm", "install", ...quiet, ...flags);
  }

  /** Shares what another project of the same dependencies installed. */
  async installFrom(other: FreshProject): Promise<void> {
    await symlink(join(other.directory, "node_modules"), join(this.directory, "node_modules"));
  }

  /** Compiles files of the project strictly, and writes the output to `bin`; further options may stand before the files. */
  compile(module: "node16" | "nodenext", ...files: readonly string[]): Promise<Result> {
    const options = ["--strict", "--target", "es2024", "--module", module, "--types", "node", "--outDir", "bin"];
    // The compiler that the project installed.
    return this.run("node", "node_modules/typescript/bin/tsc", ...options, "--resolveJsonModule", ...files);
  }

  /** Runs a program in the project's folder. */
  run(...argv: readonly string[]): Promise<Result> {
    return run(argv, { cwd: this.directory });
  }

  async write(file: string, content: unknown): Promise<void> {
    await writeFile(
      join(this.directory, file),
      typeof content === "string" ? content : `${JSON.stringify(content, undefined, 2)}\n`,
    );
  }

  json<T>(file: string): Promise<T> {
    return readJson<T>(join(this.directory, file));
  }

  /** What the package brings along besides its peers, by path in `node_modules`. */
  async dependencies(): Promise<ReadonlyMap<string, LockedPackage>> {
    const { packages } = await this.json<Lockfile>("package-lock.json");
    const found = new Map<string, LockedPackage>();
    const visit = (path: string) => {
      const entry = packages[path];
      if (entry === undefined || found.has(path)) return;
      found.set(path, entry);
      for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) {
        visit(resolveDependency(packages, path, name));
      }
    };
    const own = `node_modules/${packageName}`;
    visit(own);
    found.delete(own);
    return found;
  }
}

/** As Node finds a package: in the nearest `node_modules` upwards. */
function resolveDependency(packages: Lockfile["packages"], from: string, name: string): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (path in packages) return path;
    if (folder === "") throw new Error(`the lock file has no ${name} for ${from}`);
  }
}

async function readJson<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(file, "utf8")) as T;
}
