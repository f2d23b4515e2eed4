// The grants of a session: what the user has allowed in advance. Kept in memory.
import { defined } from "../checks.ts";
import { randomId } from "../random-id.ts";
import { Table } from "../table.ts";
import type { Grant, Ruling } from "../values.ts";
import type { AskingTurn } from "./open-request.ts";
import type { Subject } from "./subject.ts";

/** The limit of all grants' keys, in characters. Over it the oldest grants end, and the user is asked. */
const MAX_KEPT = 1_048_576;

/** The limit of active grants, because each new one scans them. Over it the oldest end. */
const MAX_GRANTS = 1_000;

/** The facts of a call that decide which grant covers it. */
export interface Granted {
  /** The tool's source, and its name. */
  readonly source: string;
  readonly tool: string;
  readonly subject: Subject;
  /** The id of the call's turn, and the turn itself. */
  readonly turnId: string | undefined;
  readonly turn: AskingTurn | undefined;
}

interface Standing {
  readonly grant: Grant;
  /** The turn whose end ends the grant. */
  readonly turn: AskingTurn | undefined;
  readonly ruling: Ruling;
}

/** The grants of one session. Kept only in memory. */
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

  /** Adds a grant, if the user's decision gives one. */
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

  /** Ends a grant. Returns false if it was not active. */
  revoke(id: string): boolean {
    for (const [key, { grant }] of this.#standing.entries())
      if (grant.id === id) {
        this.#end(key);
        return true;
      }
    return false;
  }

  /** Ends the grants of turns that have ended. */
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

/** JSON, so that different parts never make the same key, whatever characters a tool's name has. */
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
