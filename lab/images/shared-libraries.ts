/**
 * The files that a dynamically linked program needs beside itself, from the text that `ldd PROGRAM` prints. None for the text
 * of a static program ("not a dynamic executable", "statically linked").
 *
 * @throws when the machine lacks one of them
 */
export function sharedLibraries(program: string, lddOutput: string): readonly string[] {
  return lddOutput.split("\n").flatMap((line) => {
    const missing = /^\s*(\S+) => not found/.exec(line);
    if (missing !== null)
      throw new Error(
        `${program} needs the shared library ${missing[1]}, which this machine lacks: install its package`,
      );
    const found = /^\s*(?:\S+ => )?(\/\S+) \(0x[0-9a-f]+\)/.exec(line);
    return found?.[1] === undefined ? [] : [found[1]];
  });
}
