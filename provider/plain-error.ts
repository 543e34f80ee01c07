/**
 * An error for the person at the engine, complete in itself. For check, diff, read and delete the plugin prints the error
 * and its stack besides what the engine shows (sdk/nodejs/cmd/dynamic-provider/index.ts); a stack says nothing here.
 */
export class PlainError extends Error {
  override readonly name: string = "PlainError";
  override readonly stack = "";

  override toString(): string {
    return this.message;
  }
}
