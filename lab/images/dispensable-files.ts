import { basename, dirname } from "node:path";
import { type Architecture, namesOf } from "./architecture.js";

/** Read by compilers, debuggers and people, not by Node. */
const DISPENSABLE =
  /\.(?:d\.[cm]?ts|[cm]?ts|map|md|markdown|tsbuildinfo|c|cc|cpp|h|hh|hpp|inc|asm|S|def|gyp|gypi|flow)$/;

/** What a licence asks to be handed on with the software. */
const LEGAL = /^(?:licen[cs]e|copying|notice|patents|authors)\b/i;

/** Top folders of packages that their authors publish by accident or for people. */
const DISPENSABLE_FOLDERS = new Set([".github", "benchmarks", "doc", "docs", "test", "tests"]);

/** Folder that holds one folder with a compiled library for each platform (npm's `prebuildify`). */
const PREBUILDS = "prebuilds";

/** Koffi brings its library for both C libraries; the image has glibc. */
const FOR_MUSL = /^musl_/;

/** Whether a file or folder of compiled code can be left out of an image. */
export function isDispensable(path: string): boolean {
  const name = basename(path);
  return DISPENSABLE.test(name) && !LEGAL.test(name);
}

/**
 * Whether a file or folder of an npm package can be left out of an image.
 *
 * @param inside path inside the package
 */
export function isDispensableOf(inside: string, architecture: Architecture): boolean {
  // Nested packages are in the closure by their own path when they are needed.
  if (inside === "node_modules" || DISPENSABLE_FOLDERS.has(inside)) return true;
  if (dirname(inside) === PREBUILDS) return basename(inside) !== `linux-${namesOf[architecture].node}`;
  return FOR_MUSL.test(inside) || isDispensable(inside);
}
