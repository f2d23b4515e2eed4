// `<Reasoning>`: the model's thinking, folded or not.
import { type ReactElement, useState } from "react";
import { useSeconds } from "../../react/index.ts";
import type { ChatReasoningPart } from "../../universal/transcript/message.ts";
import { reasoningRows } from "../parts/reasoning-rows.ts";
import { Rows } from "../rows/rows.tsx";
import { type Look, useLook } from "./use-look.ts";

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
