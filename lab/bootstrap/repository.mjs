import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the checkout: the nearest folder above that holds the lock file. The same from the sources and from `dist`. */
export const repositoryRoot = nearestFolderWith("package-lock.json", dirname(fileURLToPath(import.meta.url)));

/**
 * @param {string} file
 * @param {string} start
 * @returns {string}
 */
function nearestFolderWith(file, start) {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, file))) return folder;
    if (folder === dirname(folder))
      throw new Error(`no ${file} in or above ${start}: run this from a complete checkout`);
  }
}
