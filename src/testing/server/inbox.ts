// Handles the frames of a connection strictly in order.

/** The frames of one connection. Each is handled after the previous one is done. */
export class Inbox<Frame extends string | object> {
  readonly #handle: (frame: Frame) => Promise<void>;
  // Handled frames stay before `#head` until the queue is empty, so taking a frame is O(1).
  #line: Frame[] = [];
  #head = 0;
  #running = false;
  #state: "open" | "paused" | "ended" = "open";

  constructor(handle: (frame: Frame) => Promise<void>) {
    this.#handle = handle;
  }

  push(frame: Frame): void {
    if (this.#state === "ended") return;
    this.#line.push(frame);
    void this.#run();
  }

  /** Whether unhandled frames wait. */
  get hasWaiting(): boolean {
    return this.#line.length > this.#head;
  }

  /** The unhandled frames. */
  waiting(): readonly Frame[] {
    return this.#line.slice(this.#head);
  }

  /** Removes and returns the unhandled frames; none during a pause. */
  takeWaiting(): readonly Frame[] {
    if (this.#state !== "open") return [];
    const waiting = this.waiting();
    this.#line = [];
    this.#head = 0;
    return waiting;
  }

  pause(): void {
    if (this.#state === "open") this.#state = "paused";
  }

  resume(): void {
    if (this.#state === "paused") this.#state = "open";
    void this.#run();
  }

  /** Drops the waiting frames. A frame being handled is not stopped. */
  end(): void {
    this.#state = "ended";
    this.#line = [];
    this.#head = 0;
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    // Frames of the same packet are pushed before the first one is answered. This detects a client that does not wait
    // for its identify ack.
    await undefined;
    while (this.#state === "open") {
      const frame = this.#line[this.#head];
      if (frame === undefined) {
        this.#line = [];
        this.#head = 0;
        break;
      }
      this.#head++;
      await this.#handle(frame);
    }
    this.#running = false;
  }
}
