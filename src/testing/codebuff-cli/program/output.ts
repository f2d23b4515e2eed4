// Cuts and frames the output as the scenario says.
import { Buffer } from "node:buffer";
import type { FakeCodebuffScenario } from "../scenario.ts";
import { breathe, pause } from "./pause.ts";
import type { ByteSink } from "./sink.ts";

/** Lines are put together up to so many characters before they are written: one by one, a million would take minutes. */
const PIECE = 64 * 1024;
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * What a run prints, cut and framed as the scenario says. What `add` returns has to be awaited where it is a promise:
 * then a piece was full, and is on its way.
 */
export class Output {
  readonly #sink: ByteSink;
  readonly #scenario: FakeCodebuffScenario;
  readonly #newline: string;
  /** The newline of the last line, where that may have none. */
  #owed = "";
  #piece = "";

  constructor(sink: ByteSink, scenario: FakeCodebuffScenario) {
    this.#sink = sink;
    this.#scenario = scenario;
    this.#newline = scenario.newline === "\r\n" ? "\r\n" : "\n";
    if (scenario.bom === true) this.#piece = BYTE_ORDER_MARK;
  }

  get broken(): boolean {
    return this.#sink.broken;
  }

  /** A line, without its newline; one with newlines within is several. */
  line(text: string): Promise<void> | undefined {
    const framed = this.#newline === "\n" ? text : text.replaceAll("\n", this.#newline);
    if (this.#scenario.newline !== "none-last") return this.raw(framed + this.#newline);
    const writing = this.raw(framed);
    this.#owed = this.#newline;
    return writing;
  }

  /** Text as it is. */
  raw(text: string): Promise<void> | undefined {
    this.#piece += this.#owed + text;
    this.#owed = "";
    return this.#piece.length < PIECE ? undefined : this.flush();
  }

  /** A line of so many bytes, most of which are `filler`: only a piece of it is ever in memory. */
  async huge(head: string, tail: string, bytes: number): Promise<void> {
    await this.raw(head);
    let left = bytes - Buffer.byteLength(head) - Buffer.byteLength(tail);
    for (; left > 0 && !this.broken; left -= PIECE) await this.raw("x".repeat(Math.min(left, PIECE)));
    await this.line(tail);
  }

  async bytes(bytes: Uint8Array): Promise<void> {
    await this.raw("");
    await this.flush();
    await this.#write(bytes);
  }

  /** Resolves once all that was added has left this process. */
  async flush(): Promise<void> {
    if (this.#piece === "") return;
    const bytes = Buffer.from(this.#piece);
    this.#piece = "";
    await this.#write(bytes);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const { chunkBytes, gapMs = 0 } = this.#scenario;
    if (chunkBytes === undefined) {
      await this.#sink.write(bytes);
      // A reader who keeps up makes every write end at once: without this, no timer and no signal would get a turn.
      return breathe();
    }
    for (let at = 0; at < bytes.length && !this.broken; at += chunkBytes) {
      await this.#sink.write(bytes.subarray(at, at + chunkBytes));
      await (gapMs > 0 ? pause(gapMs) : breathe());
    }
  }
}
