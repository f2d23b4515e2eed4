// One request of the server, from the gate to its response: run, denied, or too late.
import type { CancelTimer } from "../../core/clock.ts";
import { said } from "../../core/errors.ts";
import type { Withdraw } from "../../core/gate/gate.ts";
import type { AskingTurn } from "../../core/gate/open-request.ts";
import { denialOf, isUsersWord } from "../../core/gate/outcome.ts";
import type { DecidedBy, PendingRequest, Ruling, ToolCall, TurnToolCall } from "../../core/values.ts";
import type { KnownPrompts } from "../prompts/known-prompts.ts";
import type { Prompt } from "../prompts/prompt.ts";
import type { Notice } from "../session/notices.ts";
import type { SocketSession } from "../session/session.ts";
import type { HandlerContext } from "./handlers.ts";
import type { RequestsBase, Responses } from "./responses.ts";

/** Characters of an error for the server: real errors are much shorter. */
const MAX_ERROR = 8_192;

/** The decision, execution and response of one request. */
export interface TaskSteps<T> {
  readonly session: SocketSession;
  readonly notice: Notice;
  /** The request in the form of the gate. */
  readonly call: ToolCall;
  readonly promptId: string | undefined;
  /** The turn that shows the call while the turn is under way. */
  readonly turn: Prompt["turn"] | undefined;
  /** The name of the handler in words, for messages. */
  readonly handler: string;
  /** ms from the request to its response, including the user's decision; 0: no limit. */
  readonly timeout: number;
  /** Brings the task before the gate. The gate runs, finishes, denies or fails the task, perhaps before this function returns. */
  readonly ask: (task: Task<T>, turn: AskingTurn | undefined) => Withdraw;
  /** Converts the handler's value to a response. Throws for a wrong value. */
  readonly read: (value: T) => object;
  /** The response for a failed or denied request. */
  readonly failed: (why: string) => object;
}

export interface TaskSetup extends Pick<RequestsBase, "core"> {
  readonly known: KnownPrompts;
  readonly responses: Responses;
  /** The task is over; its response is sent next. */
  readonly over: () => void;
}

/** The state of a call, with the fields of that state. */
export type Now = Pick<TurnToolCall, "state" | "output" | "error" | "deniedBy" | "reason">;

/** One request, from the gate to its response. Each request gets exactly one response. */
export class Task<T> {
  readonly #setup: TaskSetup;
  readonly #job: TaskSteps<T>;
  readonly #controller = new AbortController();
  readonly #release: () => void;
  readonly #cancelTimer: CancelTimer;
  #withdraw: Withdraw | undefined;
  /** Whether the request was allowed, and its handler runs. */
  isRunning = false;
  #isOver = false;

  constructor(setup: TaskSetup, job: TaskSteps<T>) {
    const { known, core } = setup;
    this.#setup = setup;
    this.#job = job;
    this.#release = known.hold(job.promptId);
    this.#cancelTimer = this.limited
      ? core.clock.setTimeout(() => this.#expire(), job.timeout, { unref: true })
      : () => {};
  }

  /** The prompt of the request, without a sub-agent's suffix. */
  get promptId(): string | undefined {
    return this.#job.promptId;
  }

  /** Whether the task has a time limit. */
  get limited(): boolean {
    return this.#job.timeout > 0;
  }

  begin(): void {
    this.#show({ state: "requested" });
    this.#withdraw = this.#job.ask(this, this.#waiting());
  }

  /** The gate allows the request: calls the handler. */
  run(work: (context: HandlerContext) => T | Promise<T>): void {
    this.#show({ state: "approved" });
    this.#show({ state: "running" });
    this.isRunning = true;
    const { outbox } = this.#setup.core;
    outbox.tell(async () => {
      if (this.#isOver) return; // a listener has ended the prompt
      const outcome = await outcomeOf(() => work({ signal: this.#controller.signal }));
      outbox.run(() => this.#finish(outcome));
    });
  }

  finish(value: T): void {
    this.#finish(() => value);
  }

  deny({ by, reason }: Ruling): void {
    if (isEnd(by)) {
      this.abandon(by, reason ?? by);
      return;
    }
    const isUsers = isUsersWord(by);
    const why = reason === undefined ? undefined : this.#words(reason);
    this.#refuse(denialOf(isUsers, why), {
      state: "denied",
      deniedBy: isUsers ? "user" : "policy",
      ...(why === undefined ? {} : { reason: why }),
    });
  }

  fail(by: DecidedBy, reason: string): void {
    const error = this.#words(reason);
    if (isEnd(by)) this.abandon(by, error);
    else this.#refuse(error, { state: "failed", error });
  }

  /** Ends the task from outside. The response is the reason. */
  abandon(by: DecidedBy, why: string): void {
    this.#leave(by, why, { state: "abandoned" });
  }

  #expire(): void {
    const { handler, timeout, call } = this.#job;
    const why = this.isRunning
      ? `${handler} did not answer within ${timeout} ms`
      : `nobody decided on \`${call.name}\` within ${timeout} ms, and the server waits no longer`;
    this.#setup.core.warn(this.isRunning ? "handler-failed" : "approval-failed", why);
    this.#leave("timeout", why, { state: "failed", error: why });
  }

  #leave(by: DecidedBy, why: string, now: Now): void {
    if (this.#isOver) return;
    this.#isOver = true; // later calls of the gate change nothing
    this.#withdraw?.(by, why);
    this.#answer(this.#refusal(why), now);
    this.#setup.core.outbox.tell(() => this.#controller.abort(new Error(why)));
  }

  #refuse(why: string, now: Now): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#answer(this.#refusal(why), now);
  }

  #finish(outcome: () => T): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { json, now } = this.#written(outcome);
    this.#answer(json, now);
  }

  /** Shows the end of the call in the turn, then sends the response: the server may react at once. */
  #answer(json: string, now: Now): void {
    const { session, notice, failed } = this.#job;
    this.#cancelTimer();
    this.#setup.over();
    this.#release();
    this.#show(now);
    this.#setup.responses.send(session, notice, json, failed("the server refused the answer"));
  }

