// Asks a tool what a call would change, before the user decides.
import { describe, isObject } from "../checks.ts";
import type { CancelTimer } from "../clock.ts";
import { InvalidInputError, said } from "../errors.ts";
import type { ToolCall, ToolPreview } from "../values.ts";
import type { GateHost } from "./open-request.ts";
import type { AskContext } from "./options.ts";
import { limitPreview } from "./preview-limits.ts";

/** Computes what a call would change. Undefined if this is unknown. */
export type TellPreview = (
  call: ToolCall,
  context: AskContext,
) => readonly ToolPreview[] | undefined | Promise<readonly ToolPreview[] | undefined>;

/** The time limit of a preview in ms. Enough for a file of 10 MiB, and short for a waiting user. */
export const PREVIEW_TIMEOUT = 2_000;

/**
 * Computes a preview. Calls `done` once, in its own input, with undefined after an error or timeout. The returned
 * function stops the work, and `done` is then not called.
 */
export function askPreview(
  host: Pick<GateHost, "outbox" | "clock" | "warn">,
  call: ToolCall,
  tell: TellPreview,
  done: (preview: readonly ToolPreview[] | undefined) => void,
): () => void {
  const { outbox, clock } = host;
  const controller = new AbortController();
  let isOver = false;
  let cancelTimer: CancelTimer = () => {};
  const stop = (): void => {
    isOver = true;
    cancelTimer();
    outbox.tell(() => controller.abort(new Error("the preview is no longer needed")));
  };
  const fail = (why: string, cause?: unknown): void => {
    if (isOver) return;
    stop();
    host.warn("preview-failed", `the preview of ${call.name} ${why}`, cause === undefined ? {} : { cause });
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

/** @throws InvalidInputError if the value is not a preview */
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
