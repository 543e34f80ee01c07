/** The system call that failed. */
export type LockStep = "mkdir" | "open" | "flock";

const otherDirectory = "name another directory with --state-directory (STATE_DIRECTORY)";

/** errno(3) names: what they mean here, and the way out. */
const causes: Readonly<Record<string, readonly [reason: string, remedy: string]>> = {
  ENOENT: ["there is nothing", "mount /proc"],
  EROFS: ["the file system is read-only", `mount it writable, or ${otherDirectory}`],
  EACCES: ["permission denied", "run as root; in a pod, mount the directory from the host and writable"],
  EPERM: ["not permitted", "run as root, and look for an immutable attribute with: lsattr -d"],
  ENOTDIR: ["a part of this path is not a directory", `move that file away, or ${otherDirectory}`],
  EEXIST: ["a file has this name", `move it away, or ${otherDirectory}`],
  EISDIR: ["a directory has this name", "remove it"],
  ELOOP: ["its symbolic links lead in a circle", "remove them"],
  ENAMETOOLONG: ["the path is too long", otherDirectory],
  ENOSPC: ["no space is left on the device", "free some, inodes too: df -h; df -i"],
  EDQUOT: ["the quota is used up", "raise it, or free space"],
  EIO: ["the device failed to read or write", "look into the kernel's log with: dmesg"],
  EMFILE: ["too many files are open in this process", "raise its limit (LimitNOFILE, ulimit -n)"],
  ENFILE: ["too many files are open on this node", "raise fs.file-max"],
  ENOLCK: ["the file system has no locks to give", `use a local file system: ${otherDirectory}`],
  EOPNOTSUPP: ["the file system has no locks", `use a local file system: ${otherDirectory}`],
  ENOSYS: ["the kernel or its sandbox has no flock(2)", "allow this system call (seccomp)"],
};

const attempts: Readonly<Record<LockStep, string>> = {
  mkdir: "cannot make the state directory",
  open: "cannot open the node's lock",
  flock: "cannot lock",
};

/** The node's lock cannot be used, which is not the same as another program holding it. */
export class NodeLockError extends Error {
  /** Name of the errno. */
  readonly code: string;

  constructor(step: LockStep, path: string, code: string) {
    const [reason, remedy] = causes[code] ?? ["unexpected", `look at the path with: ls -ld ${path}`];
    super(`${attempts[step]} ${path}: ${reason} (${code}); without it two agents could work on this node; ${remedy}`);
    this.name = "NodeLockError";
    this.code = code;
  }
}
