import { isObject } from "../core/checks.ts";
import type { ClientCore } from "../core/client/client-core.ts";
import { type AgentwireError, ClosedError, InvalidInputError, isAgentwireError } from "../core/errors.ts";
import { Recent } from "../core/recent.ts";
import { utf8Length } from "../core/text.ts";
import { LiveTurn } from "../core/turn/live-turn.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import { TurnQueue } from "../core/turn/turn-queue.ts";
import { ChunkDecoder, type ChunkDecoding, type TextSource } from "./chunks.ts";
import type { CodebuffClientEvents } from "./events.ts";
import { checkFrame } from "./frame-limit.ts";
import type { CodebuffServer } from "./handshake.ts";
import type { Line, Waiting } from "./line.ts";
import { type ActionError, encode, type Invalid, type PromptError, type PromptResponse } from "./messages.ts";
import type { CodebuffSettings } from "./options.ts";
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
  type PromptState,
  promptIdOf,
  stepPrompt,
  subagentEvent,
} from "./turn.ts";
import type { Wire } from "./wire.ts";

/** Options of one Codebuff prompt; the client's options of the same names set the defaults. */
export interface CodebuffPromptOptions {
  readonly chunkDecoding?: ChunkDecoding;
  readonly textSource?: TextSource;
}

/** One prompt of this client, from the call to its end. */
export interface Prompt extends Waiting {
  readonly turn: LiveTurn<CodebuffEvent, CodebuffResult>;
  readonly state: PromptState;
  /** The action's data as JSON, without a token; depends on the server, which may be known only when it is sent. */
  readonly json: (server: CodebuffServer | undefined) => string;
  /** What to do when its frame is too large for the server. */
  readonly advice: (server: CodebuffServer | undefined) => string;
  /** The token that the data brings along, if it does. */
  readonly ownToken: string | undefined;
  /** Of the frame, once it is known. */
  bytes: number | undefined;
  /** Set when it was sent: the txid of its frame, which server it went to, and with which token. */
  txid: number | undefined;
  server: CodebuffServer | undefined;
  sentToken: string | undefined;
  wasAcked: boolean;
}

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

/** How many settled prompts are remembered, to tell late messages from stray ones. */
const REMEMBERED = 256;

/** How a prompt ended. `silent`: the server was taken to be done with it although it did not say so. */
type Settled = "completed" | "silent" | "other";

/** What a message names, perhaps with a sub-agent's suffix: a prompt of this client, or none that it knows. */
export interface Named {
  /** The prompt's own id; the one named, where it is not known. */
  readonly promptId: string;
  readonly standing: "open" | "unsent" | Settled | "unknown";
  /** While it is open. */
  readonly prompt?: Prompt;
}

export interface PromptsSetup {
  readonly settings: CodebuffSettings;
  readonly wire: Wire;
  readonly line: Line;
  readonly token: TokenSource;
  /** A prompt that was sent comes to nothing: what is done for it here has to stop, before anybody sees the turn end. */
  readonly ending: (promptId: string, by: "cancelled" | "ended") => void;
  readonly core: () => ClientCore<CodebuffEvent, CodebuffResult, CodebuffClientEvents>;
}

/** The prompts of one client: those that wait, those under way, and what is left of those that settled. */
export class Prompts {
  readonly #setup: PromptsSetup;
  /** Prompts that their conversations hold back until those before them are done. */
  readonly #held: TurnQueue<Prompt>;
  readonly #open = new Map<string, Prompt>();
  readonly #settled = new Recent<string, Settled>(REMEMBERED);
  /** The txid of the last cancel: the server may answer that with an action-error, too. */
  #lastCancel = -1;

  constructor(setup: PromptsSetup) {
    this.#setup = setup;
    const { maxQueuedTurns: maxTurns, maxQueuedBytes: maxBytes } = setup.settings.socket;
    this.#held = new TurnQueue({ maxTurns, maxBytes });
  }

