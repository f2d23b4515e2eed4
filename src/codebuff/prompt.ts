import { isObject } from "../core/checks.ts";
import { type AgentwireError, InvalidInputError, isAgentwireError } from "../core/errors.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import type { Job } from "../core/turn/runner.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { Progress } from "../core/turn/turn-setup.ts";
import { ChunkDecoder } from "./chunks.ts";
import type { CodebuffCore } from "./events.ts";
import { checkFrame } from "./frame-limit.ts";
import type { PromptData } from "./input.ts";
import type { Waiting } from "./line.ts";
import { type ActionError, type CodebuffServer, encode, type PromptError } from "./messages.ts";
import type { CodebuffPromptOptions, CodebuffSettings } from "./options.ts";
import type { SentPrompt, Session } from "./session.ts";
import { type TokenSource, withToken } from "./token.ts";
import {
  type CodebuffEvent,
  type CodebuffResult,
  costOf,
  newPromptState,
  type PromptFrame,
  type PromptMessage,
  type PromptState,
  stepPrompt,
  subagentEvent,
  toResult,
} from "./turn.ts";
import type { Wire } from "./wire.ts";

/** What a new prompt is made of. */
export interface PromptOrder {
  /** What the caller passed. It is handed back without its token if the prompt is never sent. */
  readonly input: unknown;
  readonly data: PromptData;
  /** The action's data as JSON, without a token. It depends on the server, which may be known only when the prompt is sent. */
  readonly json: (server: CodebuffServer | undefined) => string;
  /** What to do when the frame is too large for the server. */
  readonly advice: (server: CodebuffServer | undefined) => string;
  readonly options: (CodebuffPromptOptions & TurnOptions) | undefined;
  readonly stateNow: () => unknown;
  /** Nothing waits before it: what it will send is known, and can be refused at once. */
  readonly first: boolean;
}

/** What all prompts of one client share. */
export interface PromptHost {
  readonly settings: CodebuffSettings;
  readonly core: CodebuffCore;
  readonly wire: Wire;
  readonly token: TokenSource;
  /** A prompt is about to be written: it waits no more. */
  take(prompt: Prompt): void;
  /** A prompt comes to nothing: requests that the server made for it have to end. */
  promptEnding(promptId: string, by: "cancelled" | "ended"): void;
}

/** One prompt, from the call to its end. */
export class Prompt implements Job<CodebuffEvent, CodebuffResult>, Waiting, SentPrompt {
  readonly turn: LiveTurn<CodebuffEvent, CodebuffResult>;
  place: number | undefined;
  readonly #host: PromptHost;
  readonly #order: PromptOrder;
  readonly #state: PromptState;
  /** Of the frame, once it is known. */
  #bytes: number | undefined;
  /** Its frame, once it was written, and the token that went with it. */
  #sent:
    | {
        readonly txid: number;
        readonly server: CodebuffServer | undefined;
        readonly token: string | undefined;
      }
    | undefined;
  #wasAcked = false;
  /** The server is taken to be done with it, although it did not say so. */
  isSilent = false;

  constructor(host: PromptHost, order: PromptOrder, turn: Prompt["turn"], bytes: number | undefined) {
    const { settings, core } = host;
    const { data, options } = order;
    const decoder = new ChunkDecoder(options?.chunkDecoding ?? settings.chunkDecoding);
    this.#host = host;
    this.#order = order;
    this.turn = turn;
    this.#bytes = bytes;
    this.#state = newPromptState(turn.id, decoder, (text) => core.redactor.redact(text));
    core.redactor.use(turn, data.authToken);
  }

  get id(): string {
    return this.turn.id;
  }

  get wantsToken(): boolean {
    return this.#order.data.authToken === undefined;
  }

  get wasSent(): boolean {
    return this.#sent !== undefined;
  }

  /** The server that got it, or will. */
  get server(): CodebuffServer | undefined {
    return this.#sent?.server ?? this.#host.wire.server;
  }

