// What both screens show of a tool call, as plain pieces: its title, its input, its outcome, its changes and its output.
import type { ToolPreview } from "../../core/values.ts";
import type { ChatToolPart } from "../../universal/transcript/message.ts";
import { inputBeside, inputText } from "./tool-input.ts";
import { type ToolPiece, toolOutput } from "./tool-output.ts";

/** All texts are as the agent sent them. */
export interface ToolView {
  /** What the call does; without a title, the tool's name. */
  readonly title: string;
  /** The whole input. */
  readonly input: string;
  /** What is worth showing of it beside the title and the changes. */
  readonly inputBeside: string;
  /** Whether the call, or its command, has failed. */
  readonly hasFailed: boolean;
  /** How a command failed: an exit code other than 0, or a signal. */
  readonly exit: number | string | undefined;
  /** The changes that the call would make, or has made. */
  readonly changes: readonly ToolPreview[];
  /** The output, without changes that are in `changes`. */
  readonly pieces: readonly ToolPiece[];
}

export function toolView(part: ChatToolPart): ToolView {
  const { name, title = "", input, kind, state, output, preview: changes = [] } = part;
  const { pieces, exit } = isToolOver(part)
    ? toolOutput(part)
    : { pieces: output === "" ? [] : [{ type: "text", text: output } as const], exit: undefined };
  const known = new Set(changes.map(({ path }) => path));
  const shown = pieces.filter(({ type, path }) => type === "text" || !known.has(path ?? ""));
  const hasChanges = changes.length > 0 || shown.some(({ type }) => type === "diff");
  return {
    title: title || name,
    input: inputText(input, kind),
    inputBeside: inputBeside(part, hasChanges),
    hasFailed: state === "failed" || exit !== undefined,
    exit: state === "failed" || state === "done" ? exit : undefined,
    changes,
    pieces: shown,
  };
}

export function isToolOver({ state }: ChatToolPart): boolean {
  return state === "done" || state === "failed" || state === "denied" || state === "abandoned";
}
