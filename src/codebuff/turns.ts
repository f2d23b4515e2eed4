// The prompts of one client, waiting and running, and the messages for them.
import { type AgentwireError, ClosedError, InvalidInputError, isAgentwireError } from "../core/errors.ts";
import type { Gate } from "../core/gate/gate.ts";
import { Late } from "../core/late.ts";
import { closedInTurn } from "../core/link/connection-errors.ts";
import { utf8Length } from "../core/text.ts";
import { type Course, Runner } from "../core/turn/runner.ts";
import { CodebuffTurnError } from "./errors.ts";
import type { ServerRequest } from "./extensions.ts";
import { toJson } from "./input.ts";
import type { ActionError, InvalidFrame } from "./messages.ts";
import { KnownPrompts } from "./prompts/known-prompts.ts";
import {
  cleaned,
  frameSize,
  Prompt,
  type PromptEnd,
  type PromptHost,
  type PromptOrder,
  unwritable,
  withoutToken,
} from "./prompts/prompt.ts";
import type { ServerRequests } from "./requests/requests.ts";
import { Standing } from "./session/standing.ts";
import { UnwrittenFrames } from "./session/unwritten-frames.ts";
import { type CodebuffEvent, type CodebuffResult, type PromptFrame, promptIdOf } from "./turn.ts";
import type { CodebuffWireUser, WireMessage } from "./wire.ts";

type TurnsSetup = Omit<PromptHost, "take" | "promptEnding">;

/** Serves the server's requests. */
export const REQUESTS_CODE = /* @__PURE__ */ new Late(
  "the code for the server's requests",
  () => import("./requests/requests.ts"),
);

/** The prompts of one client: waiting and running ones, and the server's messages for them. */
export class CodebuffTurns implements Course<Prompt>, CodebuffWireUser, PromptHost {
  readonly settings: PromptHost["settings"];
  readonly core: PromptHost["core"];
  readonly wire: PromptHost["wire"];
  readonly token: PromptHost["token"];
  /** Made at the first init or topic. */
  #standing: Standing | undefined;
  readonly runner: Runner<CodebuffEvent, CodebuffResult, Prompt>;
  readonly known: KnownPrompts;
  readonly line: UnwrittenFrames;
  /** Made at the first request of the server: most sessions have none. */
  #requests: ServerRequests | undefined;

  constructor(setup: TurnsSetup) {
    const { settings, core, wire, token } = setup;
    this.settings = settings;
    this.core = core;
    this.wire = wire;
    this.token = token;
    this.runner = new Runner(core, this);
    this.known = new KnownPrompts(this.runner);
    this.line = new UnwrittenFrames(this);
  }

  /** The init and the topics, which each session repeats. */
  get standing(): Standing {
    this.#standing ??= new Standing(this);
    return this.#standing;
  }

  find(promptId: string): Prompt | undefined {
    return this.runner.find(promptId);
  }

  /**
   * Makes a prompt without sending it.
   * @throws InvalidInputError for an id that was used before; PayloadTooLargeError for a frame over the server's limit; QueueFullError
   * if the queue is full.
   */
  create(order: PromptOrder): Prompt {
    const { data, options, input } = order;
    const { promptId } = data;
    if (this.known.exactly(promptId)) {
      throw new InvalidInputError(
        `the prompt id "${promptId}" was used before.`,
        "Leave `promptId` out, and each prompt gets its own.",
      );
    }
    // Behind earlier prompts of a conversation, or without its files, the content of the frame is not final yet.
    const bytes = order.first && order.files.length === 0 ? frameSize(this, order) : undefined;
    return this.runner.make(
      {
        id: promptId,
        input: withoutToken(input),
        bytes: bytes ?? utf8Length(toJson(data, "the prompt")),
        options,
        idleTimeout: this.settings.idleTimeout,
        textOf: (event) => (event.type === "response-chunk" ? event.text : ""),
        soFar: (prompt) => prompt.soFar(),
      },
      (turn) => new Prompt(this, order, turn, bytes),
    );
  }

  /** Sends the prompt now, or as soon as possible. */
  start(prompt: Prompt): void {
    if (prompt.turn.open) prompt.prepare(() => this.#start(prompt));
  }

  #start(prompt: Prompt): void {
    if (!prompt.turn.open) return;
    let bytes: number;
    try {
      bytes = prompt.size();
    } catch (error) {
      prompt.turn.fail(unwritable(error));
      return;
    }
    prompt.place = this.line.newPlace();
    this.runner.start(prompt, bytes);
  }

  /** The client is closing: hands back unsent prompts and requests. */
  giveBack(): void {
    this.runner.giveBack();
    this.line.clear(new ClosedError("the client was closed before this was sent"));
  }

  get gate(): Gate | undefined {
    return this.#requests?.gate;
  }