  /**
   * Makes a prompt without sending it.
   * @throws InvalidInputError for an id that was used; PayloadTooLargeError when the frame would be larger than
   *   the server takes; QueueFullError when too much waits already.
   */
  create(order: PromptOrder): Prompt {
    const { settings, core, wire, line } = this.#setup;
    const { promptId } = order.data;
    if (this.#open.has(promptId) || this.#settled.get(promptId)) {
      throw new InvalidInputError(
        `the prompt id "${promptId}" was used before.`,
        "Leave `promptId` out, and each prompt gets its own.",
      );
    }
    const ownToken = order.data.authToken;
    const bytes = order.first ? this.#assertSendable(order, ownToken) : undefined;
    const heldBytes = order.first ? 0 : utf8Length(toJson(order.data, "the prompt"));
    if (!order.first) this.#held.assertRoom(heldBytes);
    const { chunkDecoding = settings.chunkDecoding, textSource = settings.textSource } = order.options ?? {};
    const { signal, timeout = 0, idleTimeout = settings.idleTimeout, read = true } = order.options ?? {};
    const { clock, maxBufferedBytes, maxTextBytes } = settings.socket;
    const state = newPromptState(promptId, new ChunkDecoder(chunkDecoding, textSource), (text) =>
      core().redactor.redact(text),
    );
    const turn: Prompt["turn"] = new LiveTurn<CodebuffEvent, CodebuffResult>({
      id: promptId,
      input: withoutToken(order.input),
      clock,
      maxBufferedBytes,
      maxTextBytes,
      timeout,
      idleTimeout,
      signal,
      read,
      textOf: (event) => (event.type === "response-chunk" ? event.text : ""),
      soFar: () => ({ state: order.stateNow(), cost: costOf(state) }),
      // The proxy knows no cancelling: it goes on working, and its words are late.
      stop: () => {
        this.#cancelOnServer(prompt);
        this.#setup.ending(promptId, "cancelled");
        turn.stopped();
        wire.promptAbandoned(promptId);
        line.pump();
      },
      settled: () => this.#forget(prompt),
      insist: () => {},
      repeatable: true,
      flow: undefined,
      onEvent: (event) => core().events.emit("event", event, turn),
      onListenerThrow: core().listenerThrew,
    });
    const prompt: Prompt = {
      turn,
      state,
      json: order.json,
      advice: order.advice,
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
    this.#open.set(promptId, prompt);
    core().redactor.use(turn, ownToken);
    if (!order.first) this.#held.add(prompt, heldBytes);
    turn.begin();
    if (turn.open) core().connection.hurry();
    return prompt;
  }

  /** Sends the prompt now, or when it can be. */
  start(prompt: Prompt): void {
    if (!prompt.turn.open) return;
    this.#held.delete(prompt);
    try {
      prompt.bytes ??= this.#assertSendable(prompt, prompt.ownToken);
    } catch (error) {
      prompt.turn.fail(unwritable(error));
      return;
    }
    this.#setup.line.addPrompt(prompt, prompt.bytes);
  }

  /** The server took the prompt in: from now on its silence counts. */
  acked(promptId: string): void {
    const prompt = this.#open.get(promptId);
    if (!prompt) return;
    prompt.wasAcked = true;
    prompt.turn.active();
  }

  fail(promptId: string, error: AgentwireError): void {
    const prompt = this.#open.get(promptId);
    if (prompt) this.#fail(prompt, error);
    if (prompt && isAgentwireError(error, "request-timeout")) this.#cancelOnServer(prompt);
    this.#setup.line.pump();
  }

  endSilently(promptId: string): void {
    const prompt = this.#open.get(promptId);
    if (prompt) {
      this.#apply(prompt, { type: "silent-end" }, 0);
      this.#settled.set(promptId, "silent");
    }
    this.#setup.line.pump();
  }

  /** A message that names a prompt; it goes there, or is reported as late or stray. */
  receive(frame: PromptFrame, size: number): void {
    const message = frame.type === "prompt-error" ? this.#clean(frame) : frame;
    const id = promptIdOf(message);
    if (id === undefined) return; // a tool call of the shape that names none
    const own = this.#open.get(id);
    const early = own !== undefined && own.txid === undefined; // nothing can end what was not sent yet
    if (own?.txid !== undefined) {
      this.#heardOf(own);
      this.#apply(own, message, size);
    } else {
      this.#receiveForAnother(id, message, size);
    }
    if (early || (message.type !== "prompt-response" && message.type !== "prompt-error")) return;
    this.#setup.wire.promptEnded(id);
    this.#setup.line.pump();
  }

  /** A part of an answer, or its end, that cannot be handled. The turn fails: nobody can say what was in it. */
  receiveUnhandled({ problem, answers }: Invalid): void {
    if (!answers) return;
    const { promptId, isEnd } = answers;
    const prompt = this.#open.get(promptId);
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
    this.#setup.line.pump();
  }

  /** A message whose id is not just that of a prompt under way: of a sub-agent, late, or a stray. */
  #receiveForAnother(id: string, message: PromptFrame, size: number): void {
    const { wire, line, core } = this.#setup;
    const { prompt, promptId, standing } = this.named(id);
    if (prompt?.txid !== undefined) {
      this.#heardOf(prompt);
      prompt.turn.push(subagentEvent(prompt.state, message), size);
      return;
    }
    wire.heardOf(promptId); // it may run there still
    if (standing === "silent") {
      wire.answersOutOfOrder();
      line.pump();
    }
    core().events.emit(standing === "unknown" || standing === "unsent" ? "orphan" : "late", message);
  }