  soFar(): Progress {
    return { state: this.#order.stateNow(), cost: costOf(this.#state) };
  }

  /** Bytes of its frame. @throws what `frameSize` throws */
  size(): number {
    this.#bytes ??= frameSize(this.#host, this.#order);
    return this.#bytes;
  }

  write(session: Session, token: string | undefined): void {
    const { settings, core, wire } = this.#host;
    const { json, advice, data } = this.#order;
    const { turn } = this;
    const txid = wire.nextTxid;
    this.#host.take(this);
    let frame: string;
    try {
      frame = encode.action(txid, withToken(json(session.server), token));
      checkFrame(frame, settings, session.server, advice(session.server));
    } catch (error) {
      turn.fail(unwritable(error));
      return;
    }
    this.#sent = { txid, server: session.server, token: data.authToken ?? token };
    core.redactor.use(turn, this.#sent.token);
    wire.request(
      session,
      { kind: "prompt", prompt: this },
      () => frame,
      () => turn.unsent(),
    );
    turn.sent();
  }

  /** From now on the server's silence counts. */
  acked(): void {
    if (this.turn.settled) return;
    this.#wasAcked = true;
    this.turn.active();
  }

  endedSilently(): void {
    if (this.turn.settled) return;
    this.isSilent = true;
    this.#apply({ type: "silent-end" }, 0);
  }

  fail(error: AgentwireError): void {
    if (this.turn.settled) return;
    this.#host.promptEnding(this.id, "ended");
    this.turn.fail(error);
    if (isAgentwireError(error, "request-timeout")) this.#cancelOnServer();
  }

  /** The proxy knows no cancelling: it goes on working, and its words are late. */
  stop(): void {
    this.#cancelOnServer();
    this.#host.promptEnding(this.id, "cancelled");
    this.turn.stopped();
    this.#host.wire.promptAbandoned(this.id);
  }

  /** A message of its own. */
  receive(message: PromptMessage, size: number): void {
    this.#heardOf();
    this.#apply(message, size);
  }

  /** A message of one of its sub-agents. */
  receiveOfSubagent(message: PromptFrame, size: number): void {
    this.#heardOf();
    this.turn.push(subagentEvent(this.#state, message), size);
  }

  /**
   * Takes an error without any id, unless it may be about something else: a part of the answer has come already, or a cancel was
   * sent that it may answer, and this prompt was not heard of since.
   */
  takeActionError(error: ActionError, lastCancel: number): boolean {
    const { txid = -1 } = this.#sent ?? {};
    const isItsOwn = lastCancel < 0 || (this.#wasAcked && txid > lastCancel);
    if (this.turn.status === "streaming" || !isItsOwn) return false;
    this.#apply(error, 0);
    return true;
  }

  /** Any message for the prompt proves that the server took the prompt: the message counts as the ack. */
  #heardOf(): void {
    if (this.#wasAcked) return;
    this.#wasAcked = true;
    this.#host.wire.heardOf(this.id);
  }

  #apply(message: PromptMessage, size: number): void {
    const { turn } = this;
    if (turn.settled) return;
    const { rest, event, oddity, end } = stepPrompt(this.#state, message);
    if (oddity !== undefined) this.#host.core.warn("odd-chunk", `prompt ${turn.id}: ${oddity}`);
    if (rest) turn.push(rest, size);
    if (event) turn.push(event, size);
    if (!end) return;
    if ("error" in end) this.fail(end.error);
    else turn.complete(toResult(end.response, this.#state, turn.textResult));
  }

  /** The original server can be told to stop, with a token; the proxy only answers that it cannot. */
  #cancelOnServer(): void {
    const { wire } = this.#host;
    const session = wire.live;
    const authToken = this.#sent?.token;
    if (authToken === undefined || session?.server !== "codebuff") return;
    const data = JSON.stringify({ type: "cancel-user-input", authToken, promptId: this.id });
    wire.request(session, { kind: "cancel-user-input" }, (txid) => encode.action(txid, data));
  }
}

/**
 * The size of a prompt's frame, for the server at the other end as far as it is known.
 * @throws InvalidInputError or PayloadTooLargeError for a frame that cannot be sent.
 */
export function frameSize(
  { settings, wire, token }: PromptHost,
  { data, json, advice }: PromptOrder,
): number {
  const { server } = wire;
  const text = withToken(json(server), data.authToken === undefined ? token.known : undefined);
  return checkFrame(encode.action(wire.nextTxid, text), settings, server, advice(server));
}

/** An error that hands the prompt back is logged: the token is not in it. */
export function withoutToken(input: unknown): unknown {
  if (!isObject(input) || input["authToken"] === undefined) return input;
  const { authToken: _, ...rest } = input;
  return rest;
}

/** The error of a prompt that cannot be written. Any cause gives an error, because the turn has to end. */
export function unwritable(cause: unknown): AgentwireError {
  if (isAgentwireError(cause)) return cause;
  return new InvalidInputError("the prompt cannot be written for this server.", "Its cause says why.", {
    cause,
  });
}

/** Servers repeat in errors what was sent to them, tokens included. */
export function cleaned<T extends PromptError | ActionError>(failure: T, { redactor }: CodebuffCore): T {
  const error = typeof failure.error === "string" ? redactor.redact(failure.error) : failure.error;
  return { ...failure, message: redactor.redact(failure.message), error };
}
