import type { ReactElement } from "react";
import type { ChatMessage } from "../chat/messages/message.ts";
import { endRows, promptRows } from "./parts/message-rows.ts";
import { partRows } from "./parts/part-rows.ts";
import { Rows } from "./rows/rows.tsx";
import { type Look, useLook } from "./use-look.ts";

export interface MessageProps extends Look {
  readonly message: ChatMessage;
  /** Whether reasoning is folded to one row. @default true */
  readonly foldsReasoning?: boolean;
}

/** One message: a prompt, or an answer with its parts, and below it what the turn took or why it failed. */
export function Message({ message, foldsReasoning = true, ...look }: MessageProps): ReactElement {
  const { columns, theme } = useLook(look);
  const rows =
    message.role === "user"
      ? promptRows(message, { columns, theme }).rows
      : [...message.parts].flatMap((part) => partRows(part, { columns, theme, foldsReasoning }).rows);
  return <Rows rows={[...rows, ...endRows(message, { columns, theme })]} theme={theme} />;
}
