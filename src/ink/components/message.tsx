// The components `<Message>`, `<Reasoning>` and `<ToolCall>`: a prompt or an answer, and its parts.
import { type ReactElement, useState } from "react";
import { useSeconds } from "../../react/index.ts";
import type { Highlighter } from "../../screens/highlight.ts";
import type { ChatMessage, ChatReasoningPart, ChatToolPart } from "../../universal/transcript/message.ts";
import { stackedRows } from "../parts/gaps.ts";
import { endRows, promptRows } from "../parts/message-rows.ts";
import { partRows } from "../parts/part-rows.ts";
import { reasoningRows, ThinkingTimes } from "../parts/reasoning-rows.ts";
import { toolRows } from "../parts/tool-rows.ts";
import type { Row } from "../rows/row.ts";
import { Rows } from "../rows/rows.tsx";
import { screenWords, type Theme } from "../theme.ts";
import { type Look, useLook } from "./hooks.ts";

export interface MessageProps extends Look {
  readonly message: ChatMessage;
  /** Whether reasoning is folded to one row. @default true */
  readonly foldsReasoning?: boolean;
  /** Colours code blocks. @default code has one colour */
  readonly highlight?: Highlighter;
  /** Shows calls and questions that wait for the user. @default false: `<Approval>` and `<Question>` do */
  readonly showsPending?: boolean;
  /** Whether the app has the command `/retry`, which rows then mention. @default false */
  readonly hasCommands?: boolean;
  /**
   * Maximum number of rows. A longer message shows its end, below a row that counts omitted rows. Limit a growing
   * message: Ink clears the screen for a live region as high as the terminal. @default Infinity, for `<Static>`
   */
  readonly maxRows?: number;
}

/**
 * A prompt, or an answer with its parts. The end shows the turn's time and cost, or its error. The thinking time counts
 * while this component shows the message.
 */
export function Message({
  message,
  foldsReasoning = true,
  showsPending = false,
  hasCommands = false,
  maxRows = Number.POSITIVE_INFINITY,
  highlight,
  ...look
}: MessageProps): ReactElement {
  const { columns, theme } = useLook(look);
  const options = { columns, theme, hasCommands };
  const [times] = useState(() => new ThinkingTimes());
  const now = Date.now();
  times.see(message.parts, now);
  useSeconds(times.since);
  const secondsOf = (id: string) => times.secondsOf(id, now);
  const partOptions = { columns, theme, highlight, foldsReasoning, omitsPending: !showsPending, secondsOf };
  const rows =
    message.role === "user"
      ? promptRows(message, options).rows
      : stackedRows(message.parts, (part) => partRows(part, partOptions).rows);
  return <Rows rows={endOfRows([...rows, ...endRows(message, options)], maxRows, theme)} theme={theme} />;
}

function endOfRows(rows: readonly Row[], maxRows: number, theme: Theme): readonly Row[] {
  if (rows.length <= maxRows) return rows;
  const shown = Math.max(0, maxRows - 1);
  const says: Row = [{ text: `... ${screenWords(theme).rowsBefore(rows.length - shown)}`, tone: "dim" }];
  return [says, ...rows.slice(rows.length - shown)];
}

export interface ReasoningProps extends Look {
  readonly part: ChatReasoningPart;
  /** Whether to show only the thinking time and the end of the last line. @default true */
  readonly folded?: boolean;
  /** Thinking time in whole seconds. @default counted while this component shows the open part */
  readonly seconds?: number;
}

/** Open: `Thinking 3 s` and the end of the last line. Then: `Thought for 3 s`. Unfolded: all, dim. */
export function Reasoning({ part, folded = true, seconds, ...look }: ReasoningProps): ReactElement {
  const { columns, theme } = useLook(look);
  const [since] = useState(() => (part.open ? Date.now() : undefined));
  const passed = useSeconds(part.open ? since : undefined);
  const [counted, setCounted] = useState<number>();
  if (part.open && since !== undefined && counted !== passed) setCounted(passed);
  const rows = reasoningRows(part, { columns, theme, folded, seconds: seconds ?? counted });
  return <Rows rows={rows} theme={theme} />;
}

export interface ToolCallProps extends Look {
  readonly part: ChatToolPart;
  /** Whether long input and output are cut, with the number of further lines. @default true */
  readonly folded?: boolean;
}

/** A tool call: name, state, input, output. Shows the output's end while the tool runs, then the start. */
export function ToolCall({ part, folded = true, ...look }: ToolCallProps): ReactElement {
  const { columns, theme } = useLook(look);
  return <Rows rows={toolRows(part, { columns, theme, unfolded: !folded }).rows} theme={theme} />;
}
