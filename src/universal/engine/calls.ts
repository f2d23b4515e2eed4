import type { ToolCallState } from "../../core/values.ts";
import type { ToolCallPart, UniversalItem } from "../events.ts";
import type { AgentKey, Agents } from "./agents.ts";
import { type ToolOutputContent, toJsonText } from "./content.ts";
import type { Stated } from "./envelope.ts";
import type { Items, OpenItem } from "./items.ts";

/** A tool call, as a mapping reports it. `id` is this library's id; it is `call_id` in the events. */
export interface CallReport {
  readonly id: string;
  /** The backend's id, where it differs from `id`. Null: the backend gave none. */
  readonly nativeId?: string | null | undefined;
  readonly name: string;
  readonly input: unknown;
  readonly agent?: AgentKey;
  readonly facts?: ToolFacts | undefined;
}

/** What is known of a tool that a call names. */
export type ToolFacts = Pick<ToolCallPart, "title" | "tool_kind" | "locations">;

/** How a call ends. */
export type CallEnd = Extract<ToolCallState, "done" | "failed" | "denied">;

/** One tool call of the turn. */
interface Call {
  readonly item: UniversalItem;
  readonly name: string;
  readonly id: string;
  /** `open`: the tool is running. `over`: its result is known. */
  result:
    | { readonly name: "none" }
    | { readonly name: "open"; readonly item: OpenItem }
    | { readonly name: "over" };
}

const NONE = { name: "none" } as const;
const OVER = { name: "over" } as const;

/** The tool calls of one turn: a call is announced once, starts once and ends once. */
export class Calls {
  readonly #items: Items;
  readonly #agents: Agents;
  readonly #calls = new Map<string, Call>();
  /** The backend's ids. A request has another one than the announced call that it is about. */
  readonly #nativeIds = new Map<string, string | null>();
  /** Calls that were denied, and what they say if the backend does not confirm the denial. */
  readonly #denied = new Map<string, ToolOutputContent>();
  /** Announced calls that no request has met, oldest first, by name. */
  readonly #announced = new Map<string, Set<Call>>();

  constructor(items: Items, agents: Agents) {
    this.#items = items;
    this.#agents = agents;
  }

  has(id: string): boolean {
    return this.#calls.has(id);
  }

  itemOf(id: string): UniversalItem | undefined {
    return this.#calls.get(id)?.item;
  }

  /** The `call_id` under which the call was announced. */
  idOf(id: string): string {
    return this.#calls.get(id)?.id ?? id;
  }

  /** The backend's id of the call, or of the request for it. */
  nativeIdOf(id: string): string | null {
    return this.#nativeIds.get(id) ?? null;
  }

  /** Announces a call. A known call is not announced again. */
  announce({ id, nativeId = id, name, input, agent, facts }: CallReport, stated: Stated): void {
    if (this.#calls.has(id)) return;
    const isNamed = typeof id === "string" && typeof name === "string";
    if (!isNamed || (typeof nativeId !== "string" && nativeId !== null))
      throw new TypeError("a tool call without an id or a name");
    this.#agents.pause(agent);
    const item = this.#items.whole(
      {
        native_item_id: nativeId,
        parent_id: this.#agents.itemOf(agent),
        kind: "tool_call",
        role: "assistant",
        content: [
          {
            type: "tool_call",
            name,
            arguments: toJsonText(input === undefined ? {} : input),
            call_id: id,
            ...facts,
          },
        ],
      },
      stated,
      "completed",
      "requested",
    );
    const call: Call = { item, name, id, result: NONE };
    this.#calls.set(id, call);
    this.#nativeIds.set(id, nativeId);
    const sameName = this.#announced.get(name);
    if (sameName) sameName.add(call);
    else this.#announced.set(name, new Set([call]));
  }

  /**
   * This machine runs a call, under an id of its own. It is the announced call of this name that no other request has met: the one with
   * the backend's id, otherwise the oldest one.
   */
  link(report: CallReport, stated: Stated): void {
    const { id, nativeId = id, name } = report;
    if (!this.#calls.has(id)) {
      const waiting = this.#announced.get(name) ?? new Set<Call>();
      const same = this.#calls.get(nativeId ?? id);
      const [oldest] = same && waiting.has(same) ? [same] : waiting;
      if (oldest) {
        this.#calls.set(id, oldest);
        this.#nativeIds.set(id, nativeId);
      } else this.announce(report, stated);
    }
    const call = this.#calls.get(id);
    if (call) this.#take(call);
  }

  /** The tool starts. A second start is nothing. */
  start(id: string, stated: Stated): void {
    const call = this.#calls.get(id);
    if (call?.result.name !== "none") return;
    call.result = { name: "open", item: this.#items.startResult(call.item, call.id, stated) };
  }

  /** The tool reports a piece of its output. A report for an unknown or ended call is nothing. */
  output(id: string, delta: string, stated: Stated): void {
    if (delta === "") return;
    this.start(id, "inferred");
    const { result } = this.#calls.get(id) ?? {};
    if (result?.name === "open") this.#items.grow(result.item, delta, stated);
  }

  /** The tool has ended. A second result is nothing. A result without a call announces a call. */
  end(
    id: string,
    { output, parts }: ToolOutputContent,
    state: CallEnd,
    stated: Stated,
    name = "unknown",
  ): void {
    if (!this.#calls.has(id)) this.announce({ id, name, input: {} }, "inferred");
    this.start(id, "inferred");
    const call = this.#calls.get(id);
    if (call?.result.name !== "open") return;
    const { item } = call.result;
    call.result = OVER;
    this.#take(call);
    const content = [{ type: "tool_result", call_id: call.id, output } as const, ...parts];
    this.#items.complete(item, stated, state === "done" ? "completed" : "failed", content, state);
  }

  deny(id: string, content: ToolOutputContent): void {
    this.#denied.set(id, content);
  }

  /** The turn is over: ends the denied calls that the backend has not ended. */
  endDenied(): void {
    for (const [id, content] of this.#denied) this.end(id, content, "denied", "inferred");
  }

  #take(call: Call): void {
    this.#announced.get(call.name)?.delete(call);
  }
}
