// The tool calls of one turn, and its requests that wait for the user.
import { hasEnded, type PendingRequest, type Question, type ToolCall, type TurnToolCall } from "../values.ts";

/** Gets the changes. */
interface Listener {
  opened(request: PendingRequest): void;
  changed(call: TurnToolCall): void;
}

/** The tool calls of one turn, and its requests that wait for the user. Snapshots, so a renderer can compare them by identity. */
export class TurnTools {
  readonly #listener: Listener;
  readonly #calls = new Map<string, TurnToolCall>();
  readonly #pending = new Map<string, PendingRequest>();
  #snapshot: readonly TurnToolCall[] | undefined = [];
  #pendingSnapshot: readonly PendingRequest[] | undefined = [];

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** The calls, in the order of their first message. */
  get calls(): readonly TurnToolCall[] {
    this.#snapshot ??= [...this.#calls.values()];
    return this.#snapshot;
  }

  get pending(): readonly PendingRequest[] {
    this.#pendingSnapshot ??= [...this.#pending.values()];
    return this.#pendingSnapshot;
  }

  /** Whether exactly this request waits, and not another one with the same id. */
  isPending(request: PendingRequest): boolean {
    return this.#pending.get(request.id) === request;
  }

  /** The requests that wait now, one by one: the listener of one request may decide the next. */
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

  /** Adds or replaces a call. */
  set(call: TurnToolCall): void {
    this.#calls.set(call.id, call);
    this.#snapshot = undefined;
    this.#listener.changed(call);
  }

  /** The turn has ended: marks the unfinished calls as abandoned. */
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
