// Asks a tool what a call would change, before the user decides on the call.
import { describe, isObject } from "../checks.ts";
import type { CancelTimer } from "../clock.ts";
import { InvalidInputError, said } from "../errors.ts";
import type { ToolCall, ToolPreview } from "../values.ts";
import type { GateHost } from "./open-request.ts";
import { limitPreview } from "./preview-limits.ts";
import type { AskContext } from "./rules.ts";

/** Tells what a call would change. `undefined`: nothing can be told. */
export type TellPreview = (
  call: ToolCall,
  context: AskContext,
) => readonly ToolPreview[] | undefined | Promise<readonly ToolPreview[] | undefined>;

/** ms that a preview may take. A file of 10 MiB is read and compared in less; a user waits no longer for the question. */
export const PREVIEW_TIMEOUT = 2_000;

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
  const previews: readonly unknown[] = Array.isArray(value) ? Array.from(value) : [value]; // `every` would skip holes
  if (!previews.every(isPreview))
    throw new InvalidInputError(
      `the preview is ${describe(value)}.`,
      'Return a list of { path, diff, by: "tool" }, or undefined.',
    );
  return previews.length === 0 ? undefined : limitPreview(previews);
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
