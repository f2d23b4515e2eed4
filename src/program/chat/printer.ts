// What one turn prints: the answer, one object, or events.
import { type Chat, type ChatMessage, createInert } from "../../chat/index.ts";
import { toJsonl } from "../../universal/index.ts";
import type { TurnReport } from "./turn-report.ts";

export const OUTPUTS = ["text", "json", "stream-json"] as const;
export type TurnOutput = (typeof OUTPUTS)[number];

/** Prints one turn while it comes. */
export interface TurnPrinter {
  /** The answer so far. */
  answer(message: ChatMessage): void;
  end(report: TurnReport): void;
}

/** @param write to stdout */
export function printerFor(output: TurnOutput, chat: Chat, write: (text: string) => void): TurnPrinter {
  switch (output) {
    case "text":
      return new TextPrinter(write);
    case "json":
      return { answer: () => {}, end: (report) => write(`${JSON.stringify(report)}\n`) };
    case "stream-json":
      chat.on("event", (event) => write(toJsonl([event])));
      return { answer: () => {}, end: () => {} };
  }
}

/** Prints the text of an answer piece by piece, without what a terminal would obey. */
class TextPrinter implements TurnPrinter {
  readonly #write: (text: string) => void;
  readonly #inert = createInert();
  readonly #shown = new Map<string, number>();
  #last: string | undefined;
  #isFresh = true;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  answer({ parts }: ChatMessage): void {
    for (const part of parts) {
      if (part.type !== "text") continue;
      const shown = this.#shown.get(part.id) ?? 0;
      if (part.text.length <= shown) continue;
      if (this.#last !== undefined && this.#last !== part.id) this.#fresh();
      this.#last = part.id;
      this.#shown.set(part.id, part.text.length);
      this.#print(this.#inert.push(part.text.slice(shown)));
    }
  }

  end(): void {
    this.#fresh();
  }

  /** Ends the line, if there is one. */
  #fresh(): void {
    this.#print(this.#inert.end());
    if (!this.#isFresh) this.#print("\n");
  }

  #print(text: string): void {
    if (text === "") return;
    this.#isFresh = text.endsWith("\n");
    this.#write(text);
  }
}
