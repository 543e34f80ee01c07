/**
 * Runs `work` one at a time, soon after it was asked for: what is asked during a wait or a run is done by one run
 * after it. `delay` in milliseconds gathers bursts; `onError` hears of a run that failed.
 */
export class Coalesced {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;

  constructor(
    private readonly work: () => Promise<void>,
    private readonly delay: number,
    private readonly onError: (error: Error) => void,
  ) {}

  request(): void {
    if (this.#closed) {
      return;
    }
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#work().finally(() => {
        this.#running = undefined;
        if (this.#again) {
          this.#again = false;
          this.request();
        }
      });
    }, this.delay);
  }

  /** A promise that nobody handles would end the process. */
  async #work(): Promise<void> {
    try {
      await this.work();
    } catch (error) {
      this.onError(error as Error);
    }
  }

  /** Resolves when the run that is under way is over; nothing runs after it. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}
