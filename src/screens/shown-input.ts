// Whether the preview of a call shows its whole input.
import type { ToolPreview } from "../core/values.ts";

/**
 * Whether each value of the input is a path of the preview, or whole lines of its diffs. Those show no numbers and flags. A diff that the
 * agent states shows nothing: it need not be what the call does.
 */
export function isShownIn(preview: readonly ToolPreview[], input: unknown): boolean {
  const texts = preview.flatMap(({ path, diff, by }) =>
    by === "tool" ? [path, without("+", diff), without("-", diff)] : [],
  );
  const isShown = (value: unknown): boolean => {
    if (typeof value === "object" && value) return Object.values(value).every(isShown);
    if (typeof value !== "string") return false;
    const part = value.replace(/\n$/, "");
    return texts.some((text) => `\n${text}\n`.includes(`\n${part}\n`));
  };
  return isShown(input);
}

/** The lines of one side of a diff. Other lines stay between its hunks. */
function without(sign: "+" | "-", diff: string): string {
  return diff
    .split("\n")
    .flatMap((line) => (line[0] === sign ? [] : line.replace(/^[-+ ]/, "")))
    .join("\n");
}
