// The turns of this client's prompts, from the events of the chat.
import { defined, isObject } from "../core/checks.ts";
import { TurnError } from "../core/errors.ts";
import type { Redactor } from "../core/tell/redact.ts";
import { parseJson } from "../core/text.ts";
import { LiveTurn } from "../core/turn/live-turn.ts";
import type { Turn, TurnOptions, TurnResult } from "../core/turn/turn.ts";
import type { TurnHost } from "../core/turn/turn-setup.ts";
import type { PendingRequest, TurnToolCall } from "../core/values.ts";
import type { ErrorData, TurnEndMetadata, UniversalEvent, UniversalItem } from "../universal/events.ts";
import type { Telling, UniversalOptions } from "../universal/stream.ts";
import { RemoteStream } from "./stream.ts";

/** A turn of this client. Its events are the universal events of the turn. */
export type RemoteTurn = Turn<UniversalEvent, TurnResult>;

export class LiveRemoteTurn extends LiveTurn<UniversalEvent, TurnResult> implements Telling {
  /** The events of the turn from now on, with their ids and sequences in the chat. */
  universal(options: UniversalOptions = {}): RemoteStream {
    const stream = new RemoteStream(options, () => off());
    const off = this.on("event", (event) => stream.tell(event));
    void this.outcome.then(() => stream.close());
    return stream;
  }
}

/** ms that a cancelled turn waits for the relay to end it. */
const CANCEL_WAIT = 10_000;

/** Bytes of an event, about. */
const EVENT_BYTES = 600;

/** Limits of what one turn keeps. */
const MAX_BUFFERED = 64 * 1024 * 1024;
const MAX_TEXT = 16 * 1024 * 1024;

export interface RemoteTurnsHost extends TurnHost<UniversalEvent, TurnResult> {
  readonly redactor: Redactor;
  tellTurn(turn: RemoteTurn): void;
  /** Asks the relay to end the turn of a prompt. False if there is nothing to end: it was never sent. */
  cancel(key: string): boolean;
  /** Whether the relay may have a prompt whose turn has not begun. */
  wasTried(key: string): boolean;
}

export class RemoteTurns {
  readonly #host: RemoteTurnsHost;
  /** The turns that have not settled, by the key of their prompt. */
  readonly #open = new Map<string, LiveRemoteTurn>();
  /** The turns of the chat that run, by session. A prompt that is withdrawn meanwhile is a turn of its own session. */
  readonly #running = new Map<string, Running>();

  constructor(host: RemoteTurnsHost) {
    this.#host = host;
  }

