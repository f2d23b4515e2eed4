// Puts the event objects of the original server around the chunks of an answer.
type Chunk = string | object;

/**
 * The chunks of one answer as the original server sends them: `start` first, the text of strings repeated in
 * a `text` event before anything else comes, `finish` at the end. What the script sends of these itself is
 * not added again.
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

  /** A chunk of the script, behind those that it needs before it. */
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

  /** What must be out before something that is no chunk. */
  interlude(): readonly Chunk[] {
    const start = this.#start();
    const text = this.#unrepeated;
    this.#unrepeated = "";
    return text === "" ? start : [...start, { type: "text", text }];
  }

  /** What must be out before the prompt-response. */
  end(totalCost: number): readonly Chunk[] {
    const before = this.interlude();
    if (this.#finished) return before;
    this.#finished = true;
    return [...before, { type: "finish", agentId: this.#agentId, totalCost }];
  }

  /** Nothing more of what was said or begun is to be repeated. */
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