  /** A response that can be sent. If the handler threw or returned a wrong value, the response is a failure. */
  #written(outcome: () => T): { readonly json: string; readonly now: Now } {
    const { session, notice, handler, read } = this.#job;
    try {
      const output = outcome();
      return {
        json: this.#setup.responses.write(session, notice, read(output)),
        now: { state: "done", output },
      };
    } catch (cause) {
      const error = this.#words(messageOf(cause));
      this.#setup.core.warn("handler-failed", `${handler} failed: ${error}`, { cause });
      return { json: this.#refusal(error), now: { state: "failed", error } };
    }
  }

  #refusal(why: string): string {
    const { notice, failed } = this.#job;
    return JSON.stringify({ type: notice, ...failed(why) });
  }

  /** The message of an error, redacted and shortened, for the server. */
  #words(text: string): string {
    return this.#setup.core.redactor.redact(text).slice(0, MAX_ERROR);
  }

  #show(now: Now): void {
    const { call, turn } = this.#job;
    show(this.#setup.core, turn, call, now);
  }

  /** Shows the call as `awaiting` before the user is asked: the callback may decide at once. */
  #waiting(): AskingTurn | undefined {
    const { turn } = this.#job;
    if (!turn) return undefined;
    const opened = (request: PendingRequest): void => {
      this.#show({ state: "awaiting" });
      turn.opened(request);
    };
    return {
      get status() {
        return turn.status;
      },
      hold: () => turn.hold(),
      opened,
      closed: (id) => turn.closed(id),
    };
  }
}

/** Whether the turn or the link ended before a decision. The gate may notice the end first. */
function isEnd(by: DecidedBy): boolean {
  return by === "cancelled" || by === "ended" || by === "disconnected";
}

/** Shows a call in its turn, while the turn is under way. A request that belongs to no turn is told by the client. */
export function show(
  { events }: RequestsBase["core"],
  turn: Prompt["turn"] | undefined,
  call: ToolCall,
  now: Now,
): void {
  if (turn) turn.tools.set(shownAs(call, now));
  else if (call.turnId === undefined) events.emit("toolCall", shownAs(call, now));
}

/** A call in the form of its turn. */
function shownAs({ id, name, input, raw }: ToolCall, now: Now): TurnToolCall {
  return { id, name, input, raw, ...now };
}

/** The outcome of the handler: a function that returns its value or throws its error. */
async function outcomeOf<T>(run: () => T | Promise<T>): Promise<() => T> {
  try {
    const value = await run();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** The message of a thrown value. The `message` of an error may be anything. */
function messageOf(thrown: unknown): string {
  const message: unknown = thrown instanceof Error ? thrown.message : undefined;
  return typeof message === "string" ? message : said(thrown);
}
