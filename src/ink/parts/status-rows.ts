// The rows of the status line and its banner.

import type { ChatConnection } from "../../chat/connection.ts";
import type { ChatProblem } from "../../chat/problem.ts";
import type { QueuedPrompt } from "../../chat/queue.ts";
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import type { TerminalText, TerminalWords } from "../../screens/words-terminal.ts";
import type { List } from "../../universal/transcript/list.ts";
import type { ChatMessage } from "../../universal/transcript/message.ts";
import type { TranscriptChoice } from "../../universal/transcript/transcript.ts";
import { clippedRow, inLine, type Row, rowsOf, type Span, type Surface } from "../rows/row.ts";
import { widthOf } from "../rows/width.ts";
import { screenWords, type Tone } from "../theme.ts";
import { progressOf } from "./waiting-rows.ts";
import { moneyWords, short, timeWords, usageWords } from "./words.ts";

export interface StatusFacts extends Pick<ChatSnapshot, "connection" | "usage" | "cost"> {
  /** Whether a turn runs. With `messages`, a prompt that waits for a connection does not count. */
  readonly busy: boolean;
  /** The connection was lost during a turn, and the client searches for the answer. */
  readonly recovering?: boolean;
  /** What the agent has set. @default nothing */
  readonly models?: ChatSnapshot["models"];
  readonly modes?: ChatSnapshot["modes"];
  /** How full the model's context is. @default unknown */
  readonly context?: ChatSnapshot["context"];
  /** Seconds since the turn began. */
  readonly seconds?: number | undefined;
  /** Waiting prompts. */
  readonly queue: readonly Pick<QueuedPrompt, "held">[];
  /**
   * The messages of the chat. Once there are messages, a missing connection is shown as "not connected". A prompt that
   * the client holds until there is a connection then counts as waiting. @default none
   */
  readonly messages?: Pick<List<ChatMessage>, "length" | "at">;
  /** The last problem. */
  readonly problem?: ChatProblem | undefined;
  /** A message from the screen, such as that another Ctrl-C leaves. */
  readonly note?: string | undefined;
  /** Whether the screen has `/dismiss`, which the banner then mentions. @default false */
  readonly hasCommands?: boolean;
}

export interface StatusRowsOptions extends Surface {
  /** ms since the epoch. */
  readonly now: number;
  /** Maximum number of rows. The banner is shortened first. */
  readonly maxRows: number;
}

/** The status line. Above it: a banner for a reconnect or a problem, and a note that is too long for it. */
export function statusRows(facts: StatusFacts, options: StatusRowsOptions): readonly Row[] {
  const { columns, maxRows } = options;
  if (maxRows <= 0) return [];
  const { note = "" } = facts;
  const says =
    widthOf(note) > columns && maxRows > 1 ? rowsOf(note, "warn", { columns }).slice(0, maxRows - 1) : [];
  const rest = says.length > 0 ? { ...facts, note: undefined } : facts;
  return [
    ...bannerRows(facts, { ...options, maxRows: maxRows - says.length }),
    ...says,
    statusRow(rest, options),
  ];
}

function bannerRows(
  { connection, problem, recovering, hasCommands = false }: StatusFacts,
  { columns, theme, now, maxRows }: StatusRowsOptions,
): readonly Row[] {
  const { attempt, retryAt, reason, status } = connection;
  const row = (text: string, tone: Tone): readonly Row[] => {
    const lead: Span = { text: "! ", tone };
    return bounded(rowsOf(text, tone, { columns, lead, hang: { text: "  ", tone } }), maxRows - 1, columns);
  };
  const words = screenWords(theme);
  const between = ` ${theme.symbols.separator} `;
  const why = reason ? inLine(reason.title) : words.statusLost;
  if (retryAt !== undefined) {
    const seconds = Math.max(0, Math.ceil((retryAt - now) / 1_000));
    return row(why + between + words.statusAttemptIn(attempt, seconds), "warn");
  }
  if (attempt > 0 || status === "reconnecting") {
    return row(attempt > 0 ? why + between + words.statusAttempt(attempt) : why, "warn");
  }
  if (recovering) return row(words.statusRecovering, "warn");
  const dismiss = hasCommands ? " (/dismiss)" : "";
  if (problem) return row(`${inLine(problem.title)}. ${inLine(problem.detail)}${dismiss}`, "error");
  // A lost context is asked about first.
  if (status === "closed" && reason && !connection.contextLost) return row(words.statusClosed(why), "warn");
  return [];
}

