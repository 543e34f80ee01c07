/** A Go module at one version. */
export interface ModuleVersion {
  readonly path: string;
  /** With the leading `v`. */
  readonly version: string;
}

/** A `replace` line of a go.mod. A module's own lines do not count for those who use it, so a wrapper repeats them. */
export interface Replacement {
  readonly from: string;
  readonly to: ModuleVersion;
}

/**
 * What stands in for the modules that a module replaces by folders of its own repository, which its published form lacks:
 * their published versions (k8s.io/kubernetes and its `staging` folder).
 */
export interface FolderReplacements {
  readonly kind: "published-folders";
  readonly version: string;
}

export type Source =
  | {
      readonly kind: "package";
      readonly module: ModuleVersion;
      /** Import path of the main package. */
      readonly package: string;
      readonly replacements: readonly Replacement[] | FolderReplacements;
    }
  | {
      /** A main.go of ours, in the folder of the tool's name beside this file. */
      readonly kind: "own-main";
      /** The module that it uses; none when the standard library is enough. */
      readonly module?: ModuleVersion;
      readonly replacements: readonly Replacement[];
      /** Files of that module that it embeds, as paths inside the module. */
      readonly embeds: readonly string[];
    };

/** Versions from `minimum` on, and when given only those `below`. */
export interface VersionRange {
  readonly minimum: string;
  readonly below?: string;
}

/** Where a program that was installed by other means is looked for before it is built. */
export type Installed =
  | { readonly kind: "path"; readonly versionArguments: readonly string[]; readonly versions: VersionRange }
  /** In the folder of another fitting program from PATH, with which it is released. */
  | { readonly kind: "beside"; readonly program: string }
  /** In a folder of Pulumi's plugin cache, whose name holds the version. */
  | { readonly kind: "pulumi-plugin"; readonly folder: string }
  | { readonly kind: "never"; readonly reason: string };

export interface Tool {
  /** File name of the program. */
  readonly name: string;
  readonly version: string;
  readonly source: Source;
  /** String variables that the linker sets, by qualified name. */
  readonly variables: Readonly<Record<string, string>>;
  readonly installed: Installed;
}
