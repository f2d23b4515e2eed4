import { isObject } from "../core/checks.ts";
import { type AgentwireError, ClosedError, InvalidInputError, isAgentwireError } from "../core/errors.ts";
import { utf8Length } from "../core/text.ts";
import { type Course, Runner } from "../core/turn/runner.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import { ChunkDecoder } from "./chunks.ts";
import type { CodebuffCore } from "./events.ts";
import { checkFrame } from "./frame-limit.ts";
import type { CodebuffServer } from "./handshake.ts";
import { KnownPrompts, type Prompt } from "./known-prompts.ts";
import { Line } from "./line.ts";
import { type ActionError, encode, type Invalid, type PromptError, type PromptResponse } from "./messages.ts";
import type { CodebuffPromptOptions, CodebuffSettings } from "./options.ts";
import { type PromptData, toJson } from "./prompt.ts";
import type { Session } from "./session.ts";
import { type TokenSource, withToken } from "./token.ts";
import {
  type CodebuffEvent,
  type CodebuffResult,
  CodebuffTurnError,
  costOf,
  newPromptState,
  type PromptFrame,
  type PromptMessage,
  promptIdOf,
  stepPrompt,
  subagentEvent,
} from "./turn.ts";
import type { Wire } from "./wire.ts";

/** What a new prompt is made of. */
export interface PromptOrder {
  /** What the caller passed, to be handed back, without its token, if it is never sent. */
  readonly input: unknown;
  readonly data: PromptData;
  readonly json: (server: CodebuffServer | undefined) => string;
  readonly advice: (server: CodebuffServer | undefined) => string;
  readonly options: (CodebuffPromptOptions & TurnOptions) | undefined;
  readonly stateNow: () => unknown;
  /** Nothing waits before it: what it will send is known, and can be refused at once. */
  readonly first: boolean;
}

export interface PromptsSetup {
  readonly settings: CodebuffSettings;
  readonly core: CodebuffCore;
  readonly wire: Wire;
  readonly token: TokenSource;
  /** A prompt that was sent comes to nothing: what is done for it here has to stop. */
  readonly ending: (promptId: string, by: "cancelled" | "ended") => void;
}

/** The prompts of one client, from the call to their ends. */
export class Prompts implements Course<Prompt> {
  readonly runner: Runner<CodebuffEvent, CodebuffResult, Prompt>;
  readonly known: KnownPrompts;
  /** Where they wait to be written, with what else waits. */
  readonly line: Line;
  readonly #setup: PromptsSetup;
  /** The txid of the last cancel: the server may answer that with an action-error, too. */
  #lastCancel = -1;

  constructor(setup: PromptsSetup) {
    this.#setup = setup;
    this.runner = new Runner(setup.core, this);
    this.known = new KnownPrompts(this.runner);
    this.line = new Line({ ...setup, prompts: this.runner });
  }

  /**
   * Makes a prompt without sending it.
   * @throws InvalidInputError for an id that was used; PayloadTooLargeError when the frame would be larger than
   *   the server takes; QueueFullError when too much waits already.
   */
  create(order: PromptOrder): Prompt {
    const { settings, core } = this.#setup;
    const { data, json, advice, stateNow, options = {} } = order;
    const { promptId, authToken: ownToken } = data;
    if (this.known.exactly(promptId)) {
      throw new InvalidInputError(
        `the prompt id "${promptId}" was used before.`,
        "Leave `promptId` out, and each prompt gets its own.",
      );
    }
    // What a prompt will send that others go before is not known yet.
    const bytes = order.first ? this.#sizeOf(order, ownToken) : undefined;
    const { chunkDecoding = settings.chunkDecoding } = options;
    const state = newPromptState(promptId, new ChunkDecoder(chunkDecoding), (text) =>
      core.redactor.redact(text),
    );
    return this.runner.make(
      {
        id: promptId,
        input: withoutToken(order.input),
        bytes: bytes ?? utf8Length(toJson(data, "the prompt")),
        options,
        idleTimeout: settings.idleTimeout,
        textOf: (event) => (event.type === "response-chunk" ? event.text : ""),
        soFar: () => ({ state: stateNow(), cost: costOf(state) }),
      },
      (turn) => {
        core.redactor.use(turn, ownToken);
        const prompt: Prompt = {
          turn,
          state,
          json,
          advice,
          ownToken,
          bytes,
          txid: undefined,
          server: undefined,
          sentToken: undefined,
          wasAcked: false,
          wantsToken: ownToken === undefined,
          write: (session, token) => this.#write(session, prompt, token),
          fail: (error) => turn.fail(error),
        };
        return prompt;
      },
    );
  }

