import koffi from "koffi";

/** Name of the C library's errno after the last call that failed, such as `EACCES`. Ask at once: the next call overwrites it. */
export function errnoName(): string {
  const number = koffi.errno();
  const name = Object.entries(koffi.os.errno).find(([, value]) => value === number)?.[0];
  return name ?? `errno ${number}`;
}
