import type { CancelTimer } from "../core/clock.ts";
import { said } from "../core/errors.ts";
import { isUsersWord } from "../core/gate/decision.ts";
import type { Withdraw } from "../core/gate/gate.ts";
import type { Waiting } from "../core/gate/open-request.ts";
import type { DecidedBy, PendingRequest, Ruling, ToolCall, TurnToolCall } from "../core/values.ts";
import type { HandlerContext } from "./handlers.ts";
import type { KnownPrompts } from "./known-prompts.ts";
import type { Notice } from "./notices.ts";
import type { Prompt } from "./prompt.ts";
import type { RequestsBase, Responses } from "./responses.ts";
import type { Session } from "./session.ts";

/** Characters of an error that a server is told: real ones are a fraction of that. */
const MAX_ERROR = 8_192;

/** How one request is decided on, carried out and answered. */
export interface Job<T> {
  readonly session: Session;
  readonly notice: Notice;
  /** The request as the gate sees it. */
  readonly call: ToolCall;
  readonly promptId: string | undefined;
  /** The turn that shows the call, while it is under way. */
  readonly turn: Prompt["turn"] | undefined;
  /** Whose handler it is, in words. */
  readonly handler: string;
  /** ms from the request to its answer, the user's decision included; 0 for no limit. */
  readonly timeout: number;
  /** Brings the task before the gate. The gate runs, finishes, denies or fails it, perhaps before this returns. */
  readonly ask: (task: Task<T>, turn: Waiting | undefined) => Withdraw;
  /** Makes the answer of the handler's value; throws for a wrong value. */
  readonly read: (value: T) => object;
  /** The answer for a request that came to nothing. */
  readonly failed: (why: string) => object;
}

export interface TaskSetup extends Pick<RequestsBase, "core"> {
  readonly known: KnownPrompts;
  readonly responses: Responses;
  /** The task is over, and is about to be answered. */
  readonly over: () => void;
}

/** Where a call is now, and what there is to say of that. */
export type Now = Pick<TurnToolCall, "state" | "output" | "error" | "deniedBy" | "reason">;

/** One request, from the gate to its answer. It is answered exactly once. */
export class Task<T> {
  readonly #setup: TaskSetup;
  readonly #job: Job<T>;
  readonly #controller = new AbortController();
  readonly #release: () => void;
  readonly #cancelTimer: CancelTimer;
  #withdraw: Withdraw | undefined;
  #isRunning = false;
  #isOver = false;

  constructor(setup: TaskSetup, job: Job<T>) {
    const { known, core } = setup;
    this.#setup = setup;
    this.#job = job;
    this.#release = known.hold(job.promptId);
    this.#cancelTimer = this.limited
      ? core.clock.setTimeout(() => this.#expire(), job.timeout, { unref: true })
      : () => {};
  }

  /** The prompt it was made for, without a sub-agent's suffix. */
  get promptId(): string | undefined {
    return this.#job.promptId;
  }

  /** Whether it will end by itself. */
  get limited(): boolean {
    return this.#job.timeout > 0;
  }

  begin(): void {
    this.#show({ state: "requested" });
    this.#withdraw = this.#job.ask(this, this.#waiting());
  }

  /** The gate allows it: calls the handler. */
  run(work: (context: HandlerContext) => T | Promise<T>): void {
    this.#show({ state: "approved" });
    this.#show({ state: "running" });
    this.#isRunning = true;
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

  /** Ends the task from outside, and answers with the reason. */
  abandon(by: DecidedBy, why: string): void {
    this.#leave(by, why, { state: "abandoned" });
  }

  #expire(): void {
    const { handler, timeout, call } = this.#job;
    const why = this.#isRunning
      ? `${handler} did not answer within ${timeout} ms`
      : `nobody decided on \`${call.name}\` within ${timeout} ms, and the server waits no longer`;
    this.#setup.core.warn(this.#isRunning ? "handler-failed" : "approval-failed", why);
    this.#leave("timeout", why, { state: "failed", error: why });
  }

  #leave(by: DecidedBy, why: string, now: Now): void {
    if (this.#isOver) return;
    this.#isOver = true; // what the gate says from here on changes nothing
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

  /** The turn shows how the call ended before the server can react to the answer. */
  #answer(json: string, now: Now): void {
    const { session, notice, failed } = this.#job;
    this.#cancelTimer();
    this.#setup.over();
    this.#release();
    this.#show(now);
    this.#setup.responses.send(session, notice, json, failed("the server refused the answer"));
  }

  /** An answer that can be sent. If the handler threw or gave a wrong value, the answer is a failure. */
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

  /** What a user's code said, in a form for others. */
  #words(text: string): string {
    return this.#setup.core.redactor.redact(text).slice(0, MAX_ERROR);
  }

  #show(now: Now): void {
    this.#job.turn?.tools.set(shownAs(this.#job.call, now));
  }

  /** The turn shows the call as `awaiting` before the user is asked: the callback may decide at once. */
  #waiting(): Waiting | undefined {
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

/** Whether the turn or the link ended before a decision. The gate may learn of that first. */
function isEnd(by: DecidedBy): boolean {
  return by === "cancelled" || by === "ended" || by === "disconnected";
}

/** A call as its turn shows it. */
export function shownAs({ id, name, input, raw }: ToolCall, now: Now): TurnToolCall {
  return { id, name, input, raw, ...now };
}

function denialOf(isUsers: boolean, why: string | undefined): string {
  const denied = isUsers ? "denied by the user" : "denied";
  if (why === undefined) return denied;
  return /^denied\b/i.test(why) ? why : `${denied}: ${why}`;
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
