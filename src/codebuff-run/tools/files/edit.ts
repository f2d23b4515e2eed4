import type { Changes } from "../changes/changes.ts";
import type { Door, FileRead } from "../door/door.ts";
import { Refusal } from "../door/refusal.ts";
import type { ToolJob } from "../job.ts";
import { readExisting } from "./existing.ts";
import { type Location, locate } from "./location.ts";
import type { PathLocks } from "./locks.ts";
import { isAsShown, type Shown, shownOf } from "./shown.ts";

/** Bytes of a file that is edited, before and after: the later SDK reads files up to this. Undo and the diff hold such a file in memory. */
export const MAX_EDITED = 10 * 1_048_576;

/** What an edit does to a file. */
export type Plan =
  | {
      readonly kind: "write";
      readonly bytes: Uint8Array;
      readonly diff: string;
      /** The value of the result, once it is done. */
      readonly value: object;
    }
  | { readonly kind: "delete"; readonly diff: string; readonly value: object }
  | { readonly kind: "refused"; readonly errorMessage: string };

/** One edit of one file, before it is done. */
export interface FileEdit {
  /** As the agent named it. */
  readonly path: string;
  /** The value of the result where a link is deleted, which is never read; without it links are no target of the edit. */
  readonly linkDeleted?: object;
  /** Says what to do with the file as it is; `undefined`: there is none. May throw the reason of the signal. */
  plan(file: FileRead | undefined, signal: AbortSignal): Plan | Promise<Plan>;
  /** The text of the failure for a path that is refused. */
  refusal(refusal: Refusal): string;
  /** The value of the result for a failure. */
  failure(errorMessage: string): object;
}

/** Does an edit. Edits of one file wait for each other. Returns the value of the result. */
export async function performEdit(edit: FileEdit, job: ToolJob, locks: PathLocks): Promise<object> {
  const { door, signal } = job;
  try {
    const location = await locate(door, door.resolve(edit.path, "write"));
    return await locks.hold(location.path, signal, () => performAt(edit, job, location));
  } catch (error) {
    if (error instanceof Refusal) return edit.failure(edit.refusal(error));
    if (signal.aborted && error === signal.reason) return edit.failure("Interrupted.");
    throw error;
  }
}

async function performAt(
  edit: FileEdit,
  { door, changes, shown, signal }: ToolJob,
  { path, missing }: Location,
): Promise<object> {
  const assertShown = (now: Shown): void => {
    if (shown && !isAsShown(shown, now)) throw new Refusal("changed", edit.path, CHANGED);
  };
  if (edit.linkDeleted && (await isLink(door, path))) {
    assertShown({ kind: "link", path });
    signal.throwIfAborted();
    await door.removeFile(path);
    changes.note(path, "link", undefined);
    return edit.linkDeleted;
  }
  const file = await readExisting(door, path, MAX_EDITED);
  assertShown(shownOf(path, file?.stamp));
  const plan = await freshPlan(edit, { path, file, changes, signal });
  signal.throwIfAborted();
  // From here on the edit is done and noted, whatever the signal says.
  switch (plan.kind) {
    case "refused":
      return edit.failure(plan.errorMessage);
    case "delete":
      if (file) await door.removeFile(path, { replaces: file.stamp });
      changes.note(path, file, undefined);
      return plan.value;
    case "write": {
      const stamp = await door.writeFile(path, plan.bytes, { replaces: file?.stamp });
      changes.note(path, file, { bytes: plan.bytes, stamp }, missing);
      return plan.value;
    }
  }
}

/** What a call would do. */
export interface Preview {
  /** The diff, or the text of the failure. */
  readonly text: string;
  /** For the job of the call. */
  readonly shown: Shown;
}

/** Says what an edit would do. Nothing is written. */
export async function previewEdit(
  edit: FileEdit,
  { door, changes, signal }: Pick<ToolJob, "door" | "changes" | "signal">,
): Promise<Preview> {
  try {
    const { path } = await locate(door, door.resolve(edit.path, "write"));
    if (edit.linkDeleted && (await isLink(door, path)))
      return { text: "Deletes a link.\n", shown: { kind: "link", path } };
    const file = await readExisting(door, path, MAX_EDITED);
    const plan = await freshPlan(edit, { path, file, changes, signal });
    const text = plan.kind === "refused" ? plan.errorMessage : plan.diff;
    return { text, shown: shownOf(path, file?.stamp) };
  } catch (error) {
    if (error instanceof Refusal) return { text: edit.refusal(error), shown: { kind: "refused" } };
    throw error;
  }
}

/** For a file that is other than the agent believes. */
export const CHANGED =
  "The file has changed since it was read. Read it again with read_files, then make the change anew.";

const TOO_LONG = `The file would be longer than ${MAX_EDITED} bytes. Write less, or write several files.`;

async function freshPlan(
  edit: FileEdit,
  {
    path,
    file,
    changes,
    signal,
  }: {
    readonly path: string;
    readonly file: FileRead | undefined;
    readonly changes: Changes;
    readonly signal: AbortSignal;
  },
): Promise<Plan> {
  if (changes.isStale(path, file?.stamp)) throw new Refusal("changed", edit.path, CHANGED);
  const plan = await edit.plan(file, signal);
  // Undo could not read a larger file.
  return plan.kind === "write" && plan.bytes.length > MAX_EDITED
    ? { kind: "refused", errorMessage: TOO_LONG }
    : plan;
}

async function isLink(door: Door, path: string): Promise<boolean> {
  return (await door.look(path))?.kind === "link";
}
