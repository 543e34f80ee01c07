import { KernelReconciler, operationText, removeEverything, systemCommands } from "../kernel/index.js";

export interface CleanupOptions {
  readonly dryRun: boolean;
  readonly sysctlRoot: string;
}

/** Removes everything of ours from this node's kernel, or lists what would be removed. Returns the exit code. */
export async function runCleanup({ dryRun, sysctlRoot }: CleanupOptions): Promise<number> {
  const kernel = new KernelReconciler({ commands: systemCommands, sysctlRoot });
  if (dryRun) {
    for (const operation of removeEverything(await kernel.observe())) {
      process.stdout.write(`${operationText(operation)}\n`);
    }
    return 0;
  }
  const { done, errors } = await kernel.cleanUp();
  process.stdout.write(done.map((command) => `${command}\n`).join(""));
  process.stderr.write(errors.map((error) => `${error}\n`).join(""));
  return errors.length === 0 ? 0 : 1;
}
