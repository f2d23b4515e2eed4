// `<ToolCall>`: a tool call with its input and output.
import type { ReactElement } from "react";
import type { ChatToolPart } from "../../universal/transcript/message.ts";
import { toolRows } from "../parts/tool-rows.ts";
import { Rows } from "../rows/rows.tsx";
import { type Look, useLook } from "./use-look.ts";

export interface ToolCallProps extends Look {
  readonly part: ChatToolPart;
  /** Whether to show all of a long input and output. @default true: how many more lines there are */
  readonly folded?: boolean;
}

/** A tool call: its name and state, its input, its output. While the tool runs, the end of the output; then the beginning. */
export function ToolCall({ part, folded = true, ...look }: ToolCallProps): ReactElement {
  const { columns, theme } = useLook(look);
  return <Rows rows={toolRows(part, { columns, theme, unfolded: !folded }).rows} theme={theme} />;
}
