import type { ClientCore } from "../core/client-core.ts";
import {
  type AgentwireError,
  ClosedError,
  copyError,
  InvalidInputError,
  isAgentwireError,
} from "../core/errors.ts";
import { utf8Length } from "../core/frames.ts";
import { LiveTurn } from "../core/live-turn.ts";
import { Recent } from "../core/recent.ts";
import type { TurnOptions } from "../core/turn.ts";
import { TurnQueue } from "../core/turn-queue.ts";
import { ChunkDecoder, type ChunkDecoding, type TextSource } from "./chunks.ts";
import type { CodebuffClientEvents, PromptFrame } from "./events.ts";
import { checkFrame } from "./frame-limit.ts";
import type { CodebuffServer } from "./handshake.ts";
import { type ActionError, encode, type PromptError, type PromptResponse } from "./messages.ts";
import type { CodebuffSettings } from "./options.ts";
import { type PromptData, toJson } from "./prompt.ts";
import type { Session } from "./session.ts";
import { type TokenSource, tokenFailed, withToken } from "./token.ts";
import {
  type CodebuffEvent,
  type CodebuffResult,
  type PromptMessage,
  type PromptState,
  stepPrompt,
} from "./turn.ts";
import type { Wire } from "./wire.ts";

/** Options of one Codebuff prompt; the client's options of the same names set the defaults. */
export interface CodebuffPromptOptions {
  readonly chunkDecoding?: ChunkDecoding;
  readonly textSource?: TextSource;
}

/** One prompt of this client, from the call to its end. */
export interface Prompt {
  readonly turn: LiveTurn<CodebuffEvent, CodebuffResult>;
  readonly state: PromptState;
  /** The action's data as JSON, without a token; depends on the server, which may be known only when it is sent. */
  readonly json: (server: CodebuffServer | undefined) => string;
  /** Whether the data brings a token of its own. */
  readonly ownToken: boolean;
  /** Of the frame, once it is known. */
  bytes: number | undefined;
  /** Set when it was sent: the txid of its frame, and which server it went to. */
  txid: number | undefined;
  server: CodebuffServer | undefined;
}

/** What a new prompt is made of. */
export interface PromptOrder {
  /** What the caller passed, to be handed back if it is never sent. */
  readonly input: unknown;
  readonly data: PromptData;
  readonly json: (server: CodebuffServer | undefined) => string;
  readonly options: (CodebuffPromptOptions & TurnOptions) | undefined;
  readonly stateNow: () => unknown;
  /** Nothing waits before it: what it will send is known, and can be refused at once. */
  readonly first: boolean;
}

/** How many settled prompts are remembered, to tell late messages from stray ones. */
const REMEMBERED = 256;

export interface PromptsSetup {
  readonly settings: CodebuffSettings;
  readonly wire: Wire;
  readonly token: TokenSource;
  /** Whether something that was asked before has to go out first. */
  readonly mustWait: () => boolean;
  readonly core: () => ClientCore<CodebuffEvent, CodebuffResult, CodebuffClientEvents>;
}

/** The prompts of one client: those that wait, those under way, and what is left of those that settled. */
export class Prompts {
  readonly #setup: PromptsSetup;
  readonly #queue: TurnQueue<Prompt>;
  /** Prompts that their conversations hold back until those before them are done. */
  readonly #held: TurnQueue<Prompt>;
  readonly #open = new Map<string, Prompt>();
  readonly #settled = new Recent<string>(REMEMBERED);
  readonly #endedSilently = new Recent<string>(REMEMBERED);
  #askingForToken = false;

  constructor(setup: PromptsSetup) {
    this.#setup = setup;
    const { maxQueuedTurns: maxTurns, maxQueuedBytes: maxBytes } = setup.settings.socket;
    this.#queue = new TurnQueue({ maxTurns, maxBytes });
    this.#held = new TurnQueue({ maxTurns, maxBytes });
  }

