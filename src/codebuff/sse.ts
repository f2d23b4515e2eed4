/**
 * The longest server-sent event that is collected, in characters: chunks are small, and a line that never
 * ends must not fill the memory.
 */
const MAX_EVENT = 16 * 1_048_576;

/** Reads server-sent events out of text that arrives in pieces, cut anywhere. Linear in the text. */
export class SseReader {
  #line = "";
  #data: string[] = [];
  /** Characters in `data`. */
  #held = 0;
  readonly #onData: (data: string) => void;
  readonly #onStray: (text: string) => void;

  /** `onData` gets the data of each event; `onStray` each line that no event stream has. */
  constructor(onData: (data: string) => void, onStray: (text: string) => void) {
    this.#onData = onData;
    this.#onStray = onStray;
  }

  /** Only the new piece is searched for line ends, so that a drip of characters costs no more than one text. */
  feed(piece: string): void {
    let from = 0;
    for (let end = piece.indexOf("\n"); end !== -1; end = piece.indexOf("\n", from)) {
      this.#endLine(this.#line + piece.slice(from, end));
      this.#line = "";
      from = end + 1;
    }
    this.#line += piece.slice(from);
    if (this.#held + this.#line.length > MAX_EVENT) this.#giveUp();
  }

  /** The stream is over: what came without a closing blank line counts too. */
  end(): void {
    if (this.#line !== "") this.#endLine(this.#line);
    this.#line = "";
    this.#dispatch();
  }

  #endLine(raw: string): void {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    if (line === "") this.#dispatch();
    else if (line.startsWith("data:")) this.#hold(line.slice(line.startsWith("data: ") ? 6 : 5));
    else if (!/^(?::|event:|id:|retry:)/.test(line)) this.#onStray(line);
  }

  #hold(data: string): void {
    this.#data.push(data);
    this.#held += data.length;
  }

  #dispatch(): void {
    const data = this.#data;
    this.#data = [];
    this.#held = 0;
    if (data.length > 0) this.#onData(data.join("\n"));
  }

  #giveUp(): void {
    this.#line = "";
    this.#data = [];
    this.#held = 0;
    this.#onStray(`(an event of more than ${MAX_EVENT} characters, given up)`);
  }
}

/**
 * The data of each event when `chunk` is, from end to end, `data: ` lines that are each followed by a blank
 * line; otherwise `undefined`. The form that the published proxy's connector sends.
 */
export function exactSse(chunk: string): readonly string[] | undefined {
  if (!chunk.startsWith("data: ") || !chunk.endsWith("\n\n")) return undefined;
  const events = chunk.slice(0, -2).split("\n\n");
  if (!events.every((event) => event.startsWith("data: ") && !event.includes("\n"))) return undefined;
  return events.map((event) => event.slice(6));
}