  /** Sends the prompt now, or when it can be. */
  start(prompt: Prompt): void {
    if (!prompt.turn.open) return;
    try {
      prompt.bytes ??= this.#sizeOf(prompt, prompt.ownToken);
    } catch (error) {
      prompt.turn.fail(unwritable(error));
      return;
    }
    prompt.place = this.line.newPlace();
    this.runner.start(prompt, prompt.bytes);
  }

  pump(): void {
    this.line.pump();
  }

  /** The proxy knows no cancelling: it goes on working, and its words are late. */
  stop(prompt: Prompt): void {
    const { turn } = prompt;
    this.#cancelOnServer(prompt);
    this.#setup.ending(turn.id, "cancelled");
    turn.stopped();
    this.#setup.wire.promptAbandoned(turn.id);
  }

  settled({ turn }: Prompt): void {
    this.#setup.core.redactor.use(turn);
    this.known.settled(turn.id, turn.status === "completed" ? "completed" : "other");
  }

  /** The server took the prompt in: from now on its silence counts. */
  acked(promptId: string): void {
    const prompt = this.known.find(promptId);
    if (!prompt) return;
    prompt.wasAcked = true;
    prompt.turn.active();
  }

  fail(promptId: string, error: AgentwireError): void {
    const prompt = this.known.find(promptId);
    if (!prompt) return;
    this.#fail(prompt, error);
    if (isAgentwireError(error, "request-timeout")) this.#cancelOnServer(prompt);
  }

  endSilently(promptId: string): void {
    const prompt = this.known.find(promptId);
    if (!prompt) return;
    this.#apply(prompt, { type: "silent-end" }, 0);
    this.known.settled(promptId, "silent");
  }

  /** A message that names a prompt; it goes there, or is reported as late or stray. */
  receive(frame: PromptFrame, size: number): void {
    const message = frame.type === "prompt-error" ? this.#clean(frame) : frame;
    const id = promptIdOf(message);
    if (id === undefined) return; // a tool call of the shape that names none
    const own = this.known.find(id);
    const early = own !== undefined && own.txid === undefined; // nothing can end what was not sent yet
    if (own?.txid !== undefined) {
      this.#heardOf(own);
      this.#apply(own, message, size);
    } else {
      this.#receiveForAnother(id, message, size);
    }
    if (early || (message.type !== "prompt-response" && message.type !== "prompt-error")) return;
    this.#setup.wire.promptEnded(id);
  }

  /** A part of an answer, or its end, that cannot be handled. The turn fails: nobody can say what was in it. */
  receiveUnhandled({ problem, answers }: Invalid): void {
    if (!answers) return;
    const { promptId, isEnd } = answers;
    const prompt = this.known.find(promptId);
    if (prompt && prompt.txid === undefined) return; // it was not sent yet, so nothing can be its answer
    const error = new CodebuffTurnError(promptId, {
      origin: "action",
      kind: isEnd ? "unreadable-response" : "unreadable-chunk",
      message: problem,
    });
    if (!isEnd) {
      prompt?.turn.stopWith(error); // the server goes on
      return;
    }
    if (prompt) this.#fail(prompt, error);
    this.#setup.wire.promptEnded(promptId);
  }

