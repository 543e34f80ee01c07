import { run } from "../../processes/run.js";

/** Debian 12, which the lab runs on: the image's programs are those that the tests run. */
export const debianRelease = "bookworm";

const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

const SUITES = [debianRelease, `${debianRelease}-updates`, `${debianRelease}-security`];

/**
 * The lines of a sources.list (sources.list(5)) for Debian's own archive as this machine is set up to reach it, whatever other
 * archives the machine uses.
 *
 * @throws when the machine's apt knows no Debian 12
 */
export async function debianSources(): Promise<readonly string[]> {
  // Without release information it also names archives whose lists have not been fetched yet.
  const format = "$(CREATED_BY) $(REPO_URI) $(RELEASE) $(COMPONENT)";
  const { stdout } = await run(["apt-get", "indextargets", "--no-release-info", "--format", format]);
  return sourceLines(stdout);
}

/** @param targets what `apt-get indextargets` prints: creator, address, release and component on each line */
export function sourceLines(targets: string): readonly string[] {
  const lines = targets.split("\n").flatMap((target) => {
    const [creator, address, release = "", component] = target.split(" ");
    if (creator !== "Packages" || !SUITES.includes(release) || component !== "main") return [];
    return [`deb [signed-by=${KEYRING}] ${address} ${release} main`];
  });
  const sources = [...new Set(lines)].sort();
  if (!sources.some((line) => line.endsWith(` ${debianRelease} main`)))
    throw new Error(
      `apt on this machine has no source of Debian 12 ("${debianRelease} main"), from which the image's programs come: ` +
        "add it to /etc/apt/sources.list.d, or build the image on Debian 12",
    );
  return sources;
}
