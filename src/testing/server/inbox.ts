// Handles the frames of a connection strictly in order.

/**
 * The frames of one connection, handled strictly in order, each after the one before has been done with.
 */
export class Inbox<Frame extends string | object> {
  readonly #handle: (frame: Frame) => Promise<void>;
  // Handled frames stay in front of the head until the line is empty: taking one is constant time.
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

  /** Whether there are frames that nobody has looked at yet. */
  get hasWaiting(): boolean {
    return this.#line.length > this.#head;
  }

  /** Frames that nobody has looked at yet. */
  waiting(): readonly Frame[] {
    return this.#line.slice(this.#head);
  }

  /** Takes out the frames that nobody has looked at yet; none while it is paused. */
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

  /** Forgets what waits. What is being handled is not stopped. */
  end(): void {
    this.#state = "ended";
    this.#line = [];
    this.#head = 0;
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    // Whatever else came in the same packet is pushed before the first frame is answered. So a client that
    // does not wait for its identify ack is seen.
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