  // --- the runner's side ---

  pump(): void {
    this.line.pump();
  }

  stop(prompt: Prompt): void {
    prompt.stop();
  }

  settled(prompt: Prompt): void {
    this.core.redactor.use(prompt.turn);
    prompt.settled();
    this.known.settled(prompt);
  }

  // --- the prompts' side ---

  take(prompt: Prompt): void {
    this.runner.take(prompt);
  }

  promptEnding(promptId: string, how: PromptEnd): void {
    this.#requests?.promptEnding(promptId, how);
  }

  // --- the wire's side ---

  get worksForServer(): boolean {
    return this.#requests?.working ?? false;
  }

  resume(): void {
    this.line.resume(this.#standing?.repeats() ?? []);
  }

  receive(message: WireMessage, size: number): void {
    switch (message.type) {
      case "action-error":
        this.#receiveActionError(cleaned(message, this.core));
        return;
      case "read-files":
      case "read-files-request":
      case "request-mcp-tool-data":
        this.#asked();
        this.#serve(message);
        return;
      case "tool-call-request":
        this.#asked();
        this.#receiveFrame(message, size);
        this.#serve(message);
        return;
      case "prompt-error":
        this.#receiveFrame(cleaned(message, this.core), size);
        return;
      case "invalid":
        if (message.request) this.#asked();
        if (message.request && this.wire.live) this.#serving.refuse(this.wire.live, message);
        this.#receiveInvalid(message);
        return;
      default:
        this.#receiveFrame(message, size);
    }
  }

  sessionEnded(): void {
    this.#requests?.sessionEnded();
    this.gate?.newSession();
  }

  /** The server asks for something. In the middle of a prompt, this proves that the server reads while it works. */
  #asked(): void {
    if (this.wire.busy()) this.wire.answersOutOfOrder();
  }

  #serve(request: ServerRequest): void {
    const { live } = this.wire;
    if (live) this.#serving.receive(live, request);
    else
      this.core.warn(
        "unanswerable-request",
        `a ${request.type} cannot be answered: there is no session to answer on`,
      );
  }

  get #serving(): ServerRequests {
    this.#requests ??= new REQUESTS_CODE.module.ServerRequests(this);
    return this.#requests;
  }

  unavailable(reason: AgentwireError): void {
    this.runner.unavailable(reason);
    if (isAgentwireError(reason, "closed")) {
      for (const { turn } of this.runner.jobs) {
        turn.abandon(closedInTurn());
      }
    }
    this.line.clear(reason);
    this.token.close();
  }

  /** Passes a message to the prompt that it names, or reports it as late or orphan. */
  #receiveFrame(message: PromptFrame, size: number): void {
    const id = promptIdOf(message);
    if (id === undefined) return; // one shape of tool calls names no prompt
    const own = this.runner.find(id);
    if (own?.wasSent) own.receive(message, size);
    else this.#receiveForAnother(id, message, size);
    if (own && !own.wasSent) return; // an unsent prompt cannot end
    if (message.type === "prompt-response" || message.type === "prompt-error") this.wire.promptEnded(id);
  }

  /** Handles a message whose id is not exactly the id of a prompt under way: a sub-agent's, late, or unknown. */
  #receiveForAnother(id: string, message: PromptFrame, size: number): void {
    const { wire, core } = this;
    const { prompt, promptId, standing } = this.known.named(id);
    if (prompt?.wasSent) {
      prompt.receiveOfSubagent(message, size);
      return;
    }
    wire.heardOf(promptId); // the prompt may still run on the server
    if (standing === "silent") wire.answersOutOfOrder();
    core.events.emit(standing === "unknown" || standing === "unsent" ? "orphan" : "late", message);
  }

  /** Fails the turn of an unreadable part or end: the content of the message is lost. */
  #receiveInvalid({ problem, answers }: InvalidFrame): void {
    if (!answers) return;
    const { promptId, isEnd } = answers;
    const prompt = this.runner.find(promptId);
    if (prompt && !prompt.wasSent) return; // an unsent prompt can have no answer
    const error = new CodebuffTurnError(promptId, {
      origin: "action",
      kind: isEnd ? "unreadable-response" : "unreadable-chunk",
      message: problem,
    });
    if (!isEnd) {
      prompt?.turn.stopWith(error); // the server still works on the prompt
      return;
    }
    prompt?.fail(error);
    this.wire.promptEnded(promptId);
  }

  /** An error without an id fails the only prompt under way, if the error can be about that prompt. Otherwise emits `actionError`. */
  #receiveActionError(error: ActionError): void {
    const only = this.known.onlyUnderWay()?.prompt;
    if (only?.takeActionError(error, this.wire.live?.lastCancel ?? -1)) this.wire.promptEnded(only.id);
    else this.core.events.emit("actionError", error);
  }
}
