// The whole input of a call that waits for approval, above its changes.
import type { ToolPreview } from "../../core/values.ts";
import type { TranscriptRequest } from "../../universal/transcript/transcript.ts";
import { diffLines } from "../diff.ts";
import { PLAIN_NAME } from "./readable.ts";
import { inputText } from "./tool-input.ts";

type Approval = Extract<TranscriptRequest, { readonly type: "approval" }>;

/**
 * The whole input. A text of several lines is left out if a change below adds exactly these lines.
 * @param shownBelow the words in its place
 */
export function approvalText(
  { input, preview = [] }: Pick<Approval, "input" | "preview">,
  shownBelow: (field: string) => string,
): string {
  const added: readonly unknown[] = preview.flatMap(addedText);
  return inputText(input, undefined, (name, value) =>
    added.includes(value) && PLAIN_NAME.test(name) ? shownBelow(name) : undefined,
  );
}

/** The added lines of a change as one text, if there are several. The agent's own claim may differ from the input. */
function addedText({ diff, by }: ToolPreview): readonly string[] {
  const lines = by === "tool" ? diffLines(diff) : [];
  const added = lines.filter(({ type }) => type === "added").map(({ text }) => text);
  const end = lines.at(-1)?.text.startsWith("\\ ") ? "" : "\n";
  return added.length > 1 ? [added.join("\n") + end] : [];
}
