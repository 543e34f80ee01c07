import { type Mistake, type MistakeCode, renderMistake } from "../../model/index.js";

/** What can be wrong with a file before anybody looks at what it says. */
export type FileMistakeCode = "FileNotFound" | "FileTooLarge" | "IsDirectory" | "NotReadable" | "NotText" | "ReadTwice";

/** A mistake in one of the files of the command line. */
export interface InputMistake extends Omit<Mistake, "code"> {
  readonly code: MistakeCode | FileMistakeCode;
  /** As it was named on the command line. */
  readonly file: string;
}

/** `vlan-router.yaml:5:12: networks[0].vxlan.vni: 254 is the kernel's main routing table; set routing.table` */
export function mistakeLine({ file, line, column, ...mistake }: InputMistake): string {
  // An empty name comes of a variable of the shell that is not set.
  const name = file === "" ? '""' : file;
  const place = line === undefined ? name : `${name}:${line}:${column ?? 1}`;
  return `${place}: ${renderMistake({ ...mistake, path: mistake.path === "" ? "document" : mistake.path })}`;
}
