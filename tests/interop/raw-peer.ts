import { join } from "node:path";
import { createInterface } from "node:readline";
import type { LabProcess } from "../../lab/index.js";
import { waitFor } from "../../lab/index.js";
import type { SpeakerHost } from "./remote-speaker.js";

/** Type and body of NOTIFICATION (RFC 4271 section 4.5) stand behind 18 bytes of marker and length. */
const notification = /^f{32}[0-9a-f]{4}03([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]*)$/;

/** A peer in a place of a test's fabric that sends the bytes that it is given; see raw-peer-driver.ts. */
export class RawPeer {
  readonly #process: Pick<LabProcess, "child">;
  #received: string[] = [];
  #connected = false;

  private constructor(host: SpeakerHost, place: string, address: string, open: Buffer) {
    const program = [process.execPath, join(__dirname, "raw-peer-driver.js"), address, open.toString("hex")];
    this.#process = host.spawn(place, program, { stdio: ["pipe", "pipe", "inherit"] });
    const { stdout } = this.#process.child;
    if (stdout !== null) createInterface({ input: stdout }).on("line", (line) => this.#take(line));
  }

  static async start(host: SpeakerHost, place: string, address: string, open: Buffer): Promise<RawPeer> {
    const peer = new RawPeer(host, place, address, open);
    await waitFor("the raw peer to listen", () => peer.#received.includes("listening"));
    return peer;
  }

  send(...messages: readonly Buffer[]): void {
    this.#process.child.stdin?.write(`${Buffer.concat(messages).toString("hex")}\n`);
  }

  /** What it has received until now no longer counts for {@link RawPeer.notification}. */
  forget(): void {
    this.#received = [];
  }

  /** Waits for a NOTIFICATION: `code/subcode`, and the data in hexadecimal. */
  notification(): Promise<{ readonly error: string; readonly data: string }> {
    return waitFor(
      "a NOTIFICATION",
      () => {
        const [, code = "", subcode = "", data = ""] =
          this.#received.map((line) => notification.exec(line)).find((match) => match !== null) ?? [];
        return code !== "" && { error: `${Number.parseInt(code, 16)}/${Number.parseInt(subcode, 16)}`, data };
      },
      { timeout: 10_000, interval: 5 },
    );
  }

  #take(line: string): void {
    if (line === "connected" || line === "closed") this.#connected = line === "connected";
    else this.#received.push(line);
  }

  get connected(): boolean {
    return this.#connected;
  }

  get hasNotification(): boolean {
    return this.#received.some((line) => notification.test(line));
  }
}
