// The tool calls of one turn, as items. Each call is announced once, starts once and ends once.
import type { ToolCallState } from "../../core/values.ts";
import type { DeltaPart, ToolCallPart, UniversalItem } from "../events.ts";
import { Announced, type AnnouncedCall } from "./announced.ts";
import { type ToolOutputContent, toJsonText } from "./content.ts";
import type { AgentKey, Agents, Items, OpenItem, Stated } from "./items.ts";

/** A tool call, as a mapping reports it. `id` is this library's id, and `call_id` in the events. */
export interface CallReport {
  readonly id: string;
  /** The backend's id, if it differs from `id`. Null: the backend gave no id. */
  readonly nativeId?: string | null | undefined;
  readonly name: string;
  readonly input: unknown;
  readonly agent?: AgentKey;
  readonly facts?: ToolFacts | undefined;
}

/** The known facts about a call's tool. */
export type ToolFacts = Pick<ToolCallPart, "title" | "tool_kind" | "locations">;

/** How a call ends. */
export type CallEnd = Extract<ToolCallState, "done" | "failed" | "denied">;

interface Call extends AnnouncedCall {
  readonly item: UniversalItem;
  readonly id: string;
  /** An item while the tool runs. `over`: the result is known. */
  result: OpenItem | "none" | "over";
}

const TOOL_ARGUMENTS: DeltaPart = { type: "tool_arguments" };
const TOOL_OUTPUT: DeltaPart = { type: "tool_output" };

export class Calls {
  readonly #items: Items;
  readonly #agents: Agents;
  readonly #calls = new Map<string, Call>();
  /** Calls whose arguments arrive. */
  readonly #written = new Map<string, OpenItem>();
  /** The backend's ids. A request has another id than its announced call. */
  readonly #nativeIds = new Map<string, string | null>();
  /** Denied calls, with their content if the backend does not confirm the denial. */
  readonly #denied = new Map<string, ToolOutputContent>();
  /** Calls whose input may still change. */
  readonly #unsettled = new Map<string, CallReport>();
  readonly #announced = new Announced<Call>();

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

  /** Announces a call with its next report, or at the end of the turn. */
  hold(report: CallReport): void {
    this.#unsettled.set(report.id, report);
  }

  /** Adds a piece of a call's arguments, before the call is announced. `null`: the call is never announced. */
  write({ id, name, agent }: CallReport, delta: string | null): void {
    if (delta === null) {
      this.#cut(id);
      return;
    }
    if (this.#calls.has(id) || delta === "") return;
    let item = this.#written.get(id);
    if (!item) {
      this.#agents.pause(agent);
      const head = { native_item_id: id, parent_id: this.#agents.itemOf(agent) };
      const contentOf = (args: string) =>
        [{ type: "tool_call", name, arguments: args, call_id: id }] as const;
      const start = { ...head, kind: "tool_call", role: "assistant", content: contentOf("") } as const;
      // The fragment is not valid JSON, so a cut item has the fragment as a JSON string.
      const grows = { part: TOOL_ARGUMENTS, finish: (text: string) => contentOf(JSON.stringify(text)) };
      item = this.#items.start(start, "inferred", grows, "requested");
      this.#written.set(id, item);
    }
    this.#items.grow(item, delta, "agent");
  }

  #cut(id: string): void {
    const item = this.#written.get(id);
    if (item) this.#items.complete(item, "inferred", "failed");
    this.#written.delete(id);
  }

  /** Announces a call. Ignores a known call. */
  announce({ id, nativeId = id, name, input, agent, facts }: CallReport, stated: Stated): void {
    if (this.#calls.has(id)) return;
    const isNamed = typeof id === "string" && typeof name === "string";
    if (!isNamed || (typeof nativeId !== "string" && nativeId !== null))
      throw new TypeError("a tool call without an id or a name");
    this.#unsettled.delete(id);
    this.#agents.pause(agent);
    const head = { native_item_id: nativeId, parent_id: this.#agents.itemOf(agent) };
    const args = argumentsOf(input);
    const content = [{ type: "tool_call", name, arguments: args, call_id: id, ...facts }] as const;
    const written = this.#written.get(id);
    let item: UniversalItem;
    if (written) {
      this.#written.delete(id);
      this.#items.complete(written, stated, "completed", content);
      item = { ...written.head, content, status: "completed" };
    } else {
      const whole = { ...head, kind: "tool_call", role: "assistant", content } as const;
      item = this.#items.whole(whole, stated, "completed", "requested");
    }
    const call: Call = { item, name, id, args, title: facts?.title, result: "none", isTaken: false };
    this.#calls.set(id, call);
    this.#nativeIds.set(id, nativeId);
    this.#announced.add(call);
  }

  /**
   * This machine runs a call, under its own id. Links the call to an announced call of this name without a request: the
   * one with the backend's id, otherwise the one with the same input (`Announced.find`).
   */
  link(report: CallReport, stated: Stated): void {
    const { id, nativeId = id, name, input, facts } = report;
    if (!this.#calls.has(id)) {
      const same = this.#calls.get(nativeId ?? id);
      const isSame = same?.name === name && !same.isTaken;
      const call = isSame
        ? same
        : this.#announced.find({ name, title: facts?.title, args: argumentsOf(input) });
      if (call) {
        this.#calls.set(id, call);
        this.#nativeIds.set(id, nativeId);
      } else this.announce(report, stated);
    }
    const call = this.#calls.get(id);
    if (call) this.#announced.take(call);
  }

  /** The tool starts. Ignores a second start. */
  start(id: string, stated: Stated): void {
    const call = this.#calls.get(id);
    if (call?.result !== "none") return;
    const { item_id: parent_id, native_item_id } = call.item;
    const item = { native_item_id, parent_id, kind: "tool_result", role: "tool", content: [] } as const;
    call.result = this.#items.start(item, stated, {
      part: TOOL_OUTPUT,
      state: "running",
      finish: (output) => [{ type: "tool_result", call_id: call.id, output }],
    });
  }

  /** Adds output. Ignores an unknown or ended call. */
  output(id: string, delta: string, stated: Stated): void {
    if (delta === "") return;
    this.start(id, "inferred");
    const { result = "none" } = this.#calls.get(id) ?? {};
    if (typeof result === "object") this.#items.grow(result, delta, stated);
  }

  /** Ends a call. Ignores a second result. Announces an unknown call first. */
  end(id: string, told: ToolOutputContent, state: CallEnd, stated: Stated, name = "unknown"): void {
    if (!this.#calls.has(id)) this.announce({ id, name, input: {} }, "inferred");
    this.start(id, "inferred");
    const call = this.#calls.get(id);
    if (typeof call?.result !== "object") return;
    const item = call.result;
    call.result = "over";
    this.#announced.take(call);
    const content = [{ type: "tool_result", call_id: call.id, output: told.output } as const, ...told.parts];
    this.#items.complete(item, stated, state === "done" ? "completed" : "failed", content, state);
  }

  deny(id: string, content: ToolOutputContent): void {
    this.#denied.set(id, content);
  }

  /** The turn is over: ends calls whose arguments were cut, announces calls that were held, and ends denied calls that the backend has not ended. */
  finish(): void {
    for (const id of [...this.#written.keys()]) this.#cut(id);
    for (const report of this.#unsettled.values()) this.announce(report, "agent");
    for (const [id, content] of this.#denied) this.end(id, content, "denied", "inferred");
  }
}

const argumentsOf = (input: unknown): string => toJsonText(input === undefined ? {} : input);
