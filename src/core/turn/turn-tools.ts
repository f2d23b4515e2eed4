// The tool calls of one turn, and its pending requests.
import { hasEnded, type PendingRequest, type Question, type ToolCall, type TurnToolCall } from "../values.ts";

interface Listener {
  opened(request: PendingRequest): void;
  changed(call: TurnToolCall): void;
}

/** The tool calls and pending requests of one turn. Unchanged ones stay the same objects. */
export class TurnTools {
  readonly #listener: Listener;
  readonly #calls = new Map<string, TurnToolCall>();
  readonly #pending = new Map<string, PendingRequest>();
  #snapshot: readonly TurnToolCall[] | undefined = [];
  #pendingSnapshot: readonly PendingRequest[] | undefined = [];

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** The calls, in the order of their first messages. */
  get calls(): readonly TurnToolCall[] {
    this.#snapshot ??= [...this.#calls.values()];
    return this.#snapshot;
  }

  get pending(): readonly PendingRequest[] {
    this.#pendingSnapshot ??= [...this.#pending.values()];
    return this.#pendingSnapshot;
  }

  /** Whether this very request is pending, not another one with the same id. */
  isPending(request: PendingRequest): boolean {
    return this.#pending.get(request.id) === request;
  }

  /** Yields the pending requests one by one, because the listener may settle the next one. */
  stillOpen(type: PendingRequest["type"]): Iterable<readonly [ToolCall] | readonly [Question]> {
    return this.#open(this.pending.filter((request) => request.type === type));
  }

  *#open(requests: readonly PendingRequest[]): Iterable<readonly [ToolCall] | readonly [Question]> {
    for (const request of requests) {
      if (this.isPending(request)) yield request.type === "approval" ? [request.call] : [request.question];
    }
  }

  get(id: string): TurnToolCall | undefined {
    return this.#calls.get(id);
  }

  set(call: TurnToolCall): void {
    this.#calls.set(call.id, call);
    this.#snapshot = undefined;
    this.#listener.changed(call);
  }

  /** Marks the unfinished calls as abandoned, because the turn has ended. */
  abandon(): void {
    for (const call of this.calls) if (!hasEnded(call)) this.set({ ...call, state: "abandoned" });
  }

  opened(request: PendingRequest): void {
    this.#pending.set(request.id, request);
    this.#pendingSnapshot = undefined;
    this.#listener.opened(request);
  }

  closed(id: string): void {
    if (this.#pending.delete(id)) this.#pendingSnapshot = undefined;
  }
}
