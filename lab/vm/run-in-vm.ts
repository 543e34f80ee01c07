import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { access, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { repositoryRoot } from "../bootstrap/repository.mjs";
import { type GuestCommand, guestJobScript } from "./guest-job.js";
import { mountsToShare, parseMountPoints } from "./shared-mounts.js";
import { VIRTIOFSD, type VirtualMachine } from "./virtual-machine.js";

/** A boot takes about 4 s under TCG; Node programs run about ten times slower than outside. */
const DEFAULT_TIMEOUT_MS = 180_000;

/** Node alone needs 100 MB; the guest's written files live in memory too. */
const MEMORY_MIB = 1024;

/** virtiofsd needs some milliseconds to open its socket. */
const SOCKET_WAIT_MS = 5_000;

export interface VmCommand extends GuestCommand {
  /** Milliseconds, boot included. */
  readonly timeout?: number;
}

export interface VmResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Kernel messages, for diagnosis. */
  readonly console: string;
}

/**
 * Runs a command as root on the virtual machine's kernel. It sees the machine's file system as it is; what it writes is in memory
 * and gone afterwards.
 *
 * @throws when the guest does not boot or does not end in time; the message holds the end of its console.
 */
export async function runInVm(machine: VirtualMachine, command: VmCommand): Promise<VmResult> {
  const runs = join(machine.directory, "runs");
  await mkdir(runs, { recursive: true });
  const run = await mkdtemp(join(runs, "run-"));
  const root = join(run, "root");
  await mkdir(root);
  const job = join(run, "job.sh");
  await writeFile(job, guestJobScript(command, machine.kernel.modules));

  const needed = [machine.directory, repositoryRoot, dirname(process.execPath), command.cwd];
  const mountPoints = parseMountPoints(await readFile("/proc/self/mountinfo", "utf8"));
  const shared = mountsToShare(mountPoints, await Promise.all(needed.map((path) => realpath(path))));

  const server = serveRoot(run, root, shared);
  try {
    await socketOf(server, run);
    const ended = await endOf(startQemu(machine, run, job), command.timeout ?? DEFAULT_TIMEOUT_MS);
    const text = (name: string) => readFile(join(run, name), "utf8").catch(() => "");
    const code = (await text("code")).trim();
    if (code === "") {
      throw new Error(
        `the virtual machine gave no exit code for ${command.argv.join(" ")}: ${ended}\n` +
          `output: ${(await text("stdout")).slice(-2000)}${(await text("stderr")).slice(-2000)}\n` +
          `console: ${(await text("console")).slice(-2000)}\nqemu: ${await text("qemu.log")}\nvirtiofsd: ${await text("virtiofsd.log")}`,
      );
    }
    return {
      code: Number(code),
      stdout: await text("stdout"),
      stderr: await text("stderr"),
      console: await text("console"),
    };
  } finally {
    server.kill();
    await endOf(server, SOCKET_WAIT_MS);
    await rm(run, { recursive: true, force: true });
  }
}

/**
 * Starts virtiofsd over a read-only view of the machine's root in a mount namespace of its own, so that the view ends with it.
 * Binds are not recursive: /proc, /sys and /dev stay the guest's own.
 */
function serveRoot(run: string, root: string, shared: readonly string[]): ChildProcess {
  const script = [
    "set -e",
    "root=$1 socket=$2; shift 2",
    "mount --make-rprivate /",
    'for from in / "$@"; do mount --bind "$from" "$root$from"; mount -o remount,bind,ro "$root$from"; done',
    `exec ${VIRTIOFSD} -f --socket-path="$socket" -o source="$root" -o sandbox=chroot -o cache=always -o log_level=warn`,
  ].join("\n");
  const argv = ["--mount", "sh", "-c", script, "sh", root, join(run, "virtiofsd.sock"), ...shared];
  return started("unshare", argv, join(run, "virtiofsd.log"));
}

function startQemu(machine: VirtualMachine, run: string, job: string): ChildProcess {
  const port = (name: string) => [
    ...["-chardev", `file,id=${name},path=${join(run, name)}`],
    ...["-device", `virtserialport,chardev=${name},name=${name}`],
  ];
  const append = ["console=ttyS0", "quiet", "panic=-1", "mitigations=off", "random.trust_cpu=on"];
  append.push(`vm.job=${Buffer.from(job).toString("base64")}`);
  const argv = [
    // TCG alone: the same everywhere, with and without nested virtualisation.
    ...["-machine", "q35,memory-backend=mem", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2"],
    // vhost-user devices read the guest's memory from another process, so it must be shared.
    ...["-m", `${MEMORY_MIB}`, "-object", `memory-backend-memfd,id=mem,size=${MEMORY_MIB}M,share=on`],
    ...["-nodefaults", "-no-user-config", "-no-reboot", "-display", "none"],
    ...["-serial", `file:${join(run, "console")}`],
    ...["-kernel", machine.kernel.image, "-initrd", machine.initramfs, "-append", append.join(" ")],
    ...["-chardev", `socket,id=root,path=${join(run, "virtiofsd.sock")}`],
    ...["-device", "vhost-user-fs-pci,chardev=root,tag=machine,queue-size=1024"],
    ...["-device", "virtio-serial-pci", ...port("stdout"), ...port("stderr"), ...port("code")],
  ];
  return started(machine.qemu, argv, join(run, "qemu.log"));
}

function started(program: string, argv: readonly string[], log: string): ChildProcess {
  const file = openSync(log, "a");
  try {
    return spawn(program, argv, { stdio: ["ignore", file, file] });
  } finally {
    closeSync(file);
  }
}

async function socketOf(server: ChildProcess, run: string): Promise<void> {
  const socket = join(run, "virtiofsd.sock");
  for (const start = Date.now(); Date.now() - start < SOCKET_WAIT_MS; await delay(20)) {
    if (
      await access(socket).then(
        () => true,
        () => false,
      )
    )
      return;
    if (server.exitCode !== null) break;
  }
  throw new Error(`virtiofsd opened no socket: ${await readFile(join(run, "virtiofsd.log"), "utf8")}`);
}

/** Waits for a process and kills it after `timeout` milliseconds; tells how it ended. */
function endOf(child: ChildProcess, timeout: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const ended = () => (child.signalCode === null ? `exit code ${child.exitCode}` : `signal ${child.signalCode}`);
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve(ended());
      return;
    }
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill("SIGKILL");
    }, timeout);
    child.once("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once("exit", () => {
      clearTimeout(timer);
      resolve(late ? `stopped after ${timeout} ms` : ended());
    });
  });
}
