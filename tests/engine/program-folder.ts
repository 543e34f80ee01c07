import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repositoryRoot } from "./package-project.js";

/**
 * Makes the folder of a JavaScript program, which finds the package as the repository builds it.
 * @param project its name, the namespace of its configuration
 */
export async function programFolder(directory: string, project: string, program: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  const runtime = "runtime: { name: nodejs, options: { typescript: false } }";
  await writeFile(join(directory, "Pulumi.yaml"), `name: ${project}\n${runtime}\n`);
  await writeFile(join(directory, "package.json"), JSON.stringify({ name: project, main: "index.js" }));
  await writeFile(join(directory, "index.js"), program);
  await symlink(join(repositoryRoot, "node_modules"), join(directory, "node_modules"));
  return directory;
}
