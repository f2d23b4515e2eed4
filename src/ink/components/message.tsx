// `<Message>`: one prompt or answer with its parts.
import { type ReactElement, useState } from "react";
import { useSeconds } from "../../react/index.ts";
import type { ChatMessage } from "../../universal/transcript/message.ts";
import { endRows, promptRows } from "../parts/message-rows.ts";
import { partRows } from "../parts/part-rows.ts";
import { ThinkingTimes } from "../parts/thinking-times.ts";
import type { Row } from "../rows/row.ts";
import { Rows } from "../rows/rows.tsx";
import { type Look, useLook } from "./use-look.ts";

export interface MessageProps extends Look {
  readonly message: ChatMessage;
  /** Whether reasoning is folded to one row. @default true */
  readonly foldsReasoning?: boolean;
  /** Whether to show a call and a question that wait for the user too. @default false: `<Approval>` and `<Question>` show them */
  readonly showsPending?: boolean;
  /** Whether the app has a command `/retry`, which the rows name. @default false */
  readonly hasCommands?: boolean;
  /**
   * Rows at most: the end of a longer message, below a row that says how many rows are left out. A message that grows needs a limit: Ink clears
   * the screen for a live region that is as high as the terminal. @default Infinity, for `<Static>`
   */
  readonly maxRows?: number;
}

/**
 * One message: a prompt, or an answer with its parts, and below it what the turn took or why it failed. How long the agent thought is counted
 * while this component shows the message.
 */
export function Message({
  message,
  foldsReasoning = true,
  showsPending = false,
  hasCommands = false,
  maxRows = Number.POSITIVE_INFINITY,
  ...look
}: MessageProps): ReactElement {
  const { columns, theme } = useLook(look);
  const options = { columns, theme, hasCommands };
  const [times] = useState(() => new ThinkingTimes());
  const now = Date.now();
  times.see(message.parts, now);
  useSeconds(times.since);
  const secondsOf = (id: string) => times.secondsOf(id, now);
  const partOptions = { columns, theme, foldsReasoning, omitsPending: !showsPending, secondsOf };
  const rows =
    message.role === "user"
      ? promptRows(message, options).rows
      : [...message.parts].flatMap((part) => partRows(part, partOptions).rows);
  return <Rows rows={endOfRows([...rows, ...endRows(message, options)], maxRows)} theme={theme} />;
}

function endOfRows(rows: readonly Row[], maxRows: number): readonly Row[] {
  if (rows.length <= maxRows) return rows;
  const shown = Math.max(0, maxRows - 1);
  const says: Row = [{ text: `... ${rows.length - shown} rows before`, tone: "dim" }];
  return [says, ...rows.slice(rows.length - shown)];
}
