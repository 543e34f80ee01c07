/**
 * Mount points of the machine that the guest must see besides `/`, so that `paths` exist there: those that lead to each path,
 * outer ones first. Sharing all of them would hand on /proc, /sys and every container's root.
 */
export function mountsToShare(mountPoints: readonly string[], paths: readonly string[]): readonly string[] {
  const leading = mountPoints.filter((mount) => mount !== "/" && paths.some((path) => isWithin(path, mount)));
  return [...new Set(leading)].sort((a, b) => a.length - b.length || a.localeCompare(b));
}

/** Mount points in the text of /proc/self/mountinfo (proc_pid_mountinfo(5)): field 5, with octal escapes for white space. */
export function parseMountPoints(mountinfo: string): readonly string[] {
  return mountinfo
    .split("\n")
    .map((line) => line.split(" ")[4])
    .filter((field) => field !== undefined)
    .map((field) =>
      field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
    );
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