  /**
   * Makes a prompt without sending it.
   * @throws InvalidInputError for an id that was used; PayloadTooLargeError when the frame would be larger than
   *   the server takes; QueueFullError when too much waits already.
   */
  create(order: PromptOrder): Prompt {
    const { settings, core, wire } = this.#setup;
    const { promptId } = order.data;
    if (this.#open.has(promptId) || this.#settled.has(promptId)) {
      throw new InvalidInputError(
        `the prompt id "${promptId}" was used before.`,
        "Leave `promptId` out, and each prompt gets its own.",
      );
    }
    const ownToken = order.data.authToken !== undefined;
    const bytes = order.first ? this.#assertSendable(order.json, ownToken) : undefined;
    const heldBytes = order.first ? 0 : utf8Length(toJson(order.data, "the prompt"));
    if (!order.first) this.#held.assertRoom(heldBytes);
    const { chunkDecoding = settings.chunkDecoding, textSource = settings.textSource } = order.options ?? {};
    const { signal, timeout = 0, idleTimeout = settings.idleTimeout } = order.options ?? {};
    const { clock, maxBufferedBytes, maxTextBytes } = settings.socket;
    const turn: Prompt["turn"] = new LiveTurn<CodebuffEvent, CodebuffResult>({
      id: promptId,
      input: order.input,
      clock,
      maxBufferedBytes,
      maxTextBytes,
      timeout,
      idleTimeout,
      signal,
      textOf: (event) => (event.type === "response-chunk" ? event.text : ""),
      stateNow: order.stateNow,
      // The proxy knows no cancelling: it goes on working, and its words are late.
      stop: () => {
        turn.stopped();
        wire.promptAbandoned(promptId);
      },
      settled: () => this.#forget(prompt),
      onEvent: (event) => {
        if (core().events.has("event")) core().events.emit("event", event, turn);
      },
      onListenerThrow: core().listenerThrew,
    });
    const state = { promptId, decoder: new ChunkDecoder(chunkDecoding, textSource), streamError: undefined };
    const prompt: Prompt = {
      turn,
      state,
      json: order.json,
      ownToken,
      bytes,
      txid: undefined,
      server: undefined,
    };
    this.#open.set(promptId, prompt);
    if (!order.first) this.#held.add(prompt, heldBytes);
    turn.begin();
    return prompt;
  }

  /** Sends the prompt now, or when it can be. */
  start(prompt: Prompt): void {
    if (!prompt.turn.open) return;
    this.#held.delete(prompt);
    try {
      prompt.bytes ??= this.#assertSendable(prompt.json, prompt.ownToken);
    } catch (error) {
      if (!isAgentwireError(error)) throw error;
      prompt.turn.fail(error);
      return;
    }
    this.#queue.add(prompt, prompt.bytes);
    this.pump();
  }

  /** Sends what waits, oldest first, as far as the server and `maxConcurrentPrompts` take it. */
  pump(): void {
    const { wire, settings, token } = this.#setup;
    while (!this.#askingForToken && !this.#setup.mustWait()) {
      const { session } = wire;
      const prompt = this.#queue.first();
      if (!session || !prompt || session.runningCount >= settings.maxConcurrentPrompts) return;
      this.#askingForToken = true; // the token function is the caller's code, and may prompt
      const now = prompt.ownToken ? undefined : token.get();
      if (typeof now === "object") {
        void this.#sendWithToken(prompt, now);
      } else {
        this.#askingForToken = false;
        this.#send(session, prompt, now);
      }
    }
  }

  /** The server took the prompt in: from now on its silence counts. */
  acked(promptId: string): void {
    this.#open.get(promptId)?.turn.active();
  }

  fail(promptId: string, error: AgentwireError): void {
    this.#open.get(promptId)?.turn.fail(error);
    this.pump();
  }

  endSilently(promptId: string): void {
    const prompt = this.#open.get(promptId);
    if (prompt) {
      this.#endedSilently.add(promptId);
      this.#apply(prompt, { type: "silent-end" }, 0);
    }
    this.pump();
  }

