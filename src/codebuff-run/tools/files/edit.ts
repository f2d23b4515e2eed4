// One edit of one file: plan, preview, or perform it.
import { defined } from "../../../core/checks.ts";
import { MAX_PREVIEW_TEXT } from "../../../core/gate/preview-limits.ts";
import type { ToolPreview } from "../../../core/values.ts";
import type { FileRead } from "../door/door.ts";
import { Refusal } from "../door/refusal.ts";
import type { ToolJob } from "../job.ts";
import { type Location, locatePath, readExisting } from "./location.ts";
import type { PathLocks } from "./locks.ts";
import { isAsShown, PREVIEW_REFUSED, type Shown } from "./previews.ts";
import { readText } from "./text.ts";

/** Bytes of a file before and after an edit, as in Codebuff's later SDK. Undo and diff hold it in memory. */
export const MAX_EDITED = 10 * 1_048_576;

export type Plan =
  | { readonly kind: "write"; readonly bytes: Uint8Array; readonly diff: string; readonly value: object }
  | { readonly kind: "delete"; readonly diff: string; readonly value: object }
  | { readonly kind: "refused"; readonly errorMessage: string };

export function refusedEdit(errorMessage: string): Plan {
  return { kind: "refused", errorMessage };
}

export interface FileEdit {
  readonly path: string;
  /** The result's value for a deleted link. Without it, the edit refuses links. */
  readonly linkDeleted?: object;
  /** Plans the edit of a file; `undefined`: no file. May throw the signal's reason. */
  plan(file: FileRead | undefined, signal: AbortSignal): Plan | Promise<Plan>;
  /** The error text for a refused path. */
  refusal(refusal: Refusal): string;
  /** The result's value for an error. */
  failure(errorMessage: string): object;
}

/** Performs an edit, and returns the result's value. Edits of one file run one by one. */
export async function performEdit(edit: FileEdit, job: ToolJob, locks: PathLocks): Promise<object> {
  const { door, signal } = job;
  try {
    const location = await locatePath(door, door.resolve(edit.path, "write"));
    return await locks.hold(location.path, signal, () => performAt(edit, job, location));
  } catch (error) {
    if (error instanceof Refusal) return edit.failure(edit.refusal(error));
    if (signal.aborted && error === signal.reason) return edit.failure("Interrupted.");
    throw error;
  }
}

async function performAt(edit: FileEdit, job: ToolJob, { path, missing }: Location): Promise<object> {
  const { door, changes, signal } = job;
  const { file, plan } = await prepared(edit, path, job);
  const replaces = file === "link" ? undefined : file?.stamp;
  signal.throwIfAborted();
  // From here on, an abort no longer stops the edit.
  switch (plan.kind) {
    case "refused":
      return edit.failure(plan.errorMessage);
    case "delete":
      await door.removeFile(path, { replaces });
      changes.note(path, file, undefined);
      return plan.value;
    case "write": {
      const stamp = await door.writeFile(path, plan.bytes, { replaces });
      changes.note(path, file, { bytes: plan.bytes, stamp }, missing);
      return plan.value;
    }
  }
}

export interface Preview {
  readonly text: string;
  /** Input for the later call's `job.shown`. */
  readonly shown: Shown;
  /** For the approval. Absent if the input names no file. */
  readonly told?: ToolPreview;
}

export async function previewEdit(
  edit: FileEdit,
  job: Pick<ToolJob, "door" | "changes" | "signal">,
): Promise<Preview> {
  const { door } = job;
  try {
    const { path } = await locatePath(door, door.resolve(edit.path, "write"));
    const { file, plan, found } = await prepared(edit, path, job);
    if (plan.kind === "refused") return refusedPreview(edit, plan.errorMessage, found);
    const old_text = file === "link" ? undefined : shortText(file?.bytes);
    const new_text = plan.kind === "write" ? shortText(plan.bytes) : undefined;
    const told = { path, diff: plan.diff, by: "tool", ...defined({ old_text, new_text }) } as const;
    return { text: plan.diff, shown: found, told };
  } catch (error) {
    if (error instanceof Refusal) return refusedPreview(edit, edit.refusal(error), PREVIEW_REFUSED);
    throw error;
  }
}

function refusedPreview({ path }: FileEdit, why: string, shown: Shown): Preview {
  return { text: why, shown, told: { path, diff: `[the call would fail: ${why}]\n`, by: "tool" } };
}

function shortText(bytes: Uint8Array | undefined): string | undefined {
  return bytes && bytes.length <= MAX_PREVIEW_TEXT ? readText(bytes)?.raw : undefined;
}

/** The file is not the version that the agent knows. */
export const CHANGED =
  "The file has changed since it was read. Read it again with read_files, then make the change anew.";

const TOO_LONG = `The file would be longer than ${MAX_EDITED} bytes. Write less, or write several files.`;

interface Prepared {
  readonly file: FileRead | "link" | undefined;
  readonly found: Shown;
  readonly plan: Plan;
}

/** Reads the file and plans the edit. Finds all refusals except those of the write. @throws Refusal */
async function prepared(
  edit: FileEdit,
  path: string,
  { door, changes, signal, shown }: Pick<ToolJob, "door" | "changes" | "signal" | "shown">,
): Promise<Prepared> {
  const { linkDeleted } = edit;
  const isLink = linkDeleted !== undefined && (await door.look(path))?.kind === "link";
  const file = isLink ? undefined : await readExisting(door, path, MAX_EDITED);
  const found: Shown = { path, version: isLink ? "link" : file?.stamp };
  const isStale = !isLink && changes.isStale(path, file?.stamp);
  if (isStale || (shown && !isAsShown(shown, found))) throw new Refusal("changed", edit.path, CHANGED);
  const plan: Plan = isLink
    ? { kind: "delete", diff: "Deletes a link.\n", value: linkDeleted }
    : await limitedPlan(edit, file, signal);
  if (plan.kind !== "refused") await door.checkWrite(path, isLink ? undefined : { replaces: file?.stamp });
  return { file: isLink ? "link" : file, found, plan };
}

/** Limits the result's size: undo must be able to read the file. */
async function limitedPlan(edit: FileEdit, file: FileRead | undefined, signal: AbortSignal): Promise<Plan> {
  const plan = await edit.plan(file, signal);
  return plan.kind === "write" && plan.bytes.length > MAX_EDITED ? refusedEdit(TOO_LONG) : plan;
}
