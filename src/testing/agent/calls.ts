// The tool calls and open requests of one mock turn.
import type { PendingRequest, TurnToolCall } from "../../core/values.ts";

/** The tool calls of one turn, and its requests that wait for the user: lists that never change once they are handed out. */
export class TurnCalls {
  readonly #calls = new Map<string, TurnToolCall>();
  readonly #pending = new Map<string, PendingRequest>();
  #callList: readonly TurnToolCall[] | undefined = [];
  #pendingList: readonly PendingRequest[] | undefined = [];

  get calls(): readonly TurnToolCall[] {
    this.#callList ??= [...this.#calls.values()];
    return this.#callList;
  }

  get pending(): readonly PendingRequest[] {
    this.#pendingList ??= [...this.#pending.values()];
    return this.#pendingList;
  }

  set(call: TurnToolCall): void {
    this.#calls.set(call.id, call);
    this.#callList = undefined;
  }

  open(request: PendingRequest): void {
    this.#pending.set(request.id, request);
    this.#pendingList = undefined;
  }

  /** Whether the request was open. */
  close(id: string): boolean {
    const wasOpen = this.#pending.delete(id);
    if (wasOpen) this.#pendingList = undefined;
    return wasOpen;
  }

  isOpen(request: PendingRequest): boolean {
    return this.#pending.get(request.id) === request;
  }

  /** The open requests of a type, as arguments of a listener, one by one: the listener of one may decide the next. */
  *stillOpen(type: PendingRequest["type"]): Iterable<readonly unknown[]> {
    for (const request of this.pending)
      if (request.type === type && this.isOpen(request)) yield [askedIn(request)];
  }
}

/** The call or the question of a request. */
export function askedIn(request: PendingRequest): { readonly id: string; readonly turnId?: string } {
  return request.type === "approval" ? request.call : request.question;
}

export function hasEnded({ state }: TurnToolCall): boolean {
  return state === "done" || state === "failed" || state === "denied" || state === "abandoned";
}
