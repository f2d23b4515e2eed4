// The limits of a preview: characters of the diffs, number of files, bytes of a text.
import { exceedsBytes } from "../text.ts";
import type { ToolPreview } from "../values.ts";

/** Characters of all diffs of one call. An edit of `nodeTools` has 100,000 at most. People read less, and the events of a chat keep them all. */
export const MAX_PREVIEW = 131_072;

/** Files of one call. People look at less before they decide. */
export const MAX_PREVIEW_FILES = 100;

/** UTF-8 bytes of a whole text. A screen that compares texts itself takes that much; a longer text has its diff. */
export const MAX_PREVIEW_TEXT = 65_536;

/** The preview within its limits. What is left out is named in brackets. A preview within its limits stays as it is. */
export function limitPreview(previews: readonly ToolPreview[]): readonly ToolPreview[] {
  let left = MAX_PREVIEW;
  const others = previews.length - MAX_PREVIEW_FILES;
  return previews.slice(0, MAX_PREVIEW_FILES).map(({ path, diff, by, old_text, new_text }, at) => {
    const isLast = others > 0 && at === MAX_PREVIEW_FILES - 1;
    const shown = isLast ? `[this file and ${others} more are left out]\n` : cut(diff, left);
    left = Math.max(0, left - shown.length);
    return {
      path,
      diff: shown,
      by,
      ...(old_text === undefined || exceedsBytes(old_text, MAX_PREVIEW_TEXT) ? {} : { old_text }),
      ...(new_text === undefined || exceedsBytes(new_text, MAX_PREVIEW_TEXT) ? {} : { new_text }),
    };
  });
}

/** Characters of a sentence in brackets, which always fits. */
const SENTENCE = 200;

/** Cuts a diff behind its last whole line within `max` characters. */
function cut(diff: string, max: number): string {
  if (diff.length <= Math.max(max, SENTENCE)) return diff;
  const why = "[the rest of the diff is left out: it is too long]\n";
  return diff.slice(0, diff.lastIndexOf("\n", max - why.length - 1) + 1) + why;
}
