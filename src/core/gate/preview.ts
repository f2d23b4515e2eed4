import { describe, isObject } from "../checks.ts";
import type { CancelTimer } from "../clock.ts";
import { InvalidInputError, said } from "../errors.ts";
import { exceedsBytes } from "../text.ts";
import type { ToolCall, ToolPreview } from "../values.ts";
import type { GateHost } from "./open-request.ts";
import type { AskContext } from "./rules.ts";

/** Tells what a call would change. `undefined`: nothing can be told. */
export type TellPreview = (
  call: ToolCall,
  context: AskContext,
) => readonly ToolPreview[] | undefined | Promise<readonly ToolPreview[] | undefined>;

/** ms that a preview may take. A file of 10 MiB is read and compared in less; a user waits no longer for the question. */
export const PREVIEW_TIMEOUT = 2_000;

/** Characters of all diffs of one call. An edit of `nodeTools` has 100,000 at most. People read less, and the events of a chat keep them all. */
export const MAX_PREVIEW = 131_072;

/** Files of one call. People look at less before they decide. */
export const MAX_PREVIEW_FILES = 100;

/** UTF-8 bytes of a whole text. A screen that compares texts itself takes that much; a longer text has its diff. */
export const MAX_PREVIEW_TEXT = 65_536;

/**
 * Asks what a call would change. `done` is called once, in an input of its own, with `undefined` after a failure and after the time limit. It is
 * not called behind the returned function, which ends the work.
 */
export function askPreview(
  { outbox, clock, warn }: Pick<GateHost, "outbox" | "clock" | "warn">,
  call: ToolCall,
  tell: TellPreview,
  done: (preview: readonly ToolPreview[] | undefined) => void,
): () => void {
  const controller = new AbortController();
  let isOver = false;
  let cancelTimer: CancelTimer = () => {};
  const stop = (): void => {
    isOver = true;
    cancelTimer();
    outbox.tell(() => controller.abort(new Error("the preview is not wanted any more")));
  };
  const fail = (why: string, cause?: unknown): void => {
    if (isOver) return;
    stop();
    warn("preview-failed", `the preview of ${call.name} ${why}`, cause === undefined ? {} : { cause });
    done(undefined);
  };
  cancelTimer = clock.setTimeout(() => fail(`took more than ${PREVIEW_TIMEOUT} ms`), PREVIEW_TIMEOUT);
  outbox.tell(async () => {
    if (isOver) return;
    try {
      const preview = readPreview(await tell(call, { signal: controller.signal }));
      outbox.run(() => {
        if (isOver) return;
        isOver = true;
        cancelTimer();
        done(preview);
      });
    } catch (cause) {
      outbox.run(() => fail(`failed: ${said(cause)}`, cause));
    }
  });
  return stop;
}

/** @throws InvalidInputError for a value that is no preview */
function readPreview(value: unknown): readonly ToolPreview[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || !value.every(isPreview))
    throw new InvalidInputError(
      `the preview is ${describe(value)}.`,
      'Return a list of { path, diff, by: "tool" }, or undefined.',
    );
  return value.length === 0 ? undefined : limitPreview(value);
}

function isPreview(value: unknown): value is ToolPreview {
  if (!isObject(value)) return false;
  const { path, diff, by, old_text, new_text } = value;
  return (
    typeof path === "string" &&
    typeof diff === "string" &&
    (by === "tool" || by === "agent") &&
    [old_text, new_text].every((text) => text === undefined || typeof text === "string")
  );
}

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
