/** What `npm run image` does after the set-up. */
import { join, resolve } from "node:path";
import { repositoryRoot } from "../bootstrap/repository.mjs";
import { hostArchitecture } from "../images/architecture.js";
import { type AgentArchive, agentName, agentVersion, writeAgentArchive, writeAgentRoot } from "../images/index.js";
import { createProgress } from "../progress.js";
import { UsageError } from "./command-line.js";
import { type ImageCommand, imageUsage, parseImageCommandLine } from "./image-command-line.js";

const FAILURE = 1;
const USAGE = 2;

main(process.argv.slice(2)).catch((error: unknown) => {
  const isUsage = error instanceof UsageError;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${message}${isUsage ? "; --help shows all" : ""}\n`);
  process.exitCode = isUsage ? USAGE : FAILURE;
});

async function main(args: readonly string[]): Promise<void> {
  const command = parseImageCommandLine(args);
  const progress = createProgress();
  switch (command.kind) {
    case "help":
      process.stdout.write(imageUsage);
      return;
    case "root": {
      const { architecture = hostArchitecture(), debian } = command;
      await writeAgentRoot(architecture, fromCaller(command.folder), debian, progress);
      return;
    }
    case "archive": {
      const written = await writeAgentArchive(archiveOptions(command), progress);
      process.stdout.write(command.json ? `${JSON.stringify(written, undefined, 2)}\n` : archiveText(written));
    }
  }
}

function archiveOptions({ architectures, output, reference, debian }: ImageCommand & { kind: "archive" }) {
  const version = agentVersion();
  return {
    architectures,
    debian,
    archive:
      output === undefined ? join(repositoryRoot, "dist", "image", `${agentName}-${version}.tar`) : fromCaller(output),
    reference: reference ?? `${agentName}:${version}`,
  };
}

/** npm runs scripts in the folder of package.json and tells where it was called (npm's documentation, "scripts"). */
function fromCaller(path: string): string {
  return resolve(process.env.INIT_CWD ?? process.cwd(), path);
}

function archiveText({ archive, reference, digest, platforms }: AgentArchive): string {
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  const lines = platforms.flatMap(({ architecture, digest: own, sbom, components, layers }) => [
    `${architecture}  ${own}`,
    `  ${layers.map(({ name, size }) => `${name} ${megabytes(size)}`).join(", ")} (uncompressed)`,
    `  ${components} packages: ${sbom}`,
  ]);
  return `${[`${archive}`, `${reference}  ${digest}`, ...lines].join("\n")}\n`;
}
