// What the user has allowed beyond one call, on the mock agent.
import type { Grant, Ruling, ToolCall } from "../../core/values.ts";
import type { MockTurn } from "./turn.ts";

/** A grant that stands, and the turn with which it ends. */
interface Standing {
  readonly grant: Grant;
  readonly turn: MockTurn | undefined;
  readonly ruling: Ruling;
}

const OVER: readonly MockTurn["status"][] = ["completed", "failed", "cancelled", "cancelling"];

/** What the user has allowed beyond one call, by tool and by what the call is about. */
export class Grants {
  readonly #standing = new Map<string, Standing>();
  readonly #newId: () => string;
  #list: readonly Grant[] = [];

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** Oldest first. The same list until something changes. */
  get list(): readonly Grant[] {
    this.#sweep();
    const now = [...this.#standing.values()].map(({ grant }) => grant);
    const isSame = now.length === this.#list.length && now.every((grant, at) => grant === this.#list[at]);
    if (!isSame) this.#list = now;
    return this.#list;
  }

  /** The ruling on a call that a grant covers. */
  rulingOn(call: ToolCall): Ruling | undefined {
    this.#sweep();
    if (call.grant === undefined) return undefined;
    for (const turnId of [undefined, call.turnId])
      for (const words of [undefined, call.grant]) {
        const standing = this.#standing.get(JSON.stringify([turnId ?? null, call.name, words ?? null]));
        if (standing) return standing.ruling;
      }
    return undefined;
  }

  /** A decision of the user on a call. */
  add({ name: tool, grant: words = "", turnId = "" }: ToolCall, turn: MockTurn, ruling: Ruling): void {
    const { decision, scope, tool: isWide } = ruling;
    if (decision !== "always" && scope !== "turn") return;
    const key = JSON.stringify([scope ? turnId : null, tool, isWide ? null : words]);
    if (this.#standing.has(key)) return;
    const grant = isWide ? `every call of ${tool}` : words;
    const about = { id: this.#newId(), tool, grant };
    this.#standing.set(key, {
      grant: scope ? { ...about, scope, turnId } : { ...about, scope: "session" },
      turn: scope ? turn : undefined,
      ruling: { decision, ...(scope ? { scope } : {}), ...(isWide ? { tool: isWide } : {}), by: "session" },
    });
  }

  revoke(id: string): boolean {
    for (const [key, { grant }] of this.#standing) if (grant.id === id) return this.#standing.delete(key);
    return false;
  }

  /** The session is over. */
  clear(): void {
    this.#standing.clear();
  }

  #sweep(): void {
    for (const [key, { turn }] of this.#standing)
      if (turn && OVER.includes(turn.status)) this.#standing.delete(key);
  }
}

/** The words for what a call is about: the script's own, or the whole input. `undefined`: the call gets no grant. */
export function wordsFor(input: unknown, words: string | undefined): string | undefined {
  if (words !== undefined) return words === "" ? undefined : words;
  try {
    return `exactly the input ${sorted(input)}`;
  } catch {
    return undefined;
  }
}

/** JSON with sorted keys. @throws for a value that JSON cannot write */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${sorted(field)}`).join(",")}}`;
  }
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError("it is no JSON value");
  return text;
}
