import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parse, stringify } from "yaml";
import type { Result, RunOptions } from "../processes/index.js";
import type { Toolchain } from "../toolchain/index.js";

/** Where the engine runs, and reaches the API server: a lab, or the namespaces of a test. */
export interface EnginePlace {
  /** A folder of its own for one project's stacks. */
  readonly stateDirectory: string;
  admin(argv: readonly string[], options?: RunOptions): Promise<Result>;
}

export interface StackOptions {
  /** Folder of `Pulumi.yaml`. */
  readonly project: string;
  readonly name: string;
}

/** Deadline of one engine command, in milliseconds; above the provider's own deadlines, which say more. */
const ENGINE_TIMEOUT = 600_000;

/**
 * One stack of the real engine with a file backend in the state directory of its place. From there it reaches the API server
 * and nothing else, so an attempt to download a plugin fails at once.
 */
export class Stack {
  readonly name: string;
  private readonly place: EnginePlace;
  private readonly project: string;
  private readonly configFile: string;
  private readonly environment: Readonly<Record<string, string>>;

  constructor(
    place: EnginePlace,
    private readonly toolchain: Toolchain,
    options: StackOptions,
  ) {
    const home = join(place.stateDirectory, "pulumi");
    this.place = place;
    this.name = options.name;
    this.project = options.project;
    this.configFile = join(home, `Pulumi.${options.name}.yaml`);
    this.environment = {
      PATH: [
        dirname(process.execPath),
        toolchain.binDirectory,
        // The SDK ships the launcher of dynamic providers at its root.
        dirname(createRequire(join(options.project, "package.json")).resolve("@pulumi/pulumi/package.json")),
        process.env.PATH ?? "",
      ].join(":"),
      HOME: home,
      PULUMI_HOME: home,
      PULUMI_BACKEND_URL: `file://${home}`,
      PULUMI_CONFIG_PASSPHRASE: "",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      // Ambient plugins on PATH are meant here; the engine warns of each of them otherwise.
      PULUMI_IGNORE_AMBIENT_PLUGINS: "false",
    };
  }

  /**
   * Makes the stack when it is not there yet, and takes away the lock that an interrupted engine left on it: the file
   * backend keeps locks until somebody cancels them. The caller sees to it that no other engine runs.
   */
  async init(): Promise<void> {
    await mkdir(dirname(this.configFile), { recursive: true });
    const { stdout } = await this.engine(["stack", "ls", "--json"]);
    const stacks = JSON.parse(stdout) as readonly { readonly name: string }[];
    if (stacks.some(({ name }) => name === this.name)) {
      await this.engine(["cancel", "--yes", "--stack", this.name], { check: false });
      return;
    }
    await rm(this.configFile, { force: true });
    // `stack init` writes the stack's file beside Pulumi.yaml and has no option for it, so it runs beside a copy of that.
    await copyFile(join(this.project, "Pulumi.yaml"), join(dirname(this.configFile), "Pulumi.yaml"));
    await this.engine(["stack", "init", this.name, "--secrets-provider", "passphrase"], {
      cwd: dirname(this.configFile),
    });
  }

  /** Replaces the stack configuration: plain values of any shape, and secrets, which the engine encrypts. */
  async configure(plain: Readonly<Record<string, unknown>>, secrets: Readonly<Record<string, string>>): Promise<void> {
    const { encryptionsalt } = parse(await readFile(this.configFile, "utf8")) as { readonly encryptionsalt: string };
    await writeFile(this.configFile, stringify({ encryptionsalt, config: plain }));
    for (const [key, value] of Object.entries(secrets)) {
      await this.engine(["config", "set", "--secret", key, ...this.selected()], { input: value });
    }
  }

  preview(...flags: readonly string[]): Promise<Result> {
    return this.operation("preview", flags);
  }

  up(...flags: readonly string[]): Promise<Result> {
    return this.operation("up", ["--yes", ...flags]);
  }

  refresh(...flags: readonly string[]): Promise<Result> {
    return this.operation("refresh", flags);
  }

  destroy(...flags: readonly string[]): Promise<Result> {
    return this.operation("destroy", ["--yes", ...flags]);
  }

  /** Runs a program that runs the engine: in the project's folder, and told of this stack by the engine's own flags. */
  script(argv: readonly string[]): Promise<Result> {
    return this.run([...argv, ...this.selected()], { check: false });
  }

  /** Secrets stay masked. */
  async outputs(): Promise<Readonly<Record<string, unknown>>> {
    const { stdout } = await this.engine(["stack", "output", "--json", "--stack", this.name]);
    return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  }

  /** The checkpoint as the backend keeps it, for tests that search it for secrets. */
  async exported(...flags: readonly string[]): Promise<string> {
    return (await this.engine(["stack", "export", "--stack", this.name, ...flags])).stdout;
  }

  /** Replaces the checkpoint. */
  async import(checkpoint: string): Promise<void> {
    await this.engine(["stack", "import", "--stack", this.name], { input: checkpoint });
  }

  /** Gives the stack another name; its file with the configuration, which stands beside a `Pulumi.yaml`, goes along. */
  async rename(name: string): Promise<Stack> {
    await this.engine(["stack", "rename", name, "--stack", this.name], { cwd: dirname(this.configFile) });
    return new Stack(this.place, this.toolchain, { project: this.project, name });
  }

  private operation(command: string, flags: readonly string[]): Promise<Result> {
    return this.engine([command, "--color", "never", "--non-interactive", ...this.selected(), ...flags], {
      check: false,
    });
  }

  private selected(): readonly string[] {
    return ["--stack", this.name, "--config-file", this.configFile];
  }

  private engine(argv: readonly string[], options: Pick<RunOptions, "check" | "cwd" | "input"> = {}): Promise<Result> {
    return this.run(["pulumi", ...argv], options);
  }

  private run(argv: readonly string[], options: Pick<RunOptions, "check" | "cwd" | "input">): Promise<Result> {
    return this.place.admin(argv, {
      cwd: this.project,
      env: this.environment,
      timeout: ENGINE_TIMEOUT,
      ...options,
    });
  }
}