  /** A message whose id is not just that of a prompt under way: of a sub-agent, late, or a stray. */
  #receiveForAnother(id: string, message: PromptFrame, size: number): void {
    const { wire, core } = this.#setup;
    const { prompt, promptId, standing } = this.known.named(id);
    if (prompt?.txid !== undefined) {
      this.#heardOf(prompt);
      prompt.turn.push(subagentEvent(prompt.state, message), size);
      return;
    }
    wire.heardOf(promptId); // it may run there still
    if (standing === "silent") wire.answersOutOfOrder();
    core.events.emit(standing === "unknown" || standing === "unsent" ? "orphan" : "late", message);
  }

  /** Whatever comes for a prompt presupposes its ack. */
  #heardOf(prompt: Prompt): void {
    if (prompt.wasAcked) return;
    prompt.wasAcked = true;
    this.#setup.wire.heardOf(prompt.turn.id);
  }

  /** An error without any id fails the only prompt under way, if nothing of its answer came; otherwise it is told to the client. */
  receiveActionError(frame: ActionError): void {
    const error = this.#clean(frame);
    const only = this.known.onlyUnderWay()?.prompt;
    // A cancel that was sent before may be what it answers, unless this prompt was heard of since.
    const { txid = -1, wasAcked = false } = only ?? {};
    const its = this.#lastCancel < 0 || (wasAcked && txid > this.#lastCancel);
    if (!only || only.turn.status === "streaming" || !its) {
      this.#setup.core.events.emit("actionError", error);
      return;
    }
    this.#apply(only, error, 0);
    this.#setup.wire.promptEnded(only.turn.id);
  }

  /** The connection is not to be had, or the client is closed. */
  unavailable(reason: AgentwireError): void {
    this.runner.unavailable(reason);
    if (!isAgentwireError(reason, "closed")) return; // what was sent has its own errors
    for (const { turn } of this.runner.jobs) {
      turn.abandon(new ClosedError("the client was closed while the prompt ran", { delivery: "unknown" }));
    }
  }

  #write(session: Session, prompt: Prompt, token: string | undefined): void {
    const { settings, core, wire } = this.#setup;
    const { turn } = prompt;
    this.runner.take(prompt);
    let frame: string;
    try {
      frame = encode.action(wire.nextTxid, withToken(prompt.json(session.server), token));
      checkFrame(frame, settings, session.server, prompt.advice(session.server));
    } catch (error) {
      turn.fail(unwritable(error));
      return;
    }
    prompt.txid = wire.nextTxid;
    prompt.server = session.server;
    prompt.sentToken = prompt.ownToken ?? token;
    core.redactor.use(turn, prompt.sentToken);
    wire.request(
      session,
      { kind: "prompt", promptId: turn.id },
      () => frame,
      () => turn.unsent(),
    );
    turn.sent();
  }

  /** Servers repeat in errors what was sent to them, tokens included. */
  #clean<T extends PromptError | ActionError>(failure: T): T {
    const { redactor } = this.#setup.core;
    const error = typeof failure.error === "string" ? redactor.redact(failure.error) : failure.error;
    return { ...failure, message: redactor.redact(failure.message), error };
  }

  #apply(prompt: Prompt, message: PromptMessage, size: number): void {
    const { turn, state } = prompt;
    const { rest, event, oddity, end } = stepPrompt(state, message);
    if (oddity !== undefined) this.#setup.core.warn("odd-chunk", `prompt ${turn.id}: ${oddity}`);
    if (rest) turn.push(rest, size);
    if (event) turn.push(event, size);
    if (!end) return;
    if ("error" in end) this.#fail(prompt, end.error);
    else turn.complete(toResult(end.response, prompt));
  }

  #fail({ turn }: Prompt, error: AgentwireError): void {
    this.#setup.ending(turn.id, "ended");
    turn.fail(error);
  }

  /** The original server can be told to stop, with a token; the proxy only answers that it cannot. */
  #cancelOnServer({ turn, sentToken }: Prompt): void {
    const { wire } = this.#setup;
    const session = wire.live;
    if (sentToken === undefined || session?.server !== "codebuff") return;
    const data = JSON.stringify({ type: "cancel-user-input", authToken: sentToken, promptId: turn.id });
    this.#lastCancel = wire.nextTxid;
    wire.request(session, { kind: "cancel-user-input" }, (id) => encode.action(id, data));
  }

  /** Of its frame, for the server at the other end as far as it is known. */
  #sizeOf({ json, advice }: Pick<Prompt, "json" | "advice">, ownToken: string | undefined): number {
    const { settings, wire, token } = this.#setup;
    const data = withToken(json(wire.server), ownToken === undefined ? token.known : undefined);
    return checkFrame(encode.action(wire.nextTxid, data), settings, wire.server, advice(wire.server));
  }
}

/** An error that hands the prompt back is logged: the token is not in it. */
function withoutToken(input: unknown): unknown {
  if (!isObject(input) || input["authToken"] === undefined) return input;
  const { authToken: _, ...rest } = input;
  return rest;
}

/** Whatever is wrong with a prompt that cannot be written, its turn has to end. */
function unwritable(cause: unknown): AgentwireError {
  if (isAgentwireError(cause)) return cause;
  return new InvalidInputError("the prompt cannot be written for this server.", "Its cause says why.", {
    cause,
  });
}

function toResult(response: PromptResponse, { turn, state }: Prompt): CodebuffResult {
  const cost = costOf(state);
  const { promptId, sessionState, toolCalls, toolResults, output } = response;
  return {
    text: turn.text,
    ...(turn.truncated ? { truncated: true } : {}),
    promptId,
    sessionState,
    toolCalls: toolCalls ?? [],
    toolResults: toolResults ?? [],
    output: output ?? null,
    ...(cost ? { cost } : {}),
  };
}
