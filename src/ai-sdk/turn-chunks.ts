// Maps the events of one turn to the chunks of one UI message.
import { defined } from "../core/checks.ts";
import type { TurnEndMetadata, TurnStarted, UniversalEvent } from "../universal/events.ts";
import { indexOf } from "../universal/transcript/branches.ts";
import { reduce } from "../universal/transcript/reduce.ts";
import { emptyTranscript, type Transcript } from "../universal/transcript/transcript.ts";
import type { AgentwireMetadata, Chunk } from "./message.ts";
import { PartChunks } from "./part-chunks.ts";

/** An answer of the user that does not fit its question. */
export interface RefusedAnswer {
  readonly id: string;
  readonly errorText: string;
}

/**
 * Maps the events of one turn to the chunks of one UI message. The reducer reads the events, as it does for a chat, and each
 * change of the message becomes chunks. Everything that opens also closes, because the reducer closes it.
 */
export class TurnChunks {
  readonly #parts: PartChunks;
  #chunks: Chunk[] = [];
  #now: Transcript = emptyTranscript;
  #last: UniversalEvent | undefined;
  #sessionId = "";
  #messageId = "";
  #hasStep = false;
  /** Whether the turn's own prompt was seen. Further ones are messages that somebody added to the turn. */
  #hasPrompt = false;
  #state: "new" | "open" | "over" = "new";

