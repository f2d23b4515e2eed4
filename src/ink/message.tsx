import { type ReactElement, useState } from "react";
import type { ChatMessage } from "../chat/messages/message.ts";
import { useSeconds } from "../react/index.ts";
import { endRows, promptRows } from "./parts/message-rows.ts";
import { partRows } from "./parts/part-rows.ts";
import { ThinkingTimes } from "./parts/thinking-times.ts";
import { Rows } from "./rows/rows.tsx";
import { type Look, useLook } from "./use-look.ts";

export interface MessageProps extends Look {
  readonly message: ChatMessage;
  /** Whether reasoning is folded to one row. @default true */
  readonly foldsReasoning?: boolean;
  /** Whether to show a call and a question that wait for the user too. @default false: `<Approval>` and `<Question>` show them */
  readonly showsPending?: boolean;
  /** Whether the app has a command `/retry`, which the rows name. @default false */
  readonly hasCommands?: boolean;
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
  return <Rows rows={[...rows, ...endRows(message, options)]} theme={theme} />;
}