  get open(): Iterable<LiveRemoteTurn> {
    return this.#open.values();
  }

  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  /** Whether the turn of this prompt runs. */
  isRunning(key: string): boolean {
    return [...this.#running.values()].some(({ turn }) => turn?.id === key);
  }

  find(id: string): LiveRemoteTurn | undefined {
    return this.#open.get(id);
  }

  make(key: string, input: unknown, options: TurnOptions): LiveRemoteTurn {
    const { signal, timeout = 0, idleTimeout = 0, read = true } = options;
    const turn: LiveRemoteTurn = new LiveRemoteTurn({
      id: key,
      host: this.#host,
      input,
      said: options,
      maxBufferedBytes: MAX_BUFFERED,
      maxTextBytes: MAX_TEXT,
      timeout,
      idleTimeout,
      signal,
      read,
      textOf: textReader(),
      soFar: () => ({}),
      stop: (again) => {
        if (again) return;
        if (!this.#host.cancel(key)) {
          turn.stopped();
          return;
        }
        const give = this.#host.clock.setTimeout(() => turn.stopped(), CANCEL_WAIT);
        void turn.outcome.then(give);
      },
      settled: () => void this.#open.delete(key),
      mayHaveArrived: () => this.#host.wasTried(key),
      repeatable: false,
      flow: undefined,
    });
    this.#open.set(key, turn);
    this.#host.tellTurn(turn);
    return turn;
  }

  /** Applies an event to the turn of this client that runs. */
  event(event: UniversalEvent): void {
    const { type, data, session_id: sessionId } = event;
    if (type === "turn.started") {
      const turn = this.#open.get(data.metadata?.prompt_id ?? "");
      this.#running.set(sessionId, { id: data.turn_id, turn, error: undefined });
      turn?.sent();
    }
    const running = this.#running.get(sessionId);
    if (!running) return;
    const { turn } = running;
    if (type === "error" && data.turn_id === running.id) running.error = data;
    if (turn) {
      noteCall(turn, event);
      turn.push(event, EVENT_BYTES);
    }
    if (type !== "turn.ended") return;
    this.#running.delete(sessionId);
    if (turn) this.#end(turn, running.error, data.metadata);
  }

  /** The prompt was taken back before the agent got it. */
  withdrawn(key: string): void {
    const turn = this.#open.get(key);
    if (!turn?.open) turn?.stopped();
    else {
      const serverMessage = "the prompt was taken back before the agent got it";
      turn.fail(new TurnError({ origin: "relay", kind: "withdrawn", serverMessage }));
    }
  }

  opened(request: PendingRequest, sessionId: string): void {
    this.#running.get(sessionId)?.turn?.opened(request);
  }

  closed(id: string, sessionId: string): void {
    this.#running.get(sessionId)?.turn?.closed(id);
  }

  reset(): void {
    this.#running.clear();
  }

  #end(turn: LiveRemoteTurn, error: ErrorData | undefined, metadata: TurnEndMetadata): void {
    turn.tools.abandon();
    const { status, usage, cost } = metadata;
    if (!turn.open) turn.stopped();
    else if (status === "completed") {
      const used = usage && defined({ inputTokens: usage.input_tokens, outputTokens: usage.output_tokens });
      const paid = cost && { amount: cost.total, unit: cost.currency };
      turn.complete({ ...turn.textResult, ...defined({ usage: used, cost: paid }) });
    } else if (status === "cancelled") {
      void turn.cancel(); // another viewer has cancelled it
      turn.stopped();
    } else turn.fail(failureOf(error, (text) => this.#host.redactor.redact(text)));
  }
}

interface Running {
  readonly id: string;
  /** Undefined: another viewer's. */
  readonly turn: LiveRemoteTurn | undefined;
  error: ErrorData | undefined;
}

/** Returns what an event adds to the text: that of the assistant's messages. */
function textReader(): (event: UniversalEvent) => string {
  const messages = new Set<string>();
  return ({ type, data }) => {
    if (type === "item.started" && data.item.kind === "message" && data.item.role === "assistant")
      messages.add(data.item.item_id);
    const isText = type === "item.delta" && (data.part?.type ?? "text") === "text";
    return isText && messages.has(data.item_id) ? data.delta : "";
  };
}

function failureOf(error: ErrorData | undefined, redact: (text: string) => string): TurnError {
  const { message = "the turn failed", code, details, retryable = false } = error ?? {};
  const delivery = isObject(details) && details["delivery"] === "not-sent" ? "not-sent" : "unknown";
  const kind = code ?? "failed";
  return new TurnError({ origin: "relay", kind, serverMessage: redact(message), retryable, delivery });
}

function noteCall(turn: LiveRemoteTurn, { type, data }: UniversalEvent): void {
  if (type === "item.started" || type === "item.completed") {
    const [call] = callsIn(data.item);
    if (call?.type === "tool_call") {
      const known = turn.tools.get(call.call_id);
      const input = parsed(call.arguments);
      turn.tools.set({
        id: call.call_id,
        name: call.name,
        input,
        raw: null,
        state: known?.state ?? "requested",
      });
    } else if (data.item.kind === "tool_result") {
      const id = data.item.native_item_id ?? (call?.type === "tool_result" ? call.call_id : "");
      const usual = type === "item.started" ? "running" : data.item.status === "failed" ? "failed" : "done";
      const output = call?.type === "tool_result" ? { output: call.output } : {};
      change(turn, id, { state: data.state ?? usual, ...output });
    }
  }
  if (type === "permission.requested") change(turn, data.call_id, { state: "awaiting" });
  if (type === "permission.resolved")
    change(turn, data.call_id, { state: data.status === "reject" ? "denied" : "approved" });
}

const callsIn = ({ content }: UniversalItem) =>
  content.flatMap((part) => (part.type === "tool_call" || part.type === "tool_result" ? [part] : []));

function change(turn: LiveRemoteTurn, id: string | undefined, changed: Partial<TurnToolCall>): void {
  const call = id === undefined ? undefined : turn.tools.get(id);
  if (call && call.state !== "denied") turn.tools.set({ ...call, ...changed });
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
