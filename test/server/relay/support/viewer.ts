// Reads an event stream as a client does, from the text of the protocol alone.
import type { RelayChatState } from "agentwire/server";
import type { UniversalEvent } from "agentwire/universal";

export interface SseFrame {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly comment?: string;
  readonly retry?: string;
}

/** One reader of a stream. */
export class TestViewer {
  readonly response: Response;
  readonly frames: SseFrame[] = [];
  readonly events: UniversalEvent[] = [];
  readonly states: RelayChatState[] = [];
  /** The id of the last frame with one. */
  position: string | undefined;
  /** `open`, or how the stream has ended. */
  end: "open" | "clean" | "cut" = "open";
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #waiting = new Set<() => void>();
  #rest = "";

  constructor(response: Response) {
    this.response = response;
    const body = response.body as ReadableStream<Uint8Array> | null;
    if (!body) throw new Error("the answer has no body");
    this.#reader = body.getReader();
    void this.#read();
  }

  get state(): RelayChatState | undefined {
    return this.states.at(-1);
  }

  /** The keys of the prompts that wait. */
  get queue(): readonly string[] | undefined {
    return this.state?.queue.map(({ key }) => key);
  }

  /** Resolves once a condition holds. */
  async until(holds: (viewer: this) => unknown): Promise<this> {
    while (!holds(this)) {
      if (this.end !== "open") throw new Error(`the stream has ended: ${this.end}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
    return this;
  }

  /** Resolves once the stream has ended. */
  async ended(): Promise<"clean" | "cut"> {
    while (this.end === "open") await new Promise<void>((resolve) => this.#waiting.add(resolve));
    return this.end;
  }

  /** Resolves once the events have this many ended turns. */
  turns(count: number): Promise<this> {
    return this.until(() => this.events.filter(({ type }) => type === "turn.ended").length >= count);
  }

  close(): Promise<void> {
    return this.#reader.cancel().catch(() => {});
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        this.#take(decoder.decode(value, { stream: true }));
        this.#wake();
      }
      this.end = "clean";
    } catch {
      this.end = "cut";
    }
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  #take(text: string): void {
    const blocks = (this.#rest + text).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    for (const block of blocks) this.#frame(frameOf(block));
  }

  #frame(frame: SseFrame): void {
    this.frames.push(frame);
    if (frame.id !== undefined) this.position = frame.id === "" ? undefined : frame.id;
    if (frame.event === "events") this.events.push(...(JSON.parse(frame.data ?? "") as UniversalEvent[]));
    if (frame.event === "state") this.states.push(JSON.parse(frame.data ?? "") as RelayChatState);
  }
}

export function frameOf(block: string): SseFrame {
  const fields: Record<string, string> = {};
  for (const line of block.split("\n")) {
    const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    fields[name === "" ? "comment" : name] = value;
  }
  return fields;
}
