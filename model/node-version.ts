/** As `engines` of package.json has it: undici 8, which the Kubernetes client needs, has it so. */
export const oldestNode = "22.19";

/**
 * Why this package cannot run here, and what to do; undefined where it can. Without the question an old Node ends with a
 * TypeError in the middle of something.
 * @param version as `process.versions.node` has it
 * @param executable path of that node
 */
export function nodeVersionProblem(version: string, executable: string): string | undefined {
  const [major, minor] = numbersOf(version);
  const [oldestMajor, oldestMinor] = numbersOf(oldestNode);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return (
    `pulumi-vlan-router needs Node.js ${oldestNode} or later, and ${executable} is ${version}; ` +
    'install a newer one and let it be the first "node" of PATH, by which Pulumi starts programs and their providers'
  );
}

function numbersOf(version: string): readonly [major: number, minor: number] {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return [major, minor];
}
