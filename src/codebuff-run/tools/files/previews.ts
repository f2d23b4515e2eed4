// Remembers what each preview showed, until its call runs.
import { createHash } from "node:crypto";
import { Recent } from "../../../core/recent.ts";
import type { Shown } from "./shown.ts";

/** Previewed calls that have not run. Far more than wait for an answer at once; each takes some 500 bytes. Older ones run without the check. */
const MAX_PREVIEWS = 10_000;

/** What tells calls apart for the gate and for the handler alike. */
interface PreviewedCall {
  /** Absent: equal calls of a turn are told apart by their number alone. */
  readonly id?: string | undefined;
  readonly turnId: string;
  readonly name: string;
  readonly input: unknown;
}

interface Entry {
  readonly shown: Shown;
  /** Previews that no call has used: of equal calls without ids that were previewed one by one, each is checked. */
  readonly count: number;
}

/** What previews have shown, until the call runs. */
export class Previews {
  readonly #entries = new Recent<string, Entry>(MAX_PREVIEWS);

  note(call: PreviewedCall, shown: Shown): void {
    const key = keyOf(call);
    const count = call.id === undefined ? (this.#entries.get(key)?.count ?? 0) : 0;
    this.#entries.set(key, { shown, count: count + 1 });
  }

  /** What the last preview of a call has shown; `undefined`: nothing. */
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

/** A hash, because an input may hold a whole file. */
function keyOf({ id, turnId, name, input }: PreviewedCall): string {
  return createHash("sha256")
    .update(JSON.stringify([id ?? null, turnId, name, input]))
    .digest("base64");
}
