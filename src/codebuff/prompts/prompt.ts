// One prompt, from the call to its end.
import { isObject } from "../../core/checks.ts";
import type { CancelTimer } from "../../core/clock.ts";
import { type AgentwireError, InvalidInputError, isAgentwireError } from "../../core/errors.ts";
import type { LiveTurn } from "../../core/turn/live-turn.ts";
import { type PromptFile, readPromptFiles } from "../../core/turn/prompt-files.ts";
import type { Job } from "../../core/turn/runner.ts";
import type { TurnOptions } from "../../core/turn/turn.ts";
import type { TurnProgress } from "../../core/turn/turn-setup.ts";
import type { CodebuffCore } from "../events.ts";
import type { PromptActionData } from "../input.ts";
import { type ActionError, type CodebuffServer, encode, type PromptError } from "../messages.ts";
import type { CodebuffPromptOptions, CodebuffSettings } from "../options.ts";
import { checkFrameSize } from "../session/frame-limit.ts";
import type { SentPrompt, SocketSession } from "../session/session.ts";
import { type TokenSource, withToken } from "../session/token.ts";
import type { UnwrittenFrame } from "../session/unwritten-frames.ts";
import {
  type CodebuffEvent,
  type CodebuffResult,
  type MessageForPrompt,
  newPromptState,
  type PromptFrame,
  type PromptState,
  promptCost,
  stepPrompt,
  subagentEvent,
  toResult,
} from "../turn.ts";
import type { CodebuffWire } from "../wire.ts";
import { ChunkDecoder } from "./chunks.ts";

/** ms in which a prompt that streams must go on behind the ack of a later frame: models rarely pause for longer in an answer. */
const CHUNK_AFTER_ACK = 30_000;

/** The parts of a new prompt. */
export interface PromptOrder {
  /** The caller's input. Handed back, without its token, if the prompt is never sent. */
  readonly input: unknown;
  readonly data: PromptActionData;
  /** The paths of the files that the prompt names. */
  readonly files: readonly string[];
  /** Adds the files to `data`. @throws InvalidInputError for a file without a text. */
  readonly addFiles: (files: readonly PromptFile[]) => void;
  /** The action's data as JSON, without a token. Depends on the server, which may be known only when the prompt is sent. */
  readonly json: (server: CodebuffServer | undefined) => string;
  /** Advice for a frame that is too large for the server. */
  readonly advice: (server: CodebuffServer | undefined) => string;
  readonly options: (CodebuffPromptOptions & TurnOptions) | undefined;
  readonly stateNow: () => unknown;
  /** No prompt of the conversation waits before this one: its content is final, and can be refused at once. */
  readonly first: boolean;
}

/** How a prompt ends. `ended`: it has failed. */
export type PromptEnd = "completed" | "cancelled" | "ended";

/** The state that all prompts of one client share. */
export interface PromptHost {
  readonly settings: CodebuffSettings;
  readonly core: CodebuffCore;
  readonly wire: CodebuffWire;
  readonly token: TokenSource;
  /** Removes a prompt from the queue: it is about to be written. */
  take(prompt: Prompt): void;
  /** A prompt is over: ends the server's requests for the prompt. */
  promptEnding(promptId: string, how: PromptEnd): void;
}

/** One prompt, from the call to its end. */
export class Prompt implements Job<CodebuffEvent, CodebuffResult>, UnwrittenFrame, SentPrompt {
  readonly turn: LiveTurn<CodebuffEvent, CodebuffResult>;
  place: number | undefined;
  readonly #host: PromptHost;
  readonly #order: PromptOrder;
  readonly #state: PromptState;
  /** The size of the frame, once known. */
  #bytes: number | undefined;
  /** The written frame, and its token. */
  #sent:
    | {
        readonly txid: number;
        readonly server: CodebuffServer | undefined;
        readonly token: string | undefined;
      }
    | undefined;
  #wasAcked = false;
  /** Set while the ack of a later frame puts in doubt whether the prompt still runs. */
  #cancelDoubt: CancelTimer | undefined;
  /** Set while the files of the prompt are read. */
  #reading: AbortController | undefined;
  /** The prompt counts as ended, although the server did not report the end. */
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

  /** The server that got the prompt, or will get it. */
  get server(): CodebuffServer | undefined {
    return this.#sent?.server ?? this.#host.wire.server;
  }

