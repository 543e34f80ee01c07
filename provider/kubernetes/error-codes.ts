/** Errors nest (`fetch failed` holds the system's); deeper than this, or in a circle, nothing new is said. */
const deepest = 8;

/**
 * What an error and its causes say in codes, for example `connect ECONNREFUSED 10.0.0.1:6443`, `CERT_HAS_EXPIRED` or
 * `TimeoutError`. Their messages are left out: they may quote what they stumbled over, which here is a header, a URL, a
 * key or a credential plugin's output.
 */
export function errorCodes(cause: unknown): readonly string[] {
  const errors: Error[] = [];
  for (let error = cause; error instanceof Error && errors.length < deepest; error = error.cause) errors.push(error);
  const codes = errors.map(codeOf).filter((code) => code !== undefined);
  const names = errors.map(({ name }) => name).filter(isWord);
  const found = codes.length > 0 ? codes : names.slice(-1);
  return found.length > 0 ? [...new Set(found)] : ["an unknown error"];
}

/** The fields of Node's system errors; a `path` or `spawnargs` is not among them. */
interface SystemError {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
}

function codeOf(error: Error): string | undefined {
  const { code, syscall, address, port } = error as Error & SystemError;
  if (typeof code !== "string" || !isWord(code)) return undefined;
  // `spawn` comes with the command.
  const call = typeof syscall === "string" ? `${syscall.split(" ", 1)[0]} ` : "";
  const peer = typeof address === "string" ? ` ${address}${typeof port === "number" ? `:${port}` : ""}` : "";
  return `${call}${code}${peer}`;
}

function isWord(text: string): boolean {
  return /^[A-Za-z]\w*$/.test(text);
}