  constructor() {
    this.#parts = new PartChunks({
      put: (chunk) => void this.#chunks.push(chunk),
      step: () => this.#step(),
      key: (id) => `${this.#sessionId}/${id}`,
    });
  }

  get calls(): Pick<PartChunks["calls"], "hasShown" | "replied"> {
    return this.#parts.calls;
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  get isOver(): boolean {
    return this.#state === "over";
  }

  push(event: UniversalEvent): readonly Chunk[] {
    const isRead = this.isOpen ? event.session_id === this.#sessionId : STARTS.has(event.type);
    if (isRead && !this.isOver) this.#map(event);
    return this.#take();
  }

  /** The stream ends although the turn does not, because the agent waits for the user. */
  pause(): readonly Chunk[] {
    this.#parts.calls.pause();
    this.#finishStep();
    this.#put({ type: "finish", finishReason: "tool-calls" });
    return this.#take();
  }

  /** Another stream goes on with the same message. @param isAnswer after an answer, a new step begins at once */
  resume(messageId: string, isAnswer: boolean): readonly Chunk[] {
    this.#put({ type: "start", messageId });
    if (isAnswer) this.#step();
    return this.#take();
  }

  /** Shows questions again whose answers were refused, and says why. */
  askAgain(messageId: string, refused: readonly RefusedAnswer[]): readonly Chunk[] {
    this.#put({ type: "start", messageId });
    for (const { id } of refused) this.#parts.calls.askAgain(id);
    this.#put({ type: "error", errorText: refused.map(({ errorText }) => errorText).join(" ") });
    return this.#take();
  }

  /** Ends the message before the turn ends: the user has stopped it, or (`errorText`) nothing more can be read. */
  stop(errorText?: string): readonly Chunk[] {
    if (this.isOpen && this.#last) {
      const { turn, sequence } = this.#now;
      const data = { phase: "ended", turn_id: turn?.id ?? "", metadata: { status: "cancelled" } } as const;
      this.#reduce({ ...this.#last, sequence: sequence + 1, type: "turn.ended", data });
    }
    this.#finishStep();
    this.#state = "over";
    this.#put(errorText === undefined ? { type: "abort" } : { type: "error", errorText });
    return this.#take();
  }

  #put(chunk: Chunk): void {
    this.#chunks.push(chunk);
  }

  #take(): readonly Chunk[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }

  #map(event: UniversalEvent): void {
    if (event.type === "turn.started") this.#start(event);
    this.#reduce(event);
    if (event.type === "turn.ended") this.#end(event.data.metadata);
    if (event.type === "session.ended") this.#end({ status: ENDS[event.data.reason] });
  }

  #start({ session_id, data }: TurnStarted): void {
    this.#state = "open";
    this.#sessionId = session_id;
    this.#messageId = `${session_id}/${data.turn_id}`; // the id of the answer in the chat
    const { prompt_id: promptId, branch_of: branchOf } = data.metadata ?? {};
    this.#put({
      type: "start",
      messageId: this.#messageId,
      messageMetadata: defined({ promptId, branchOf }),
    });
    this.#step();
  }

  #reduce(event: UniversalEvent): void {
    const before = this.#now;
    const now = reduce(before, event);
    this.#now = now;
    this.#last = event;
    const { plan, context, modes, models, commands } = now;
    if (plan && plan !== before.plan) this.#put({ type: "data-plan", id: "plan", data: { entries: plan } });
    if (context && context !== before.context)
      this.#put({ type: "message-metadata", messageMetadata: { context } });
    if (modes && modes !== before.modes) this.#put({ type: "data-mode", data: modes, transient: true });
    if (models && models !== before.models) this.#put({ type: "data-model", data: models, transient: true });
    if (commands && commands !== before.commands)
      this.#put({ type: "data-commands", data: { available: commands }, transient: true });
    if (event.type === "item.completed") this.#item(event.data.item);
    const message = now.messages.at(indexOf(now.messages, this.#messageId));
    if (this.isOpen && message?.id === this.#messageId) this.#parts.look(message.parts, { event });
  }

  /** What makes no part of the answer: a further prompt, and the state of the connection. */
  #item({
    item_id,
    kind,
    role,
    content,
  }: Extract<UniversalEvent, { readonly type: "item.completed" }>["data"]["item"]): void {
    const [first] = content;
    if (kind === "message" && role === "user") {
      const parts = content.flatMap((part) =>
        part.type === "text" ? [{ type: part.type, text: part.text }] : [],
      );
      const id = `${this.#sessionId}/${item_id}`;
      if (this.#hasPrompt) this.#put({ type: "steering-message", id, parts });
      this.#hasPrompt = true;
    }
    if (kind !== "status" || first?.type !== "status") return;
    const { label, detail } = first;
    if (label.startsWith("connection.") || label === "recovering")
      this.#put({ type: "data-status", data: { label, detail }, transient: true });
  }

  #end(metadata: TurnEndMetadata): void {
    const { status, stop_reason } = metadata;
    this.#finishStep();
    this.#state = "over";
    const messageMetadata = metadataOf(metadata);
    if (status === "completed") {
      this.#put({ type: "finish", finishReason: FINISHES.get(stop_reason ?? "") ?? "stop", messageMetadata });
      return;
    }
    this.#put({ type: "message-metadata", messageMetadata });
    const { title = "The turn failed", detail = "" } = this.#now.messages.at(-1)?.error ?? {};
    this.#put(
      status === "cancelled" ? { type: "abort" } : { type: "error", errorText: `${title}. ${detail}` },
    );
  }

  #step(): void {
    if (this.#hasStep || this.#parts.calls.isWriting) return;
    this.#hasStep = true;
    this.#put({ type: "start-step" });
  }

  #finishStep(): void {
    if (this.#hasStep) this.#put({ type: "finish-step" });
    this.#hasStep = false;
  }
}

/** What is read before the turn: its start, or why there is none. */
const STARTS: ReadonlySet<string> = new Set(["turn.started", "error", "turn.ended", "session.ended"]);

const ENDS = { completed: "completed", error: "failed", terminated: "cancelled" } as const;

const FINISHES = new Map<string, "length" | "content-filter">([
  ["max_tokens", "length"],
  ["length", "length"],
  ["refusal", "content-filter"],
  ["content_filter", "content-filter"],
]);

function metadataOf({
  status,
  stop_reason: stopReason,
  model,
  usage = {},
  cost,
}: TurnEndMetadata): AgentwireMetadata {
  const { input_tokens: inputTokens, output_tokens: outputTokens } = usage;
  const { cache_read_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens } = usage;
  const totalTokens =
    inputTokens === undefined || outputTokens === undefined ? undefined : inputTokens + outputTokens;
  const tokens = defined({ inputTokens, outputTokens, totalTokens, cacheReadTokens, cacheWriteTokens });
  return {
    status,
    ...defined({ stopReason, model, cost }),
    ...(Object.keys(tokens).length > 0 ? { usage: tokens } : {}),
  };
}
