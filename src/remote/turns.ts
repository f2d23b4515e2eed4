// The turns of this client's prompts, from the events of the chat.
import { defined, fieldsOf } from "../core/checks.ts";
import { TurnError } from "../core/errors.ts";
import type { Redactor } from "../core/tell/redact.ts";
import { LiveTurn } from "../core/turn/live-turn.ts";
import { ORIGIN } from "../core/turn/origin.ts";
import type { Turn, TurnOptions, TurnResult } from "../core/turn/turn.ts";
import type { TurnHost } from "../core/turn/turn-setup.ts";
import type { TurnToolCall } from "../core/values.ts";
import type { ErrorData, TurnEndMetadata, UniversalEvent } from "../universal/events.ts";
import { callInputOf } from "../universal/item-content.ts";
import type { Telling, UniversalOptions } from "../universal/stream.ts";
import type { RemoteInbox } from "./inbox.ts";
import { RemoteStream } from "./stream.ts";

/** A turn of this client. Its events are the universal events of the turn. */
export type RemoteTurn = Turn<UniversalEvent, TurnResult>;

export class LiveRemoteTurn extends LiveTurn<UniversalEvent, TurnResult> implements Telling {
  /** The events of the turn from now on, with their ids and sequences in the chat. */
  universal(options: UniversalOptions = {}): RemoteStream {
    const stream = new RemoteStream(options, () => off());
    const off = this.on("event", (event) => stream.tell(event));
    void this.outcome.then(stream.close);
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
  readonly inbox: Pick<RemoteInbox, "mayHave" | "takeBack">;
  tellTurn(turn: RemoteTurn): void;
  /** Asks the relay to end the turn of a prompt. */
  cancel(key: string): void;
}

/** A turn that runs in the chat. */
interface Running {
  readonly sessionId: string;
  readonly id: string;
  /** The key of its prompt. */
  readonly key: string;
  /** Undefined for the prompt of another client. */
  readonly turn: LiveRemoteTurn | undefined;
  error?: ErrorData;
}

export class RemoteTurns {
  readonly #host: RemoteTurnsHost;
  /** The turns that have not settled, by the key of their prompt. */
  readonly open = new Map<string, LiveRemoteTurn>();
  /** The turns that run, by session. A prompt that is withdrawn meanwhile is a turn of its own session. */
  readonly running = new Map<string, Running>();

  constructor(host: RemoteTurnsHost) {
    this.#host = host;
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
        const { inbox } = this.#host;
        if (!turn[ORIGIN].wasSent && !inbox.mayHave(key)) {
          inbox.takeBack(key);
          turn.stopped();
          return;
        }
        this.#host.cancel(key);
        void turn.outcome.then(this.#host.clock.setTimeout(() => turn.stopped(), CANCEL_WAIT));
      },
      mayHaveArrived: () => this.#host.inbox.mayHave(key),
      settled: () => void this.open.delete(key),
      repeatable: false,
      flow: undefined,
    });
    this.open.set(key, turn);
    this.#host.tellTurn(turn);
    return turn;
  }

  /** Applies an event. Returns the turn that it belongs to, if that runs or has just ended. */
  event(event: UniversalEvent): Running | undefined {
    const { type, data, session_id: sessionId } = event;
    if (type === "turn.started") {
      const key = data.metadata?.prompt_id ?? "";
      const turn = this.open.get(key);
      this.running.set(sessionId, { sessionId, id: data.turn_id, key, turn });
      turn?.sent();
    }
    const running = this.running.get(sessionId);
    if (!running) return undefined;
    const { turn } = running;
    if (type === "error" && data.turn_id === running.id) running.error = data;
    if (turn) {
      noteCall(turn, event);
      turn.push(event, EVENT_BYTES);
    }
    if (type === "turn.ended" || type === "session.ended") this.running.delete(sessionId);
    if (type === "turn.ended" && turn)
      end(turn, data.metadata, failureOf(running.error, this.#host.redactor));
    return running;
  }

  /** The prompt was taken back before the agent got it. */
  withdrawn(key: string): void {
    const serverMessage = "the prompt was taken back before the agent got it";
    const turn = this.open.get(key);
    turn?.stopped();
    turn?.fail(new TurnError({ origin: "relay", kind: "withdrawn", serverMessage }));
  }
}

/** The text that an event adds to the assistant's messages. */
function textReader(): (event: UniversalEvent) => string {
  const messages = new Set<string>();
  return ({ type, data }) => {
    if (type === "item.started" && data.item.kind === "message" && data.item.role === "assistant")
      messages.add(data.item.item_id);
    const isText = type === "item.delta" && (data.part?.type ?? "text") === "text";
    return isText && messages.has(data.item_id) ? data.delta : "";
  };
}

/** @param failure the error of the turn, if it has failed */
function end(turn: LiveRemoteTurn, metadata: TurnEndMetadata, failure: TurnError): void {
  const { status, usage, cost } = metadata;
  turn.tools.abandon();
  if (status === "completed") {
    const used = usage && defined({ inputTokens: usage.input_tokens, outputTokens: usage.output_tokens });
    const paid = cost && { amount: cost.total, unit: cost.currency };
    turn.complete({ ...turn.textResult, ...defined({ usage: used, cost: paid }) });
  } else if (status === "cancelled") {
    if (turn.open) void turn.cancel(); // another viewer has cancelled it
  } else turn.fail(failure);
  turn.stopped();
}

function failureOf(error: ErrorData | undefined, redactor: Redactor): TurnError {
  const { message = "the turn failed", code, details, retryable = false } = error ?? {};
  const delivery = fieldsOf(details)["delivery"] === "not-sent" ? "not-sent" : "unknown";
  const serverMessage = redactor.redact(message);
  return new TurnError({ origin: "relay", kind: code ?? "failed", serverMessage, retryable, delivery });
}

/** Notes what an event says about a tool call. */
function noteCall(turn: LiveRemoteTurn, { type, data }: UniversalEvent): void {
  const change = (id: string | null | undefined, changed: Partial<TurnToolCall>): void => {
    const call = turn.tools.get(id ?? "");
    if (call && call.state !== "denied") turn.tools.set({ ...call, ...changed });
  };
  if (type === "permission.requested") change(data.call_id, { state: "awaiting" });
  else if (type === "permission.resolved")
    change(data.call_id, { state: data.status === "reject" ? "denied" : "approved" });
  else if (type === "item.started" || type === "item.completed") {
    const { kind, content, native_item_id, status } = data.item;
    const part = content.find((each) => each.type === "tool_call" || each.type === "tool_result");
    if (part?.type === "tool_call") {
      const { call_id: id, name } = part;
      const state = turn.tools.get(id)?.state ?? "requested";
      turn.tools.set({ id, name, input: callInputOf(part), raw: null, state });
    } else if (kind === "tool_result") {
      const usual = type === "item.started" ? "running" : status === "failed" ? "failed" : "done";
      change(native_item_id ?? part?.call_id, {
        state: data.state ?? usual,
        ...(part && { output: part.output }),
      });
    }
  }
}
