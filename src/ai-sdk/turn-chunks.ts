// Maps the events of one turn to the chunks of one UI message.
import { defined } from "../core/checks.ts";
import type {
  ErrorData,
  ItemCompleted,
  ItemData,
  TurnEndMetadata,
  UniversalEvent,
} from "../universal/events.ts";
import { describeErrorData } from "../universal/words/describe-error-data.ts";
import { Calls } from "./calls.ts";
import type { AgentwireMetadata, Chunk, Sink } from "./message.ts";
import { finishReasonOf, metadataOf, statusChunk } from "./statuses.ts";
import { putJson, Texts } from "./texts.ts";

/** Maps the events of one turn to the chunks of one UI message. Everything that opens also closes. */
export class TurnChunks {
  readonly calls: Calls;
  readonly #texts: Texts;
  readonly #sink: Sink;
  #chunks: Chunk[] = [];
  #sessionId = "";
  #hasStep = false;
  /** Whether the turn's own prompt was seen. Further user items are messages that somebody added to the turn. */
  #hasPrompt = false;
  /** An error that may end the turn: the next event shows whether it does. */
  #error: ErrorData | undefined;
  #state: "new" | "open" | "over" = "new";

  constructor() {
    this.#sink = {
      put: (chunk) => void this.#chunks.push(chunk),
      step: () => this.#step(),
      key: (id) => `${this.#sessionId}/${id}`,
    };
    this.calls = new Calls(this.#sink);
    this.#texts = new Texts(this.#sink);
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  get isOver(): boolean {
    return this.#state === "over";
  }

  push(event: UniversalEvent): readonly Chunk[] {
    if (this.#state === "open" || (this.#state === "new" && STARTS.has(event.type))) this.#map(event);
    return this.#take();
  }

  /** The stream ends although the turn does not, because the agent waits for the user. */
  pause(): readonly Chunk[] {
    this.#tellError();
    this.calls.pause();
    this.#finishStep();
    this.#sink.put({ type: "finish", finishReason: "tool-calls" });
    return this.#take();
  }

  /** Another stream goes on with the same message. @param isAnswer after an answer, a new step begins at once */
  resume(messageId: string, isAnswer: boolean): readonly Chunk[] {
    this.#sink.put({ type: "start", messageId });
    if (isAnswer) this.#step();
    return this.#take();
  }

  /** Ends the message before the turn ends: the user has stopped it, or (`errorText`) nothing more can be read. */
  stop(errorText?: string): readonly Chunk[] {
    if (this.#state === "open") this.#close();
    this.#state = "over";
    this.#sink.put(errorText === undefined ? { type: "abort" } : { type: "error", errorText });
    return this.#take();
  }

  #take(): readonly Chunk[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }

  #map(event: UniversalEvent): void {
    if (event.type !== "turn.ended" && event.type !== "session.ended") this.#tellError();
    switch (event.type) {
      case "turn.started": {
        this.#state = "open";
        this.#sessionId = event.session_id;
        const { prompt_id: promptId, branch_of: branchOf } = event.data.metadata ?? {};
        const messageMetadata = defined({ promptId, branchOf });
        this.#sink.put({ type: "start", messageId: this.#sink.key(event.data.turn_id), messageMetadata });
        this.#step();
        return;
      }
      case "item.started":
        this.#start(event.data);
        return;
      case "item.delta":
        this.#texts.grow(event.data);
        this.calls.grow(event.data);
        return;
      case "item.completed":
        this.#complete(event);
        return;
      case "permission.requested":
        this.calls.permission(event.data);
        return;
      case "permission.resolved":
        this.calls.permissionResolved(event.data);
        return;
      case "question.requested":
        this.calls.question(event.data);
        return;
      case "question.resolved":
        this.calls.questionResolved(event.data);
        return;
      case "error":
        this.#error = event.data;
        return;
      case "turn.ended":
        this.#end(event.data.metadata);
        return;
      case "session.ended": {
        const { reason, message } = event.data;
        if (reason === "error" && message !== undefined)
          this.#error ??= { message, code: null, details: null };
        this.#end({ status: ENDS[reason] });
        return;
      }
      case "session.started":
      case "agent.unparsed":
        return;
      default:
        event satisfies never;
    }
  }

  #start({ item }: ItemData): void {
    switch (item.kind) {
      case "message":
        if (item.role !== "user") this.#texts.start(item);
        return;
      case "tool_call":
        this.calls.start(item, this.#texts.agentOf(item));
        return;
      case "tool_result":
        this.calls.startResult(item);
        return;
      case "status":
        this.#texts.startAgent(item);
        return;
      case "system":
      case "unknown":
        return;
      default:
        item.kind satisfies never;
    }
  }

  #complete(event: ItemCompleted): void {
    const { data } = event;
    const { item } = data;
    switch (item.kind) {
      case "message":
        if (item.role !== "user") this.#texts.complete(item);
        else if (this.#hasPrompt) this.#steer(data);
        this.#hasPrompt ||= item.role === "user";
        return;
      case "tool_call":
        this.calls.complete(item, this.#texts.agentOf(item));
        return;
      case "tool_result":
        this.calls.completeResult(data);
        return;
      case "status":
        if (this.#texts.startAgent(item)) this.#texts.endAgent(item);
        else this.#sink.put(statusChunk(event, this.#sink));
        return;
      case "system":
        for (const part of item.content)
          if (part.type === "text")
            this.#sink.put({
              type: "data-status",
              data: { label: "system", detail: part.text },
              transient: true,
            });
        return;
      case "unknown":
        for (const part of item.content) if (part.type === "json") putJson(this.#sink, part.json);
        return;
      default:
        item.kind satisfies never;
    }
  }

  /** A message of the user that was added while the turn ran. */
  #steer({ item }: ItemData): void {
    const parts = item.content.flatMap((part) =>
      part.type === "text" ? [{ type: part.type, text: part.text }] : [],
    );
    this.#sink.put({ type: "steering-message", id: this.#sink.key(item.item_id), parts });
  }

  #tellError(): void {
    const error = this.#error;
    this.#error = undefined;
    if (!error) return;
    const { message, code } = error;
    this.#sink.put({ type: "data-error", data: { message, code }, transient: true });
  }

  #end(metadata: TurnEndMetadata): void {
    const error = this.#error;
    const { status, stop_reason } = metadata;
    if (status !== "failed") this.#tellError();
    this.#close();
    this.#state = "over";
    const messageMetadata: AgentwireMetadata = metadataOf(metadata);
    if (status === "completed") {
      this.#sink.put({ type: "finish", finishReason: finishReasonOf(stop_reason), messageMetadata });
      return;
    }
    this.#sink.put({ type: "message-metadata", messageMetadata });
    if (status === "cancelled") {
      this.#sink.put({ type: "abort", ...(stop_reason === undefined ? {} : { reason: stop_reason }) });
      return;
    }
    const { title, detail } = describeErrorData(error ?? { message: "", code: null, details: null });
    this.#sink.put({ type: "error", errorText: `${title}. ${detail}` });
  }

  #close(): void {
    this.#texts.end();
    this.calls.end();
    this.#finishStep();
  }

  #step(): void {
    if (this.#hasStep || this.calls.isWriting) return;
    this.#hasStep = true;
    this.#sink.put({ type: "start-step" });
  }

  #finishStep(): void {
    if (this.#hasStep) this.#sink.put({ type: "finish-step" });
    this.#hasStep = false;
  }
}

/** What is read before the turn: its start, or why there is none. */
const STARTS: ReadonlySet<string> = new Set(["turn.started", "error", "turn.ended", "session.ended"]);

const ENDS = { completed: "completed", error: "failed", terminated: "cancelled" } as const;
