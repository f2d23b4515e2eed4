// What each preview showed, until its call runs.
import { createHash } from "node:crypto";
import { Recent } from "../../../core/recent.ts";
import { type Stamp, sameFile } from "../door/stamp.ts";

/** Previewed calls that have not run, 500 bytes each. Older ones run without the check. */
const MAX_PREVIEWS = 10_000;

/** What a preview or a call finds. */
export interface Shown {
  /** `undefined`: the path was refused, or the agent did not know the file's version. */
  readonly path: string | undefined;
  /** `undefined`: no file. */
  readonly version: Stamp | "link" | undefined;
}

export const PREVIEW_REFUSED: Shown = { path: undefined, version: undefined };

/** Whether an edit finds what its preview found. A refusal never matches. */
export function isAsShown(shown: Shown, now: Shown): boolean {
  if (shown.path === undefined || shown.path !== now.path) return false;
  if (shown.version === "link" || now.version === "link") return shown.version === now.version;
  return sameFile(shown.version, now.version);
}

interface PreviewedCall {
  /** Without an id, equal calls of a turn are counted instead. */
  readonly id?: string | undefined;
  readonly turnId: string;
  readonly name: string;
  readonly input: unknown;
}

interface Entry {
  readonly shown: Shown;
  /** Unused previews of equal calls without ids. */
  readonly count: number;
}

export class Previews {
  readonly #entries = new Recent<string, Entry>(MAX_PREVIEWS);

  note(call: PreviewedCall, shown: Shown): void {
    const key = keyOf(call);
    const count = call.id === undefined ? (this.#entries.get(key)?.count ?? 0) : 0;
    this.#entries.set(key, { shown, count: count + 1 });
  }

  /** Removes and returns what the call's last preview showed. */
  take(call: PreviewedCall): Shown | undefined {
    if (this.#entries.size === 0) return undefined;
    return (
      this.#take(keyOf(call)) ??
      (call.id === undefined ? undefined : this.#take(keyOf({ ...call, id: undefined })))
    );
  }

  #take(key: string): Shown | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (entry.count > 1) this.#entries.set(key, { ...entry, count: entry.count - 1 });
    else this.#entries.delete(key);
    return entry.shown;
  }
}

/** Hashed, because an input may hold a whole file. */
function keyOf({ id, turnId, name, input }: PreviewedCall): string {
  return createHash("sha256")
    .update(JSON.stringify([id ?? null, turnId, name, input]))
    .digest("base64");
}
