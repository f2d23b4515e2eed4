// Splits and frames the output as the scenario says.
import { Buffer } from "node:buffer";
import type { FakeCodebuffScenario } from "../scenario.ts";
import { breathe, pause } from "./pause.ts";
import type { ByteSink } from "./sink.ts";

/** The maximum number of characters per write. Lines are joined, because a million single writes would take minutes. */
const PIECE = 64 * 1024;
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * The output of a run, split and framed as the scenario says. Await the promise that `add` returns when a piece is
 * full.
 */
export class Output {
  readonly #sink: ByteSink;
  readonly #scenario: FakeCodebuffScenario;
  readonly #newline: string;
  /** The newline of the last line, which may be omitted. */
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

  /** Adds a line, given without its newline. A text with newlines is several lines. */
  line(text: string): Promise<void> | undefined {
    const framed = this.#newline === "\n" ? text : text.replaceAll("\n", this.#newline);
    if (this.#scenario.newline !== "none-last") return this.raw(framed + this.#newline);
    const writing = this.raw(framed);
    this.#owed = this.#newline;
    return writing;
  }

  /** Adds text unchanged. */
  raw(text: string): Promise<void> | undefined {
    this.#piece += this.#owed + text;
    this.#owed = "";
    return this.#piece.length < PIECE ? undefined : this.flush();
  }

  /** Adds a line of a given size in bytes, mostly `filler`. Only a piece of it is in memory at a time. */
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
      // With a fast reader every write completes at once. Without this pause, timers and signals would never run.
      return breathe();
    }
    for (let at = 0; at < bytes.length && !this.broken; at += chunkBytes) {
      await this.#sink.write(bytes.subarray(at, at + chunkBytes));
      await (gapMs > 0 ? pause(gapMs) : breathe());
    }
  }
}
