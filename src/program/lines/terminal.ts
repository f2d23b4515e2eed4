// Reads and writes a terminal in lines, with nothing in it that the terminal would obey.
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { styleText } from "node:util";
import { createInert } from "../../chat/print/inert.ts";

const BAR = "    | ";

/** Behind a bar, so that no line of it can pass for somebody else's. */
export function behindBar(text: string): string {
  return text.trimEnd().replace(/^/gm, BAR);
}

/** The same for a text that comes in pieces. */
export function createQuoted(): (piece: string) => string {
  let atMargin = true;
  return (piece) => {
    if (piece === "") return "";
    const shown = (atMargin ? BAR : "") + piece.replace(/\n(?!$)/g, `\n${BAR}`);
    atMargin = piece.endsWith("\n");
    return shown;
  };
}

/** Whether to use colour: `NO_COLOR` forbids it, `FORCE_COLOR` asks for it, otherwise only a terminal gets it. */
export function wantsColour(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR } = env;
  if (NO_COLOR) return false;
  return FORCE_COLOR === undefined ? isTerminal : FORCE_COLOR !== "0";
}

export type TextStyle = Parameters<typeof styleText>[0];

/** Where a chat is shown. Whatever it is given is inert when it is written, also where an escape sequence comes in pieces. */
export class Screen {
  readonly #out: Writable;
  readonly #colour: boolean;
  readonly #inert = createInert();
  #atMargin = true;
  #style: TextStyle | undefined;

  constructor(out: Writable, colour: boolean) {
    this.#out = out;
    this.#colour = colour;
  }

  /** A piece of text that goes on where the last one ended, unless that was of another style. */
  stream(text: string, style?: TextStyle): void {
    if (style !== this.#style) this.fresh();
    this.#style = style;
    this.#write(this.#inert.push(text), style);
  }

  /** A line, or several, of its own. */
  line(text = "", style?: TextStyle): void {
    this.ask(`${text}\n`, style);
  }

  /** What the user answers on the same line. */
  ask(text: string, style?: TextStyle): void {
    this.fresh();
    this.#write(this.#inert.push(text) + this.#inert.end(), style);
  }

  /** The user's own Enter was shown, by the terminal. */
  entered(): void {
    this.#atMargin = true;
  }

  /** Begins a new line, unless the last one has ended. */
  fresh(): void {
    this.#write(this.#inert.end(), this.#style);
    if (!this.#atMargin) this.#write("\n");
    this.#atMargin = true;
  }

  #write(shown: string, style?: TextStyle): void {
    if (shown === "") return;
    this.#atMargin = shown.endsWith("\n");
    this.#out.write(
      this.#colour && style !== undefined ? styleText(style, shown, { validateStream: false }) : shown,
    );
  }
}

/** What a user types, line by line. */
export class TypedLines {
  readonly #interface;
  readonly #ahead = new Set<{ readonly line: string }>();
  #waiting: ((line: string | undefined) => void) | undefined;
  #ended = false;

  constructor(input: Readable, entered: () => void) {
    this.#interface = createInterface({ input });
    this.#interface.on("line", (line) => {
      entered();
      if (this.#waiting) this.#waiting(line);
      else this.#ahead.add({ line });
    });
    this.#interface.on("close", () => {
      this.#ended = true;
      this.#waiting?.(undefined);
    });
  }

  /** Whether no more lines can come. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The next line, also one that was typed ahead; nothing at the end. */
  async next(): Promise<string | undefined> {
    for (const typed of this.#ahead) {
      this.#ahead.delete(typed);
      return typed.line;
    }
    return this.#typed();
  }

  /** The answer to a question that was just shown: what was typed before is none. Nothing at the end, and when it is not needed any more. */
  async answer(signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return undefined;
    const giveUp = (): void => this.#waiting?.(undefined);
    signal.addEventListener("abort", giveUp, { once: true });
    const answer = await this.#typed();
    signal.removeEventListener("abort", giveUp);
    return answer;
  }

  /** Ends them, for whoever waits too. */
  close(): void {
    this.#interface.close();
  }

  #typed(): Promise<string | undefined> {
    if (this.#ended) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#waiting = (line) => {
        this.#waiting = undefined;
        resolve(line);
      };
    });
  }
}
