// The limits of a preview: length of the diffs, number of files, size of a text.
import { exceedsBytes } from "../text.ts";
import type { ToolPreview } from "../values.ts";

/** Characters of all diffs of a call, stored in the chat's events. Edits by `nodeTools` have at most 100,000. */
export const MAX_PREVIEW = 131_072;

/** The limit of files per call. People look at fewer before they decide. */
export const MAX_PREVIEW_FILES = 100;

/** The limit of a whole text, in UTF-8 bytes, for UIs that compare texts. Longer ones have only diffs. */
export const MAX_PREVIEW_TEXT = 65_536;

/** Cuts a preview to the limits, and notes each cut in brackets. */
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

/** Space for the bracketed note, which is always shown. */
const SENTENCE = 200;

/** Cuts a diff after its last whole line within `max` characters. */
function cut(diff: string, max: number): string {
  if (diff.length <= Math.max(max, SENTENCE)) return diff;
  const why = "[the rest of the diff is left out: it is too long]\n";
  return diff.slice(0, diff.lastIndexOf("\n", max - why.length - 1) + 1) + why;
}
