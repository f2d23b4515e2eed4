// A chat as an agent for AG-UI clients: a run sends a prompt, or answers interrupts and goes on with the turn.
import type { ResumeEntry, RunAgentInput } from "@ag-ui/core";
import type { Chat, ChatSend } from "../chat/chat.ts";
import type { ChatResult } from "../chat/problem.ts";
import { readPrompt } from "../chat/prompt.ts";
import { FeedTurn, TurnFeed } from "../chat/turn-feed.ts";
import { type Checks, checkCallOptions, checks, describe, isObject } from "../core/checks.ts";
import { InvalidInputError } from "../core/errors.ts";
import { Recent } from "../core/recent.ts";
import { breakable } from "./breakable.ts";
import { type AgUiEvent, type AgUiRun, agUi, runError, runRefused, runStarted, sentences } from "./event.ts";
import { type RunRequest, readRunInput } from "./input.ts";
import { answerIn, decisionOf, OVER, unknownInterrupt } from "./interrupts.ts";
import { TurnWriter } from "./turn-writer.ts";

/** A chat as an agent of AG-UI. */
export interface AgUiAgent {
  /**
   * Runs: sends the last message of the user, or answers the interrupts in `resume`, and gives the events of the turn
   * until it ends or waits for the user. Nothing happens before the first event is asked for. Never throws while it
   * iterates: what goes wrong is a `RUN_ERROR`.
   *
   * Leaving the loop cancels the turn, and so does `signal`. A run that has ended with interrupts cancels nothing.
   *
   * A refused run is one `RUN_ERROR`, and nothing was sent or decided. Its `code`:
   * - `invalid-input`: an input of another form, a blank prompt, no message of the user, a `payload` that does not fit.
   *   `editedArgs` are not taken: deny the call, and say in `reason` what to call instead
   * - `unsupported`: an image by URL, audio, video, documents; an image for a backend that takes none
   * - `busy`: another run of the thread is under way. It was not stopped, and its turn goes on, even if nobody reads it
   * - `unknown-thread`: the agent has another thread
   * - `interrupt-over`: `resume` names no interrupt that a run of this turn has shown. The message names the open ones
   * - `closed`, `queue-full`: as the chat says
   *
   * @throws InvalidInputError for unknown options
   */
  readonly run: (input: RunAgentInput, options?: AgUiRunOptions) => AsyncIterable<AgUiEvent>;
}

export interface AgUiRunOptions {
  /** Cancels the turn, such as the `signal` of a request whose page was closed. */
  readonly signal?: AbortSignal;
}

const OPTIONS: Checks<AgUiRunOptions> = { signal: checks.signal };

/**
 * Makes an agent of a chat: one for each chat, and one chat for each thread. The thread of the first run is the agent's
 * thread.
 *
 * An approval is an interrupt, which the next run answers in `resume` by `{ approved, scope?, reason? }`, with the scope `"once"`,
 * `"turn"` or `"session"`; a question by `{ answers }`, the labels or free texts of each question.
 * @throws InvalidInputError for anything but a chat
 */
export function agUiAgent(chat: Chat): AgUiAgent {
  if (!isObject(chat) || typeof chat.on !== "function" || typeof chat.getSnapshot !== "function")
    throw new InvalidInputError(`the chat is ${describe(chat)}.`, "Pass the result of `createChat`.");
  const runs = new ChatRuns(chat);
  return {
    run: (input, options) => {
      checkCallOptions<AgUiRunOptions, typeof OPTIONS>(options, OPTIONS);
      const broken = new AbortController();
      return breakable(runs.run(input, [broken.signal, options?.signal]), () => broken.abort());
    },
  };
}

/** A turn of which a run was written, and more runs may follow. */
interface Course {
  readonly turn: FeedTurn;
  readonly writer: TurnWriter;
  /** How many of the turn's events were written. */
  at: number;
  /** The client's message that the turn answers. */
  readonly messageId: string;
  /** The interrupts that the client has seen. Only these can be answered. */
  readonly shown: Set<string>;
}

/** What a run follows: the rest of a turn, or a prompt that was sent. */
type Task = Course | { readonly sent: string; readonly messageId: string };

type Prompt = NonNullable<RunRequest["prompt"]>;

/** Remembered interrupts of earlier turns. An older one is called unknown. */
const MAX_SHOWN = 1_000;

