// What the commands of the screen act on.
import type { Chat } from "../../chat/chat.ts";
import type { Clock } from "../../core/clock.ts";
import type { PromptImage } from "../../core/turn/prompt-input.ts";
import type { TerminalWords } from "../../screens/words-terminal.ts";
import { inLine, type Row, type Surface } from "../rows/row.ts";
import type { QueueNumbers } from "./queue-numbers.ts";

/**
 * How the user leaves. `quit`: by `/quit` or Ctrl-D. `interrupted`: by Ctrl-C. `open`: by `/chats`, to the chat with
 * this id; by `/new`, with null, to a new chat.
 */
export type ExitReason = "quit" | "interrupted" | { readonly open: string | null };

/** A chat that `/chats` lists. */
export interface EarlierChat {
  readonly id: string;
  /** Such as the start of the first prompt. */
  readonly title: string;
  /** When it was used last, in ms since the epoch. Shown in place of the id. */
  readonly usedAt?: number;
}

/** Keeps the user's prompts across chats, for Up and the search. */
export interface PromptHistory {
  /** The earlier prompts, oldest first. */
  readonly prompts: readonly string[];
  /** Adds a prompt that was sent. */
  add(prompt: string): Promise<void>;
}

/** Files by their paths, with the reasons for those that stay. */
export interface UndoneFiles {
  readonly reverted: readonly string[];
  readonly conflicts: readonly { readonly path: string; readonly reason: string }[];
}

/** What an app lets the commands do. */
export interface CommandOptions {
  /** Puts a text on the clipboard, for `/copy`. @default the terminal does, by OSC 52, up to `MAX_COPY_BYTES` */
  readonly copy?: (text: string) => unknown;
  /**
   * Writes a file, for `/export`. Resolves to `"exists"` if there is such a file already and `replaces` is false: the
   * screen then asks the user. Rejects if it cannot write. @default `/export` is not offered
   */
  readonly writeFile?: (
    path: string,
    text: string,
    options: { readonly replaces: boolean },
  ) => Promise<"written" | "exists">;
  /**
   * Takes back the files of the last turn that changed some, for `/undo`. Undefined if there is none. `conflicts` are
   * files that stay, because they changed afterwards. @default `/undo` is not offered
   */
  readonly undo?: () => Promise<UndoneFiles | undefined>;
  /** Lists earlier chats, newest first, for `/chats` and `/new`. @default they are not offered */
  readonly chats?: () => Promise<readonly EarlierChat[]>;
  /** Keeps the prompts for later screens. @default the history begins with the prompts of the chat */
  readonly history?: PromptHistory;
}

/** Where the text of the composer goes at Enter. */
export type Purpose =
  | { readonly type: "prompt" }
  /** In place of a sent prompt. */
  | { readonly type: "edit"; readonly id: string }
  /** In place of a prompt that waits. */
  | { readonly type: "queued"; readonly id: string };

/** A text for the composer. */
export interface Composed {
  readonly text: string;
  readonly images?: readonly PromptImage[];
  readonly files?: readonly string[];
  readonly purpose: Purpose;
}

/** What the commands of the screen act on. */
export interface Desk {
  readonly chat: Chat;
  readonly words: TerminalWords;
  readonly options: CommandOptions;
  readonly clock: Pick<Clock, "wallTime">;
  readonly numbers: QueueNumbers;
  /** Puts a text on the clipboard of the terminal. */
  clipboard(text: string): void;
  /** Whether `!command` is available. */
  readonly canRun: boolean;
  /** Prints rows above the live region. */
  say(rows: (surface: Surface) => readonly Row[]): void;
  leave(how: ExitReason): void;
  /** Puts a text into the composer. */
  compose(composed: Composed): void;
  /** Shows a note when it has come, or why it has not. An empty one shows nothing. */
  later(note: Promise<string>): void;
}

export function reasonOf(error: unknown): string {
  return inLine(error instanceof Error ? error.message : String(error));
}