/** The first rows. If rows are missing, the last one ends in an ellipsis. */
function bounded(rows: readonly Row[], maxRows: number, columns: number): readonly Row[] {
  const last = rows[maxRows - 1];
  const next = rows[maxRows];
  if (!last || !next) return rows.slice(0, Math.max(0, maxRows));
  const more = next.slice(1).map(({ text, tone }): Span => ({ text: ` ${text}`, tone }));
  return [...rows.slice(0, maxRows - 1), clippedRow([...last, ...more], columns)];
}

function statusRow(facts: StatusFacts, { columns, theme }: StatusRowsOptions): Row {
  const { connection, seconds, usage, cost, note, messages, context, models, modes } = facts;
  const { isWorking, waiting } = progressOf(facts);
  const between = ` ${theme.symbols.separator} `;
  const says = screenWords(theme);
  const span = (text: string, tone: Tone): Span => ({ text, tone });
  const time = seconds === undefined ? "" : ` ${timeWords(seconds, says)}`;
  const words: readonly Span[] = [
    ...(note === undefined ? [] : [span(note, "warn")]),
    ...(isWorking ? [span(`${theme.symbols.running} ${says.statusWorking}${time}`, "accent")] : []),
    span(says[connectionWord(connection, (messages?.length ?? 0) > 0)], "dim"),
    ...(waiting > 0 ? [span(`${says.statusQueued(waiting)}${heldWord(facts)}`, "warn")] : []),
    ...[setTo(models, says.modelIs), setTo(modes, says.modeIs)]
      .filter((text) => text !== "" && text !== note)
      .map((text) => span(text, "dim")),
    ...meter(context, columns, says),
    ...[...moneyWords(cost, says), ...usageWords(context ? withoutContext(usage) : usage, says)].map((text) =>
      span(text, "dim"),
    ),
  ];
  const row: Span[] = [];
  let width = 0;
  for (const word of words) {
    const added = widthOf(word.text) + (row.length > 0 ? between.length : 0);
    if (row.length > 0 && width + added > columns) break;
    if (row.length > 0) row.push({ text: between, tone: "dim" });
    row.push(word);
    width += added;
  }
  return clippedRow(row, columns);
}

function setTo(choice: TranscriptChoice | null | undefined, says: (name: string) => string): string {
  if (!choice || choice.current === null) return "";
  const { current, available } = choice;
  return says(inLine(available.find(({ id }) => id === current)?.name ?? current));
}

/** From these shares on, the context has a colour. Agents compact it, or fail, when it is full. */
const FULLER = 0.8;
const FULL = 0.95;

/** How full the context is, `context 45% of 200.0k`, or its tokens if the size is unknown. */
function meter(context: StatusFacts["context"], columns: number, words: TerminalWords): readonly Span[] {
  if (!context) return [];
  const { used, size } = context;
  if (size === undefined || size <= 0) return [{ text: words.usageContext(short(used)), tone: "dim" }];
  const share = used / size;
  const of = columns < WIDE ? undefined : short(size);
  const tone = share >= FULL ? "error" : share >= FULLER ? "warn" : "dim";
  return [{ text: words.statusContext(Math.round(share * 100), of), tone }];
}

/** The meter says how full the context is. */
function withoutContext({ context_tokens: _, ...usage }: StatusFacts["usage"]): StatusFacts["usage"] {
  return usage;
}

/** Columns from which the meter names the size. */
const WIDE = 60;

/** The command that sends loaded prompts. After a lost context, the dialog sends them. */
function heldWord({ queue, connection, hasCommands = false }: StatusFacts): string {
  return hasCommands && !connection.contextLost && queue.some(({ held }) => held) ? " (/send)" : "";
}

function connectionWord({ status, contextLost, reason }: ChatConnection, hasMessages: boolean): TerminalText {
  if (contextLost) return "statusForgotten";
  if (status === "idle") return reason || hasMessages ? "statusNotConnected" : "statusReady";
  return CONNECTION_WORDS[status];
}

const CONNECTION_WORDS = {
  connecting: "statusConnecting",
  handshaking: "statusConnecting",
  ready: "statusConnected",
  reconnecting: "statusReconnecting",
  draining: "statusClosing",
  closed: "statusNotConnected",
} as const satisfies Readonly<Record<Exclude<ChatConnection["status"], "idle">, TerminalText>>;