/** The runs of one agent. */
class ChatRuns {
  readonly #chat: Chat;
  readonly #feed: TurnFeed;
  #threadId: string | undefined;
  /** The run under way. A run that is stopped, or of which only the last event is unread, is under way no more. */
  #running: AgUiRun | undefined;
  /** The last turn, until it was written to its end. */
  #course: Course | undefined;
  /** To tell the interrupts of earlier turns from unknown ones. */
  readonly #everShown = new Recent<string, true>(MAX_SHOWN);
  /** The prompts of the client, by the ids of its messages. `text` is undefined for a prompt with images. */
  readonly #prompts = new Map<string, { readonly id: string; readonly text: string | undefined }>();

  constructor(chat: Chat) {
    this.#chat = chat;
    this.#feed = TurnFeed.of(chat);
  }

  async *run(
    input: RunAgentInput,
    signals: readonly (AbortSignal | undefined)[],
  ): AsyncGenerator<AgUiEvent, void, undefined> {
    let run: AgUiRun | undefined;
    try {
      const request = readRunInput(input);
      const refused = this.#refuse(request.run);
      if (refused) yield refused;
      else {
        this.#running = run = request.run;
        yield* this.#follow(request, signals);
      }
    } catch (error) {
      this.#release(run);
      yield runError(error);
    } finally {
      this.#release(run);
    }
  }

  /** Whoever reads the run may never ask for its next event, so this does not wait for it. */
  #release(run: AgUiRun | undefined): void {
    if (this.#running === run) this.#running = undefined;
  }

  #refuse({ threadId }: AgUiRun): AgUiEvent | undefined {
    if (this.#threadId !== undefined && this.#threadId !== threadId)
      return runRefused("unknown-thread", "This agent has another thread. Make a chat for each thread.");
    if (this.#running) {
      const { busy, queue } = this.#chat.getSnapshot();
      if (busy || queue.length > 0)
        return runRefused("busy", "Another run of this thread is under way. Wait for its end.");
      this.#course = undefined; // its turn is over, and nobody may ever read its end
    }
    this.#threadId = threadId;
    return undefined;
  }

