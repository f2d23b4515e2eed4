// What the user has allowed beyond one call, for a turn or a session, in memory.
import { defined } from "../checks.ts";
import { randomId } from "../random-id.ts";
import { Table } from "../table.ts";
import type { Grant, Ruling } from "../values.ts";
import type { Waiting } from "./open-request.ts";
import type { Subject } from "./subject.ts";

/** The grants of a client without a gate. */
export const NO_GRANTS: readonly Grant[] = [];

/** Characters of what all grants are about. With more, the oldest grants end, and the user is asked again. */
const MAX_KEPT = 1_048_576;

/** Grants that stand at once: far more than a user remembers. All are looked at for each new one. With more, the oldest end likewise. */
const MAX_GRANTS = 1_000;

/** A call, as grants know it. */
export interface Granted {
  /** The tool, and where it comes from. */
  readonly source: string;
  readonly tool: string;
  readonly subject: Subject;
  /** The id of the call's turn, and the turn. */
  readonly turnId: string | undefined;
  readonly turn: Waiting | undefined;
}

/** A grant that stands. */
interface Standing {
  readonly grant: Grant;
  /** The turn with which it ends. */
  readonly turn: Waiting | undefined;
  readonly ruling: Ruling;
}

/** The grants of one session. They are in memory alone. */
export class Grants {
  readonly #standing = new Table<string, Standing>();
  #kept = 0;
  #list: readonly Grant[] | undefined = [];

  /** Oldest first. The same list until something changes. */
  get list(): readonly Grant[] {
    this.#sweep();
    this.#list ??= [...this.#standing.values()].map(({ grant }) => grant);
    return this.#list;
  }

  /** The ruling on a call that a grant covers. */
  rulingOn(call: Granted | undefined): Ruling | undefined {
    if (!call || this.#standing.size === 0) return undefined;
    for (const scope of ["session", "turn"] as const)
      for (const isWide of [true, false]) {
        const standing = this.#standing.get(keyOf(call, scope, isWide));
        if (standing && !isOver(standing)) return standing.ruling;
      }
    return undefined;
  }

  /** A decision of the user on a call. */
  decided(call: Granted | undefined, { decision, scope, tool }: Ruling): void {
    if (!call || (decision !== "always" && scope !== "turn")) return;
    this.#sweep();
    const isWide = tool === true;
    const lasts = scope ?? "session";
    const key = keyOf(call, lasts, isWide);
    if (this.#standing.has(key)) return;
    const grant: Grant = {
      id: randomId("grant"),
      tool: call.tool,
      grant: isWide ? everyCall(call.tool) : call.subject.words,
      scope: lasts,
      ...(lasts === "turn" ? defined({ turnId: call.turnId }) : {}),
    };
    this.#standing.set(key, {
      grant,
      turn: lasts === "turn" ? call.turn : undefined,
      ruling: { decision, ...defined({ scope, tool }), by: "session" },
    });
    this.#kept += key.length;
    this.#list = undefined;
    for (const oldest of this.#standing.keys()) {
      if ((this.#kept <= MAX_KEPT && this.#standing.size <= MAX_GRANTS) || oldest === key) break;
      this.#end(oldest);
    }
  }

  /** Returns whether the grant stood. */
  revoke(id: string): boolean {
    for (const [key, { grant }] of this.#standing.entries())
      if (grant.id === id) {
        this.#end(key);
        return true;
      }
    return false;
  }

  /** Ends the grants of turns that are over. */
  #sweep(): void {
    for (const [key, standing] of this.#standing.entries()) if (isOver(standing)) this.#end(key);
  }

  #end(key: string): void {
    if (!this.#standing.delete(key)) return;
    this.#kept -= key.length;
    this.#list = undefined;
  }
}

/** What a grant with `tool: true` covers, in words. */
export function everyCall(tool: string): string {
  return `every call of ${tool}`;
}

/** Unlike parts cannot make the same key: a tool's name may hold any character. */
function keyOf(
  { source, tool, subject, turnId }: Granted,
  scope: "turn" | "session",
  isWide: boolean,
): string {
  return JSON.stringify([
    scope === "turn" ? (turnId ?? null) : null,
    scope,
    source,
    tool,
    isWide ? null : subject.key,
  ]);
}

function isOver({ turn }: Standing): boolean {
  const status = turn?.status;
  return status === "completed" || status === "failed" || status === "cancelled" || status === "cancelling";
}
