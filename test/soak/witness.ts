import type { Book } from "./book.ts";
import type { Driver, Server, WireFrame } from "./driver.ts";

/** Reads what the mocks of a chapter have noted, and enters it into the book. */
export class Witness {
  readonly #driver: Driver;
  readonly #book: Book;
  readonly #strictLine: boolean;
  /** Every frame of the chapter, in order, with the number of its server. */
  readonly #frames: { readonly where: string; readonly frame: WireFrame }[] = [];
  #servers = 0;

  /** @param strictLine whether nothing may be sent while a prompt runs */
  constructor(driver: Driver, book: Book, strictLine: boolean) {
    this.#driver = driver;
    this.#book = book;
    this.#strictLine = strictLine;
  }

  /** Takes down all that a server knows; called once for each, when it has ended. */
  hear(server: Server): void {
    const number = ++this.#servers;
    /** Connections on which a prompt runs, with its turn. */
    const running = new Map<string, number | undefined>();
    for (const frame of server.frames) {
      const where = `server ${number}, connection ${frame.connection.id}`;
      this.#frames.push({ where, frame });
      const { prompt, asked, decision, line, isAnswer } = this.#driver.meaningOf(frame);
      if (prompt !== undefined) this.#book.received.push({ turn: prompt, where });
      if (asked) this.#book.ask(asked.turn, asked.call);
      if (decision) this.#book.decision(decision.turn, decision.call, decision.approved);
      if (this.#strictLine && frame.direction === "c2s" && running.has(where) && !isAnswer) {
        const message = `on ${where} the client sent ${frame.raw.slice(0, 80)} while a prompt ran`;
        this.#book.note("frame-mid-prompt", message, running.get(where));
      }
      if (line === "begins") running.set(where, prompt);
      if (line === "ends") running.delete(where);
    }
    for (const { kind, detail } of server.violations) {
      if (!this.#driver.excused.has(kind))
        this.#book.note("client-mistake", `the mock says ${kind}: ${detail}`);
    }
  }

  /** The last frames of the chapter, or of the connections that a turn was on. */
  last(turn: number | undefined, count: number): readonly string[] {
    const on = new Set(
      this.#book.received.filter((prompt) => prompt.turn === turn).map(({ where }) => where),
    );
    const frames = on.size === 0 ? this.#frames : this.#frames.filter(({ where }) => on.has(where));
    const end = turn === undefined ? frames.length : lastNaming(turn, frames) + 4;
    return frames
      .slice(0, end)
      .slice(-count)
      .map(({ where, frame }) => `${where} ${frame.direction} ${cut(frame.raw)}`);
  }
}

const SHOWN = 200;

function cut(raw: string): string {
  return raw.length > SHOWN ? `${raw.slice(0, SHOWN)}... (${raw.length} characters)` : raw;
}

function lastNaming(turn: number, frames: readonly { readonly frame: WireFrame }[]): number {
  const at = frames.findLastIndex(
    ({ frame: { raw } }) =>
      raw.includes(`«${turn}»`) || raw.includes(`⟨${turn}.`) || raw.includes(`"${turn}.`),
  );
  return at < 0 ? frames.length : at;
}