  async *#follow(
    request: RunRequest,
    signals: readonly (AbortSignal | undefined)[],
  ): AsyncGenerator<AgUiEvent, void, undefined> {
    const { run } = request;
    const stop = new AbortController();
    let task: Task | AgUiEvent | undefined;
    const abort = (): void => {
      if (!stop.signal.aborted && task && !("type" in task)) this.#cancel(task, run);
      stop.abort();
      this.#release(run);
    };
    try {
      for (const signal of signals) {
        signal?.addEventListener("abort", abort);
        if (signal?.aborted) stop.abort();
      }
      task = stop.signal.aborted ? cancelled(run) : this.#begin(request);
      if ("type" in task) {
        this.#release(run);
        if (task.type !== "RUN_ERROR") yield runStarted(run);
        yield task;
        return;
      }
      const course = "sent" in task ? this.#courseOf(task, run, stop.signal) : task; // a slow reader misses no turn
      yield runStarted(run);
      const last = yield* this.#write(await course, run, stop.signal);
      task = undefined; // from here on there is nothing to cancel
      this.#release(run);
      yield last;
    } finally {
      for (const signal of signals) signal?.removeEventListener("abort", abort);
    }
  }

  /** Sends or answers what the request says. */
  #begin({ prompt, resume }: RunRequest): Task | AgUiEvent {
    const course = this.#course;
    if (prompt && !this.#prompts.has(prompt.id)) return this.#send(prompt);
    if (resume.length > 0) return this.#resume(resume, course);
    // The client repeats its messages while the turn waits: it has lost the interrupts.
    if (course && (!prompt || prompt.id === course.messageId)) return course;
    if (prompt) return this.#sendAnew(prompt);
    throw new InvalidInputError(
      "the messages do not end with a message of the user.",
      "Add one, or answer the interrupts in `resume`.",
    );
  }

  #send(prompt: Prompt): Task {
    readPrompt(prompt.input);
    return this.#sent(prompt, () => this.#chat.send(prompt.input));
  }

  /** The client runs a message again that was sent before: it wants another answer. */
  #sendAnew(prompt: Prompt): Task {
    const { id, text } = this.#prompts.get(prompt.id) ?? {};
    if (id === undefined || !this.#chat.getSnapshot().capabilities?.branches) return this.#send(prompt);
    const isSame = text === prompt.input.text && !prompt.input.images;
    if (!isSame) return this.#sent(prompt, () => this.#chat.edit(id, prompt.input));
    return this.#sent(prompt, () => this.#chat.regenerate(id), id); // the message of the prompt stays
  }

  #sent({ id: messageId, input }: Prompt, send: () => ChatSend, shown?: string): Task {
    const outcome = this.#feed.send(send);
    if (!outcome.ok) throw outcome.error;
    this.#prompts.set(messageId, {
      id: shown ?? outcome.id,
      text: input.images ? undefined : input.text,
    });
    this.#course = undefined;
    return { sent: outcome.id, messageId };
  }

  /** An answer names what was shown, or does nothing. */
  #resume(entries: readonly ResumeEntry[], course: Course | undefined): Task | AgUiEvent {
    if (!course || !entries.some(({ interruptId }) => course.shown.has(interruptId))) {
      const unknown = entries.find(({ interruptId }) => !this.#everShown.has(interruptId));
      const open = [...(course?.shown ?? [])].filter((id) => course?.turn.waiting.has(id));
      return runRefused("interrupt-over", unknown ? unknownInterrupt(unknown.interruptId, open) : OVER);
    }
    const { turn, writer, shown } = course;
    const replies = new Map<string, () => ChatResult>();
    for (const entry of entries) {
      const { interruptId: id } = entry;
      const interrupt = writer.interrupts.get(id);
      if (!interrupt || !shown.has(id) || !turn.waiting.has(id) || replies.has(id)) continue;
      const isQuestion = interrupt.reason === "input_required";
      if (isQuestion) {
        const answer = answerIn(entry);
        replies.set(id, () => this.#chat.answer(id, answer));
      } else {
        const decision = decisionOf(entry);
        replies.set(id, () => this.#chat.decide(id, decision));
      }
    }
    for (const [id, reply] of replies) {
      const outcome = reply();
      if (!outcome.ok) throw outcome.error;
      turn.replied(id);
    }
    return course;
  }

  /** Writes until the turn ends or waits. Returns the run's last event. */
  async *#write(
    course: Course | AgUiEvent,
    run: AgUiRun,
    signal: AbortSignal,
  ): AsyncGenerator<AgUiEvent, AgUiEvent, undefined> {
    if ("type" in course) return course;
    if (this.#running === run) this.#course = course;
    const { turn, writer, shown } = course;
    const reading = turn.read(course.at, signal);
    for (;;) {
      const { done, value } = await reading.next();
      if (!done) {
        course.at++;
        if (value.type !== "turn.ended" && value.type !== "session.ended") {
          yield* writer.write(value);
          continue;
        }
        this.#forget(course);
        return yield* writer.end(run, value.type === "turn.ended" ? value.data.metadata : undefined);
      }
      if (value === "waiting") {
        const interrupts = [...writer.interrupts.values()].filter(({ id }) => turn.waiting.has(id));
        yield* writer.suspend();
        for (const { id } of interrupts) {
          shown.add(id);
          this.#everShown.set(id, true);
        }
        return agUi({ type: "RUN_FINISHED", ...run, outcome: { type: "interrupt", interrupts } });
      }
      this.#forget(course);
      return yield* writer.end(run, value === "aborted" ? { status: "cancelled" } : undefined);
    }
  }

  async #courseOf(
    { sent, messageId }: Extract<Task, { readonly sent: string }>,
    run: AgUiRun,
    signal: AbortSignal,
  ): Promise<Course | AgUiEvent> {
    const turn = await this.#feed.follow(sent, signal);
    if (turn instanceof FeedTurn) {
      const writer = new TurnWriter(turn.sessionId, turn.id);
      return { turn, writer, at: 0, messageId, shown: new Set() };
    }
    if (turn?.status !== "failed") return cancelled(run);
    const { title = "The prompt was not sent", detail = "", code = "unknown" } = turn.error ?? {};
    return runRefused(code, sentences(title, detail));
  }

  #forget(course: Course): void {
    if (this.#course === course) this.#course = undefined;
  }

  /** Cancels what a run has begun: its turn, or its prompt that waits. */
  #cancel(task: Task, run: AgUiRun): void {
    if (this.#running === run) this.#course = undefined;
    if ("sent" in task) this.#feed.cancelPrompt(task.sent);
    else this.#feed.cancelTurn(task.turn);
  }
}

const cancelled = (run: AgUiRun): AgUiEvent =>
  agUi({ type: "RUN_FINISHED", ...run, outcome: { type: "cancelled" } });
