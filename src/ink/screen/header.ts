// The header: what the user talks with. Later changes of it are rows of their own.
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import type { TerminalWords } from "../../screens/words-terminal.ts";
import type { TranscriptChoice } from "../../universal/transcript/transcript.ts";
import { EMPTY_ROW, endOf, inLine, type Row, rowsOf, type Surface } from "../rows/row.ts";

/** What the app knows about the agent. */
export interface ChatHeader {
  /** The name of the backend, such as `codey`. */
  readonly backend?: string;
  /** The folder that the agent works in. */
  readonly folder?: string;
}

export class Header {
  readonly #facts: ChatHeader;
  readonly #words: TerminalWords;
  #isPrinted = false;
  #modes: TranscriptChoice | null = null;
  #models: TranscriptChoice | null = null;

  constructor(facts: ChatHeader, words: TerminalWords) {
    this.#facts = facts;
    this.#words = words;
  }

  /**
   * The rows to print now: at first the header, later the mode and the model if they have changed. While a turn runs,
   * a change waits, so that no row cuts an answer in two.
   */
  rows({ modes, models, busy }: ChatSnapshot, surface: Surface): readonly Row[] {
    if (this.#isPrinted && (busy || (modes === this.#modes && models === this.#models))) return [];
    const { backend, folder } = this.#isPrinted ? {} : this.#facts;
    const model = changedName(this.#models, models);
    const mode = changedName(this.#modes, modes);
    this.#isPrinted = true;
    this.#modes = modes;
    this.#models = models;
    const { columns, theme } = surface;
    const words = [
      ...(backend === undefined ? [] : [inLine(backend)]),
      ...(model === undefined ? [] : [this.#words.modelIs(inLine(model))]),
      ...(mode === undefined ? [] : [this.#words.modeIs(inLine(mode))]),
    ];
    const head = rowsOf(words.join(` ${theme.symbols.separator} `), "strong", { columns });
    const place: readonly Row[] =
      folder === undefined ? [] : [[{ text: endOf(inLine(folder), columns), tone: "dim" }]];
    const rows = [...(words.length > 0 ? head : []), ...place];
    return rows.length > 0 ? [EMPTY_ROW, ...rows] : [];
  }
}

/** The name of what is set now, if it is another than before. */
function changedName(before: TranscriptChoice | null, now: TranscriptChoice | null): string | undefined {
  if (!now || now.current === null || now.current === before?.current) return undefined;
  return now.available.find(({ id }) => id === now.current)?.name ?? now.current;
}
