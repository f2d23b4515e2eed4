// What both screens show of a tool call, as plain pieces: its title, its outcome, its changes and its output.
import type { ToolPreview } from "../../core/values.ts";
import type { ChatToolPart } from "../../universal/transcript/message.ts";
import { type OutputPieces, type ToolPiece, toolOutput } from "./tool-output.ts";

/** All texts are as the agent sent them. */
export interface ShownTool extends Partial<Pick<OutputPieces, "exit">> {
  /** What the call does; without a title, the tool's name. */
  readonly title: string;
  /** Whether the call, or its command, has failed. */
  readonly hasFailed: boolean;
  /** The changes that the call would make, or has made. */
  readonly changes: readonly ToolPreview[];
  /** The output, without changes that are in `changes`. */
  readonly pieces: readonly ToolPiece[];
}

export function toolView(part: ChatToolPart): ShownTool {
  const { name, title, state, output, preview: changes = [] } = part;
  const { pieces, exit }: Partial<OutputPieces> & Pick<OutputPieces, "pieces"> = isToolOver(part)
    ? toolOutput(part)
    : { pieces: output === "" ? [] : [{ type: "text", text: output, path: "" }] };
  return {
    title: title || name,
    hasFailed: state === "failed" || exit !== undefined,
    exit,
    changes,
    pieces: pieces.filter(
      ({ type, path }) =>
        type === "text" || !changes.some((change) => change.path === path && change.by === "tool"),
    ),
  };
}

export function isToolOver({ state }: ChatToolPart): boolean {
  return /^(?:done|failed|denied|abandoned)$/.test(state);
}
