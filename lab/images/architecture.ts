/** Names of processors as Debian, Go and the OCI image specification (config.md, `architecture`) write them. */
export const architectures = ["amd64", "arm64"] as const;

export type Architecture = (typeof architectures)[number];

interface Names {
  /** Node's and npm's. */
  readonly node: "x64" | "arm64";
  /** Debian's folder of shared libraries (wiki.debian.org/Multiarch/Tuples). */
  readonly libraries: string;
}

export const namesOf: Readonly<Record<Architecture, Names>> = {
  amd64: { node: "x64", libraries: "x86_64-linux-gnu" },
  arm64: { node: "arm64", libraries: "aarch64-linux-gnu" },
};

/**
 * The processor of this machine.
 *
 * @throws where no image is made for it
 */
export function hostArchitecture(processor: string = process.arch): Architecture {
  const found = architectures.find((architecture) => namesOf[architecture].node === processor);
  if (found === undefined)
    throw new Error(
      `there is no image for the processor "${processor}": images are made for ${architectures.join(", ")}`,
    );
  return found;
}
