import type { PendingRequest } from "../../src/core/values.ts";
import type {
  ContentPart,
  DataOf,
  ItemRole,
  ItemStatus,
  TurnEndMetadata,
  UniversalEvent,
  UniversalEventType,
} from "../../src/universal/events.ts";
import type { UniversalOptions, UniversalStream } from "../../src/universal/stream.ts";

let sessions = 0;

/** The universal events of a fake conversation. They go to the listeners at once. */
export class FakeStream implements UniversalStream {
  readonly options: UniversalOptions | undefined;
  readonly listeners = new Set<(event: UniversalEvent) => void>();
  readonly session = `ses_${++sessions}`;
  count = 0;
  ended = false;
  #requests = 0;
  #turns = 0;
  #items = 0;
  #isTurnOpen = false;

  readonly caughtUp?: Promise<void>;

  constructor(options: UniversalOptions | undefined, caughtUp?: Promise<void>) {
    this.options = options;
    if (caughtUp) this.caughtUp = caughtUp;
  }

  emit<Type extends UniversalEventType>(type: Type, data: DataOf<Type>): void {
    if (this.ended) return;
    if (this.count === 0 && type !== "session.started") this.emit("session.started", { metadata: null });
    this.count++;
    const event = {
      event_id: `evt_${this.count}`,
      sequence: this.count,
      time: new Date(1_770_714_000_000 + this.count).toISOString(),
      session_id: this.session,
      native_session_id: null,
      synthetic: false,
      source: "agent",
      type,
      data,
      raw: null,
    } as unknown as UniversalEvent; // `type` and `data` fit each other
    for (const listener of [...this.listeners]) listener(event);
  }

  get turnId(): string {
    return `trn_${this.#turns}`;
  }

  /** A turn begins, with what the user sent. */
  turn(content: readonly ContentPart[], metadata?: DataOf<"turn.started">["metadata"]): void {
    this.#turns++;
    this.#isTurnOpen = true;
    this.emit("turn.started", { phase: "started", turn_id: this.turnId, ...(metadata && { metadata }) });
    if (content.length > 0) this.complete(this.start("user", content), "user", content, "completed");
  }

  start(role: ItemRole, content: readonly ContentPart[]): string {
    const item_id = `itm_${++this.#items}`;
    const item = { item_id, native_item_id: null, parent_id: null, kind: "message", role, content } as const;
    this.emit("item.started", { item: { ...item, status: "in_progress" } });
    return item_id;
  }

  delta(item_id: string, delta: string): void {
    this.emit("item.delta", { item_id, native_item_id: null, delta, part: { type: "text" } });
  }

  complete(item_id: string, role: ItemRole, content: readonly ContentPart[], status: ItemStatus): void {
    const item = {
      item_id,
      native_item_id: null,
      parent_id: null,
      kind: "message",
      role,
      content,
      status,
    } as const;
    this.emit("item.completed", { item });
  }

  error(message: string, code: string): void {
    this.emit("error", { message, code, details: null, turn_id: this.turnId });
  }

  /** Tells of a request. Returns its id in the events. */
  asks({ id: request_id, ...request }: PendingRequest): string {
    const id = `${this.session}.${++this.#requests}`;
    const metadata = { request_id };
    if (request.type === "approval")
      this.emit("permission.requested", {
        permission_id: id,
        action: request.call.name,
        status: "requested",
        metadata,
      });
    else
      this.emit("question.requested", {
        question_id: id,
        prompt: "",
        options: [],
        response: null,
        status: "requested",
        metadata,
      });
    return id;
  }

  endTurn(metadata: TurnEndMetadata): void {
    this.#isTurnOpen = false;
    this.emit("turn.ended", { phase: "ended", turn_id: this.turnId, metadata });
  }

  on(_: "event", listener: (event: UniversalEvent) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  close(): void {
    if (this.ended) return;
    if (this.#isTurnOpen) this.endTurn({ status: "cancelled" });
    if (this.count > 0) this.emit("session.ended", { reason: "terminated", terminated_by: "daemon" });
    this.ended = true;
  }

  events(): never {
    throw new Error("a chat listens");
  }

  [Symbol.asyncIterator](): never {
    throw new Error("a chat listens");
  }
}