  /** Whatever comes for a prompt presupposes its ack. */
  #heardOf(prompt: Prompt): void {
    if (prompt.wasAcked) return;
    prompt.wasAcked = true;
    this.#setup.wire.heardOf(prompt.state.promptId);
  }

  /** Sub-agents work under their prompt's id and a suffix: where no prompt has just this id, the longest that it begins with. */
  named(id: string): Named {
    const exact = this.#known(id);
    if (exact || !id.includes("-")) return exact ?? { promptId: id, standing: "unknown" };
    let longest = "";
    for (const ids of [this.#open.keys(), this.#settled.keys()]) {
      for (const known of ids) {
        if (known.length > longest.length && id.startsWith(`${known}-`)) longest = known;
      }
    }
    return this.#known(longest) ?? { promptId: id, standing: "unknown" };
  }

  /** The prompt that the server works on, if there is just one: what a message is about that names none. */
  onlyUnderWay(): Named | undefined {
    const [only, another] = this.#underWay();
    return only && !another ? this.#known(only.state.promptId) : undefined;
  }

  *#underWay(): Iterable<Prompt> {
    for (const prompt of this.#open.values()) if (prompt.txid !== undefined) yield prompt;
  }

  /** The turn of a prompt that is under way, or waits. */
  turnOf(promptId: string): Prompt["turn"] | undefined {
    return this.#open.get(promptId)?.turn;
  }

  #known(promptId: string): Named | undefined {
    const prompt = this.#open.get(promptId);
    if (prompt) return { promptId, prompt, standing: prompt.txid === undefined ? "unsent" : "open" };
    const standing = this.#settled.get(promptId);
    return standing && { promptId, standing };
  }

  /** Stops the idle clock of one prompt, or of all, until the returned function is called. */
  hold(promptId: string | undefined): () => void {
    const held = promptId === undefined ? [...this.#open.values()] : [this.#open.get(promptId)];
    const releases = held.map((prompt) => prompt?.turn.hold());
    return () => {
      for (const release of releases) release?.();
    };
  }

  /** An error without any id fails the only prompt under way, if nothing of its answer came; otherwise it is told to the client. */
  receiveActionError(frame: ActionError): void {
    const error = this.#clean(frame);
    const [only, another] = this.#underWay();
    // A cancel that was sent before may be what it answers, unless this prompt was heard of since.
    const { txid = -1, wasAcked = false } = only ?? {};
    const its = this.#lastCancel < 0 || (wasAcked && txid > this.#lastCancel);
    const fresh = only && only.turn.status !== "streaming" && its;
    if (!fresh || another) {
      this.#setup.core().events.emit("actionError", error);
      return;
    }
    this.#apply(only, error, 0);
    this.#setup.wire.promptEnded(only.state.promptId);
    this.#setup.line.pump();
  }

  /** Gives back what was not sent, also what conversations hold back: the client is closing. */
  giveBack(): void {
    for (const { turn, txid } of [...this.#open.values()]) {
      if (txid === undefined)
        turn.abandon(new ClosedError("the client was closed before the prompt was sent"));
    }
  }

  /** Ends everything, where the client is closed. */
  endAll(reason: AgentwireError): void {
    if (!isAgentwireError(reason, "closed")) return; // what was sent has its own errors
    this.giveBack();
    for (const { turn } of [...this.#open.values()]) {
      turn.abandon(new ClosedError("the client was closed while the prompt ran", { delivery: "unknown" }));
    }
  }

  #write(session: Session, prompt: Prompt, token: string | undefined): void {
    const { settings, wire } = this.#setup;
    const { promptId } = prompt.state;
    prompt.turn.begin(); // the signal that has just made room by ending another turn may be its own
    if (!prompt.turn.open) return; // it is just ending, and its listeners are being told
    let frame: string;
    try {
      frame = encode.action(wire.nextTxid, withToken(prompt.json(session.server), token));
      checkFrame(frame, settings, session.server, prompt.advice(session.server));
    } catch (error) {
      prompt.turn.fail(unwritable(error));
      return;
    }
    prompt.txid = wire.nextTxid;
    prompt.server = session.server;
    prompt.sentToken = prompt.ownToken ?? token;
    this.#setup.core().redactor.use(prompt.turn, prompt.sentToken);
    prompt.turn.sent(() => wire.request(session, { kind: "prompt", promptId }, () => frame));
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
    if ("error" in end) this.#fail(prompt, end.error);
    else turn.complete(toResult(end.response, prompt));
  }

  #fail({ turn, state }: Prompt, error: AgentwireError): void {
    this.#setup.ending(state.promptId, "ended");
    turn.fail(error);
  }

  /** The original server can be told to stop, with a token; the proxy only answers that it cannot. */
  #cancelOnServer({ state: { promptId }, sentToken }: Prompt): void {
    const { wire } = this.#setup;
    const session = wire.live;
    if (sentToken === undefined || session?.server !== "codebuff") return;
    const data = JSON.stringify({ type: "cancel-user-input", authToken: sentToken, promptId });
    this.#lastCancel = wire.nextTxid;
    wire.request(session, { kind: "cancel-user-input" }, (id) => encode.action(id, data));
  }

  #assertSendable({ json, advice }: Pick<Prompt, "json" | "advice">, ownToken: string | undefined): number {
    const { settings, wire, line, token } = this.#setup;
    const data = withToken(json(wire.server), ownToken === undefined ? token.known : undefined);
    const frame = encode.action(wire.nextTxid, data);
    const bytes = checkFrame(frame, settings, wire.server, advice(wire.server));
    line.assertRoom(bytes);
    return bytes;
  }

  #forget(prompt: Prompt): void {
    const { promptId } = prompt.state;
    this.#setup.line.deletePrompt(prompt);
    this.#held.delete(prompt);
    this.#open.delete(promptId);
    this.#setup.core().redactor.use(prompt.turn);
    this.#settled.set(promptId, prompt.turn.status === "completed" ? "completed" : "other");
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
