// The progress of a chat: the rows of waiting prompts, whether a turn runs, and since when.
import type { ChatConnection } from "../../chat/connection.ts";
import type { List } from "../../universal/transcript/list.ts";
import type { ChatMessage } from "../../universal/transcript/message.ts";
import { clippedRow, inLine, type Row, type Surface } from "../rows/row.ts";
import { unitsOf, widthOf } from "../rows/width.ts";
import { screenWords, type Theme } from "../theme.ts";

export interface ProgressFacts {
  /** @default unknown */
  readonly messages?: Pick<List<ChatMessage>, "length" | "at">;
  readonly busy: boolean;
  readonly queue: { readonly length: number };
  readonly connection: Pick<ChatConnection, "status">;
}

interface Progress {
  readonly isWorking: boolean;
  readonly waiting: number;
}

const MAX_ROWS = 4;

/** The progress. A prompt that the client holds for a connection also waits: it is not in `queue`. */
export function progressOf({ messages, busy, queue, connection }: ProgressFacts): Progress {
  const unsent = messages ? queuedIn(messages).length : queue.length;
  const isHeld = busy && unsent > queue.length && connection.status !== "ready";
  return { isWorking: busy && !isHeld, waiting: isHeld ? unsent : queue.length };
}

/** When the open answer began, in ms since the epoch. */
export function openSince(messages: Pick<List<ChatMessage>, "length" | "at">): number | undefined {
  const { length } = messages;
  const last = messages.at(length - 1 - unsentEnd(messages));
  return last?.status === "open" || last?.status === "recovering" ? last.startedAt : undefined;
}

/** The next waiting prompts, oldest first, one row each. A last row counts the others. */
export function waitingRows(
  messages: List<ChatMessage>,
  count: number,
  { columns, theme, maxRows }: Surface & { readonly maxRows: number },
): readonly Row[] {
  const limit = Math.min(MAX_ROWS, maxRows);
  if (count === 0 || limit <= 0) return [];
  const prompts = queuedIn(messages).slice(-count);
  const shown = prompts.length > limit ? limit - 1 : prompts.length;
  const more = prompts.length - shown;
  const rows = prompts.slice(0, shown).map((prompt) => waitingRow(prompt, columns, theme));
  return more > 0
    ? [...rows, clippedRow([{ text: `  ${screenWords(theme).waitingMore(more)}`, tone: "dim" }], columns)]
    : rows;
}

function waitingRow({ parts }: ChatMessage, columns: number, theme: Theme): Row {
  const { symbols } = theme;
  const words = screenWords(theme);
  const note = ` (${words.promptWaits})`;
  const first = parts.at(0);
  const text = first?.type === "text" ? inLine(first.text.slice(0, unitsOf(columns))) : words.waitingFile;
  const [front] = clippedRow([{ text: `${symbols.prompt} ${text}`, tone: "dim" }], columns - widthOf(note));
  return clippedRow([...(front ? [front] : []), { text: note, tone: "dim" }], columns);
}

function queuedIn(messages: Pick<List<ChatMessage>, "length" | "at">): readonly ChatMessage[] {
  const found: ChatMessage[] = [];
  for (let at = messages.length - unsentEnd(messages); at < messages.length; at++) {
    const message = messages.at(at);
    if (message?.status === "queued") found.push(message);
  }
  return found;
}

/** Number of unsent user messages at the end. Includes messages that ended behind a waiting one. */
function unsentEnd(messages: Pick<List<ChatMessage>, "length" | "at">): number {
  let count = 0;
  for (; count < messages.length; count++) {
    const message = messages.at(messages.length - 1 - count);
    if (message?.role !== "user" || message.status === "sent") break;
  }
  return count;
}