  soFar(): TurnProgress {
    return { state: this.#order.stateNow(), cost: promptCost(this.#state) };
  }

  /** Reads the files that the prompt names, then calls `ready`. Fails the turn if a file cannot be used. */
  prepare(ready: () => void): void {
    if (this.#order.files.length === 0) ready();
    else void this.#readFiles(ready);
  }

  async #readFiles(ready: () => void): Promise<void> {
    const { core, settings } = this.#host;
    const { files, addFiles } = this.#order;
    this.#reading = new AbortController();
    try {
      addFiles(await readPromptFiles(settings.files, files, this.#reading.signal));
      core.outbox.run(ready);
    } catch (error) {
      core.outbox.run(() => this.turn.fail(unwritable(error)));
    }
  }

  /** The size of the frame, in bytes. @throws the errors of `frameSize` */
  size(): number {
    this.#bytes ??= frameSize(this.#host, this.#order);
    return this.#bytes;
  }

  write(session: SocketSession, token: string | undefined): void {
    const { settings, core, wire } = this.#host;
    const { json, advice, data } = this.#order;
    const { turn } = this;
    const txid = wire.nextTxid;
    this.#host.take(this);
    let frame: string;
    try {
      frame = encode.action(txid, withToken(json(session.server), token));
      checkFrameSize(frame, settings, session.server, advice(session.server));
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

  /** The server acknowledged the prompt: starts the idle clock. */
  acked(): void {
    if (this.turn.settled) return;
    this.#wasAcked = true;
    this.turn.active();
  }

  /**
   * The published proxy sends an ack behind all chunks of the earlier prompts. So if the prompt streams, the client waits: another chunk
   * proves that this server does not work in order. A session that holds back has sent only a probe, after long silence.
   */
  overtaken(session: SocketSession): void {
    const end = (): void => this.#endSilently(session);
    if (this.turn.status !== "streaming" || session.holdsBack) end();
    else this.#cancelDoubt ??= this.#host.core.clock.setTimeout(end, CHUNK_AFTER_ACK, { unref: true });
  }

  #endSilently({ inOrder }: SocketSession): void {
    if (!inOrder) return; // another prompt has proved it meanwhile
    this.isSilent = !this.turn.settled;
    this.#apply({ type: "silent-end" }, 0);
    this.#host.wire.promptEnded(this.id);
  }

  /** The turn has settled: stops the wait for another chunk, and for files. */
  settled(): void {
    this.#reading?.abort();
    this.#cancelDoubt?.();
  }

  fail(error: AgentwireError): void {
    if (this.turn.settled) return;
    this.#host.promptEnding(this.id, "ended");
    this.turn.fail(error);
    if (isAgentwireError(error, "request-timeout")) this.#cancelOnServer();
  }

  /** Stops the prompt. The proxy has no cancel: the proxy goes on working, and its later messages are late. */
  stop(): void {
    this.#cancelOnServer();
    this.#host.promptEnding(this.id, "cancelled");
    this.turn.stopped();
    this.#host.wire.promptAbandoned(this.id);
  }

  /** Handles a message of the prompt itself. */
  receive(message: MessageForPrompt, size: number): void {
    this.#heardOf();
    this.#apply(message, size);
  }

  /** Handles a message of a sub-agent of the prompt. */
  receiveOfSubagent(message: PromptFrame, size: number): void {
    this.#heardOf();
    this.turn.push(subagentEvent(this.#state, message), size);
  }

  /**
   * Takes an error without an id, if it can only be about this prompt. It cannot after a part of the answer. After a cancel, which the
   * error may answer, the prompt takes it only if the prompt was sent after that cancel and was acknowledged.
   */
  takeActionError(error: ActionError, lastCancel: number): boolean {
    const { txid = -1 } = this.#sent ?? {};
    const isItsOwn = lastCancel < 0 || (this.#wasAcked && txid > lastCancel);
    if (this.turn.status === "streaming" || !isItsOwn) return false;
    this.#apply(error, 0);
    return true;
  }

  /** Any message for the prompt proves that the server took the prompt, so the message counts as the ack. */
  #heardOf(): void {
    if (this.#cancelDoubt) {
      this.#cancelDoubt();
      this.#cancelDoubt = undefined;
      this.#host.wire.answersOutOfOrder();
    }
    if (this.#wasAcked) return;
    this.#wasAcked = true;
    this.#host.wire.heardOf(this.id);
  }

  #apply(message: MessageForPrompt, size: number): void {
    const { turn } = this;
    if (turn.settled) return;
    const { rest, event, oddity, end } = stepPrompt(this.#state, message);
    if (oddity !== undefined) this.#host.core.warn("odd-chunk", `prompt ${turn.id}: ${oddity}`);
    if (rest) turn.push(rest, size);
    if (event) turn.push(event, size);
    if (!end) return;
    if ("error" in end) {
      this.fail(end.error);
      return;
    }
    this.#host.promptEnding(this.id, "completed");
    turn.complete(toResult(end.response, this.#state, turn.textResult));
  }

  /** Cancels the prompt on the original server, which needs a token. The proxy has no cancel. */
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
 * The size of a prompt's frame, for the server as far as known.
 * @throws InvalidInputError or PayloadTooLargeError for a frame that cannot be sent.
 */
export function frameSize(
  { settings, wire, token }: PromptHost,
  { data, json, advice }: PromptOrder,
): number {
  const { server } = wire;
  const text = withToken(json(server), data.authToken === undefined ? token.known : undefined);
  return checkFrameSize(encode.action(wire.nextTxid, text), settings, server, advice(server));
}

/** Removes the token from the input: apps log the error that hands the input back. */
export function withoutToken(input: unknown): unknown {
  if (!isObject(input) || input["authToken"] === undefined) return input;
  const { authToken: _, ...rest } = input;
  return rest;
}

/** The error of a prompt that cannot be written. Any cause becomes an error, because the turn must end. */
export function unwritable(cause: unknown): AgentwireError {
  if (isAgentwireError(cause)) return cause;
  return new InvalidInputError("the prompt cannot be written for this server.", "Its cause says why.", {
    cause,
  });
}

/** Removes credentials: servers repeat the client's input in errors, tokens included. */
export function cleaned<T extends PromptError | ActionError>(failure: T, { redactor }: CodebuffCore): T {
  const error = typeof failure.error === "string" ? redactor.redact(failure.error) : failure.error;
  return { ...failure, message: redactor.redact(failure.message), error };
}