  /** A chunk or a terminal message; it goes to its prompt, or is reported as late or stray. */
  receive(frame: PromptFrame, size: number): void {
    const { wire, core } = this.#setup;
    const message = frame.type === "prompt-error" ? this.#clean(frame) : frame;
    const promptId = message.type === "prompt-response" ? message.promptId : message.userInputId;
    const prompt = this.#open.get(promptId);
    if (prompt?.txid !== undefined) {
      wire.impliesAck(prompt.txid);
      this.#apply(prompt, message, size);
    } else if (this.#settled.has(promptId)) {
      if (this.#endedSilently.has(promptId)) wire.answersOutOfOrder();
      core().events.emit("late", message);
    } else {
      core().events.emit("orphan", message);
    }
    if (message.type === "response-chunk") return;
    wire.promptEnded(promptId);
    this.pump();
  }

  /** An error without any id fails the only prompt under way, if nothing of its answer came; otherwise it is told to the client. */
  receiveActionError(frame: ActionError): void {
    const error = this.#clean(frame);
    const underWay = [...this.#open.values()].filter(({ txid }) => txid !== undefined);
    const [only] = underWay;
    if (!only || underWay.length > 1 || only.turn.status === "streaming") {
      this.#setup.core().events.emit("actionError", error);
      return;
    }
    this.#apply(only, error, 0);
    this.#setup.wire.promptEnded(only.state.promptId);
    this.pump();
  }

  /** Gives back what was not sent, also what conversations hold back: the client is closing. */
  giveBack(): void {
    for (const { turn, txid } of [...this.#open.values()]) {
      if (txid === undefined)
        turn.abandon(new ClosedError("the client was closed before the prompt was sent"));
    }
  }

  /** Ends everything: by the caller's will, or because the connection is not to be had. */
  endAll(reason: AgentwireError): void {
    if (!isAgentwireError(reason, "closed")) {
      for (const { turn } of this.#queue.clear()) turn.fail(copyError(reason));
      return;
    }
    this.giveBack();
    for (const { turn } of [...this.#open.values()]) {
      turn.abandon(new ClosedError("the client was closed while the prompt ran", { delivery: "unknown" }));
    }
  }

  async #sendWithToken(prompt: Prompt, asked: Promise<string | undefined>): Promise<void> {
    let token: string | undefined;
    try {
      token = await asked;
    } catch (cause) {
      prompt.turn.fail(tokenFailed(cause));
    }
    this.#askingForToken = false;
    const { session } = this.#setup.wire;
    if (session && this.#queue.first() === prompt) this.#send(session, prompt, token);
    this.pump();
  }

  #send(session: Session, prompt: Prompt, token: string | undefined): void {
    const { settings, wire } = this.#setup;
    const { promptId } = prompt.state;
    this.#queue.delete(prompt);
    let frame: string;
    let bytes: number;
    try {
      frame = encode.action(wire.nextTxid, withToken(prompt.json(session.server), token));
      bytes = checkFrame(frame, settings, session.server);
    } catch (error) {
      if (!isAgentwireError(error)) throw error;
      prompt.turn.fail(error);
      return;
    }
    prompt.txid = wire.nextTxid;
    prompt.server = session.server;
    prompt.turn.sent(() => wire.request(session, { kind: "prompt", promptId, bytes }, () => frame));
  }

  /** Servers repeat in errors what was sent to them, tokens included. */
  #clean<T extends PromptError | ActionError>(failure: T): T {
    const { redactor } = this.#setup.core();
    const error = typeof failure.error === "string" ? redactor.redact(failure.error) : failure.error;
    return { ...failure, message: redactor.redact(failure.message), error };
  }

  #apply(prompt: Prompt, message: PromptMessage, size: number): void {
    const { turn, state } = prompt;
    const { rest, event, oddity, end } = stepPrompt(state, message);
    if (oddity !== undefined) this.#setup.core().warn("odd-chunk", `prompt ${state.promptId}: ${oddity}`);
    if (rest) turn.push(rest, size);
    if (event) turn.push(event, size);
    if (!end) return;
    if ("error" in end) turn.fail(end.error);
    else turn.complete(toResult(end.response, turn));
  }

  #assertSendable(json: Prompt["json"], ownToken: boolean): number {
    const { settings, wire, token } = this.#setup;
    const data = withToken(json(wire.server), ownToken ? undefined : token.known);
    const bytes = checkFrame(encode.action(wire.nextTxid, data), settings, wire.server);
    this.#queue.assertRoom(bytes);
    return bytes;
  }

  #forget(prompt: Prompt): void {
    this.#queue.delete(prompt);
    this.#held.delete(prompt);
    this.#open.delete(prompt.state.promptId);
    this.#settled.add(prompt.state.promptId);
  }
}

function toResult(response: PromptResponse, turn: Prompt["turn"]): CodebuffResult {
  const { promptId, sessionState, toolCalls, toolResults, output } = response;
  return {
    text: turn.text,
    ...(turn.truncated ? { truncated: true } : {}),
    promptId,
    sessionState,
    toolCalls: toolCalls ?? [],
    toolResults: toolResults ?? [],
    output: output ?? null,
  };
}
