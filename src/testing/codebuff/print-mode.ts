// Adds the original server's events to the chunks of an answer.
type Chunk = string | object;

/**
 * The chunks of one answer, as the original server sends them: `start` first, a `text` event that repeats the strings
 * so far before any other event, `finish` at the end. Events that the script itself sends are not added.
 */
export class PrintModeStream {
  readonly #agentId: string;
  readonly #historyLength: number;
  #started = false;
  #finished = false;
  #unrepeated = "";

  constructor(agentId: string, historyLength: number) {
    this.#agentId = agentId;
    this.#historyLength = historyLength;
  }

  /** Returns a script's chunk, preceded by the events that must come before it. */
  chunk(chunk: Chunk): readonly Chunk[] {
    if (typeof chunk === "string") {
      const before = this.#start();
      this.#unrepeated += chunk;
      return [...before, chunk];
    }
    const type = "type" in chunk ? chunk.type : undefined;
    if (type === "start") this.#started = true;
    if (type === "text") this.#unrepeated = "";
    if (type === "finish") this.#finished = true;
    return [...this.interlude(), chunk];
  }

  /** Returns the events that must precede a message that is not a chunk. */
  interlude(): readonly Chunk[] {
    const start = this.#start();
    const text = this.#unrepeated;
    this.#unrepeated = "";
    return text === "" ? start : [...start, { type: "text", text }];
  }

  /** Returns the events that must precede the prompt-response. */
  end(totalCost: number): readonly Chunk[] {
    const before = this.interlude();
    if (this.#finished) return before;
    this.#finished = true;
    return [...before, { type: "finish", agentId: this.#agentId, totalCost }];
  }

  /** Discards the pending text, and adds no `start` any more. */
  cut(): void {
    this.#started = true;
    this.#unrepeated = "";
  }

  #start(): readonly Chunk[] {
    if (this.#started) return [];
    this.#started = true;
    const [agentId, messageHistoryLength] = [this.#agentId, this.#historyLength];
    return [{ type: "start", agentId, messageHistoryLength }];
  }
}
