// The rows of a reasoning part, and how long it takes.
import type { List } from "../../universal/transcript/list.ts";
import type { ChatPart, ChatReasoningPart } from "../../universal/transcript/message.ts";
import { clippedRow, displayed, endOf, type Row, rowsOf, type Surface } from "../rows/row.ts";
import { screenWords, type Theme } from "../theme.ts";

export interface ReasoningRowsOptions extends Surface {
  /** Whether to show one row with the thinking time, not the whole text. @default true */
  readonly folded?: boolean;
  /** Thinking time in whole seconds. Absent if unknown, such as in a restored chat. */
  readonly seconds?: number | undefined;
}

/** Characters at the end of a reasoning part in which the last line is searched. */
const MAX_LAST_LINE = 1_000;

/** Reasoning. Folded: a head, and while open also the end of the last line. Unfolded: the whole text. */
export function reasoningRows(given: ChatReasoningPart, options: ReasoningRowsOptions): readonly Row[] {
  const { columns, theme, folded = true } = options;
  const part = withoutPrivate(given);
  const head = reasoningHead(part, options);
  if (!folded)
    return [head, ...rowsOf(displayed(part.text).trimEnd(), "dim", { columns, hang: reasoningHang(theme) })];
  if (!part.open) return [head];
  const last = displayed(part.text.slice(-MAX_LAST_LINE)).trimEnd().split("\n").at(-1) ?? "";
  return last === ""
    ? [head]
    : [head, [reasoningHang(theme), { text: endOf(last, Math.max(1, columns - 4)), tone: "dim" }]];
}

/** Removes the text of private reasoning. The thinking time stays visible. */
export function withoutPrivate(part: ChatReasoningPart): ChatReasoningPart {
  return part.visibility === "private" ? { ...part, text: "" } : part;
}

/** `Thinking 3 s`, `Thought for 3 s`, or `Thought` for less than a second. */
export function reasoningHead(
  { open }: Pick<ChatReasoningPart, "open">,
  { columns, theme, seconds }: ReasoningRowsOptions,
): Row {
  const { thinking, thought } = screenWords(theme);
  const symbol = open ? theme.symbols.running : theme.symbols.done;
  return clippedRow(
    [{ text: `${symbol} ${open ? thinking(seconds) : thought(seconds || undefined)}`, tone: "dim" }],
    columns,
  );
}

/** The scrollback head of open reasoning. A head cannot change there, so it has no time. */
export function openHead({ symbols }: Theme): Row {
  return [{ text: `${symbols.separator} Reasoning`, tone: "dim" }];
}

export function reasoningHang({ symbols }: Theme): { readonly text: string; readonly tone: "dim" } {
  return { text: `  ${symbols.bar} `, tone: "dim" };
}

interface Thought {
  readonly id: string;
  /** ms since the epoch. */
  readonly since: number;
}

/** Measures each reasoning part from when it is first seen open. `see` takes constant time. */
export class ThinkingTimes {
  /** ms of each finished reasoning part. */
  readonly #over = new Map<string, number>();
  #open: Thought | undefined;

  /** When the open reasoning began, in ms since the epoch. */
  get since(): number | undefined {
    return this.#open?.since;
  }

  /** @param now ms since the epoch */
  see(parts: List<ChatPart>, now: number): void {
    let last = parts.at(-1);
    while (last?.type === "subagent") last = last.parts.at(-1);
    const id = last?.type === "reasoning" && last.open ? last.id : undefined;
    if (id === this.#open?.id) return;
    if (this.#open) this.#over.set(this.#open.id, now - this.#open.since);
    this.#open = id === undefined ? undefined : { id, since: now };
  }

  /** Whole seconds. Undefined if the reasoning part was never seen open. */
  secondsOf(id: string, now: number): number | undefined {
    const ms = this.#open?.id === id ? now - this.#open.since : this.#over.get(id);
    return ms === undefined ? undefined : Math.floor(ms / 1_000);
  }
}
