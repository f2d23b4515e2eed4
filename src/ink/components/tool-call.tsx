// `<ToolCall>`: a tool call with its input and output.
import type { ReactElement } from "react";
import type { ChatToolPart } from "../../universal/transcript/message.ts";
import { toolRows } from "../parts/tool-rows.ts";
import { Rows } from "../rows/rows.tsx";
import { type Look, useLook } from "./use-look.ts";

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
