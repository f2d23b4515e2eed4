import { describe } from "../core/checks.ts";
import type { AnyAgentClient } from "../core/client/any-client.ts";
import type { Unsubscribe } from "../core/client/events.ts";
import { asyncDispose } from "../core/dispose.ts";
import {
  type AnyAgentwireError,
  ClosedError,
  InvalidInputError,
  isAgentwireError,
  QueueFullError,
  UnsupportedError,
} from "../core/errors.ts";
import type { PromptInput } from "../core/turn/prompt-input.ts";
import type { Answer, Decision } from "../core/values.ts";
import type { UniversalEvent } from "../universal/events.ts";
import type { AgentSource } from "../universal/stream.ts";
import { emptyList } from "../universal/transcript/list.ts";
import { Approvals } from "./approvals.ts";
import { sameCapabilities } from "./capabilities.ts";
import type { Chat, ChatCancel, ChatResume, ChatSend } from "./chat.ts";
import { type ChatConnection, type ConnectionChange, NO_CONNECTION, stepConnection } from "./connection.ts";
import { Notifier } from "./notifier.ts";
import type { ChatSettings } from "./options.ts";
import { NO_PENDING } from "./pending.ts";
import { type ChatResult, OK, Problem } from "./problem.ts";
import { type ChatPrompt, messageOf, promptOf, readPrompt } from "./prompt.ts";
import { wasSaid } from "./saving/recap.ts";
import { readSaved } from "./saving/saved.ts";
import { type ChatSnapshot, snapshotOf } from "./snapshot.ts";
import { loadMessages } from "./store/load.ts";
import { StoreWriter, storeError } from "./store/store-writer.ts";
import { Timeline } from "./timeline.ts";
import { Turns, type TurnsHost } from "./turns.ts";

/** loading ──the store has answered, or failed──▶ open ──close()──▶ closed. Without a store, a chat begins as open. */
type Phase =
  | { readonly name: "loading" }
  | { readonly name: "open" }
  | { readonly name: "closed"; readonly done: Promise<void> };

/** A chat over one source. The prompts, the client and its conversation are in `Turns`, the messages in `Timeline`. */
export class LiveChat implements Chat, TurnsHost {
  readonly source: AgentSource;
  readonly universal: ChatSettings["universal"];
  readonly clock: ChatSettings["clock"];
  readonly timeline: Timeline;
  readonly #settings: ChatSettings;
  readonly #turns: Turns;
  readonly #notifier: Notifier;
  readonly #writer: StoreWriter | undefined;
  readonly #problem = new Problem(() => this.changed());
  readonly #approvals = new Approvals();
  #phase: Phase = { name: "open" };
  #connection: ChatConnection = NO_CONNECTION;
  #capabilities: ChatSnapshot["capabilities"];
  #snapshot: ChatSnapshot | undefined;
  /** Whether something may have changed since `#snapshot`. */
  #isStale = true;

  /** @throws InvalidInputError for a `from` that no chat has saved, and for options of the source that cannot work. */
  constructor(source: AgentSource, settings: ChatSettings) {
    const from = settings.from === undefined ? undefined : readSaved(settings.from);
    const { clock, universal, stored, onListenerError } = settings;
    this.source = source;
    this.universal = universal;
    this.clock = clock;
    this.#settings = settings;
    this.timeline = new Timeline(from?.messages ?? emptyList(), from?.totals ?? { usage: {}, cost: [] });
    this.#notifier = new Notifier(onListenerError);
    const state = from?.source === source.name ? from.state : undefined;
    this.#turns = new Turns(this, state);
    if (stored) {
      const onFailed = (error: unknown): void => this.#problem.failed("store", error);
      this.#writer = new StoreWriter({
        ...stored,
        clock,
        onFailed,
        onSaved: () => this.#problem.worked("store"),
      });
    }
    this.#make();
    if (stored && !from) void this.#load(stored);
    else this.#open();
  }

  readonly subscribe = (listener: () => void): Unsubscribe => {
    if (typeof listener === "function") return this.#notifier.subscribe(listener);
    this.#problem.failed(
      "call",
      new InvalidInputError(`the listener is ${describe(listener)}.`, "Pass a function."),
    );
    return () => {};
  };

  readonly getSnapshot = (): ChatSnapshot => {
    if (this.#isStale || !this.#snapshot) {
      this.#isStale = false;
      this.#snapshot = this.#look();
    }
    return this.#snapshot;
  };

  readonly send = (input: string | PromptInput): ChatSend => this.#try(() => this.#send(readPrompt(input)));

  readonly retry = (messageId: string): ChatSend =>
    this.#try(() => {
      if (this.timeline.isWaiting(messageId))
        throw new InvalidInputError("the message waits to be sent.", "Wait for its turn, or cancel it.");
      const message = this.timeline.promptOf(messageId);
      if (message) return this.#send(promptOf(message));
      throw new InvalidInputError(
        "no prompt and no answer has this id.",
        "Pass the id of a message in the snapshot.",
      );
    });

  readonly cancel = (what: ChatCancel = "turn"): ChatResult =>
    this.#try(() => {
      checkWord(what, "turn", "all");
      if (what === "all") this.#turns.cancelWaiting();
      this.#turns.cancelTurn();
      return OK;
    });

  readonly decide = (id: string, decision: Decision): ChatResult =>
    this.#reply(id, (client, requestId) => client.decide(requestId, decision));

  readonly answer = (id: string, answer: Answer): ChatResult =>
    this.#reply(id, (client, requestId) => client.answer(requestId, answer));

  readonly revoke = (id: string): ChatResult =>
    this.#try(() => {
      if (typeof id !== "string")
        throw new InvalidInputError(`the id is ${describe(id)}.`, "Pass the id of an entry of `approvals`.");
      if (this.#turns.client?.revoke(id)) this.changed();
      return OK;
    });

  readonly connect = (): ChatResult =>
    this.#try(() => {
      this.#assertOpen();
      this.#turns.connect();
      this.#see();
      return OK;
    });

  readonly resume = (how: ChatResume): ChatResult =>
    this.#try(() => {
      checkWord(how, "without-context", "with-transcript");
      this.#assertOpen();
      this.#turns.resume(how === "with-transcript");
      return OK;
    });

  readonly dismiss = (): void => this.#problem.dismiss();

  readonly close = (): Promise<void> => {
    if (this.#phase.name !== "closed") this.#phase = { name: "closed", done: this.#close() };
    return this.#phase.done;
  };

  [asyncDispose](): Promise<void> {
    return this.close();
  }

  onEvent(event: UniversalEvent): void {
    this.#writer?.add(event);
  }

  onConnection(change: ConnectionChange): void {
    this.#connection = stepConnection(this.#connection, change);
    this.#see();
  }

  changed(): void {
    this.#isStale = true;
    this.#notifier.changed();
  }

  #look(): ChatSnapshot {
    const { messages, transcript } = this.timeline;
    const { usage, cost, plan, context, modes, models, commands, turn } = transcript;
    const { queued, isBusy, state } = this.#turns;
    const parts = {
      messages,
      connection: this.#connection,
      pending: this.#turns.requests?.list ?? NO_PENDING,
      approvals: this.#approvals.listFor(this.#turns.client?.grants),
      usage,
      cost,
      plan,
      context,
      modes,
      models,
      commands,
      capabilities: this.#capabilities,
      loading: this.#phase.name === "loading",
      busy: isBusy || turn !== null,
      queued,
      problem: this.#problem.shown,
      state,
    };
    return snapshotOf(parts, this.source.name, this.#snapshot);
  }

  #send(prompt: ChatPrompt): ChatSend {
    this.#assertOpen();
    const { whenBusy, maxQueued, newId } = this.#settings;
    const turns = this.#turns;
    const limit = whenBusy === "queue" ? maxQueued : 0;
    const waits = turns.isBusy || turns.queued > 0;
    if (waits && turns.queued >= limit) throw new QueueFullError("turns", turns.queued + 1, limit);
    if (prompt.images.length > 0 && this.#capabilities?.images === false)
      throw new UnsupportedError("this backend takes no pictures.", "Leave `images` out.");
    const id: unknown = newId();
    if (typeof id !== "string" || id === "" || this.timeline.isWaiting(id))
      throw new InvalidInputError(`\`newId\` gave ${describe(id)}.`, "It must give a new text at each call.");
    this.timeline.wait(messageOf(id, prompt, this.clock.wallTime()));
    const error = turns.send(id, prompt);
    this.#see();
    return error ? { ok: false, error, id } : { ok: true, id };
  }

  /** Replies to what waits under this id. Anything else was settled, perhaps under an earlier client: nothing follows. */
  #reply(id: string, reply: (client: AnyAgentClient, requestId: string) => unknown): ChatResult {
    return this.#try(() => {
      if (typeof id !== "string")
        throw new InvalidInputError(`the id is ${describe(id)}.`, "Pass the id of an entry of `pending`.");
      const { client, requests } = this.#turns;
      const requestId = requests?.requestOf(id);
      if (client && requestId !== undefined) reply(client, requestId);
      return OK;
    });
  }

  /** Calls `call`. Its failure becomes the problem in the snapshot. */
  #try<Result extends ChatResult>(
    call: () => Result,
  ): Result | { readonly ok: false; readonly error: AnyAgentwireError } {
    try {
      const result = call();
      // The message of a failure with an id shows it, in place of an earlier problem.
      if (result.ok || "id" in result) this.#problem.worked("call");
      else this.#problem.failed("call", result.error);
      return result;
    } catch (thrown) {
      const error = isAgentwireError(thrown)
        ? thrown
        : new InvalidInputError("the call failed.", "See `cause`.", { cause: thrown });
      this.#problem.failed("call", error);
      return { ok: false, error };
    }
  }

  #assertOpen(): void {
    if (this.#phase.name === "closed")
      throw new ClosedError("the chat was closed; make a new one", { delivery: "not-sent" });
  }

  #make(): void {
    try {
      this.#turns.make();
    } catch (error) {
      if (isAgentwireError(error, "invalid-input")) throw error;
      // Another failure may pass: `#open` tries again, and shows it.
    }
  }

  #open(): void {
    try {
      this.#turns.open(this.timeline.told.toArray().some(wasSaid));
    } catch (error) {
      this.#problem.failed("call", error);
    }
    this.#see();
  }

  async #load({ store, id }: NonNullable<ChatSettings["stored"]>): Promise<void> {
    this.#phase = { name: "loading" };
    const isWanted = (): boolean => this.#phase.name === "loading"; // not once the chat is closed
    try {
      const { messages, totals } = loadMessages(await store.load(id));
      if (isWanted()) this.timeline.restore(messages, totals);
    } catch (error) {
      if (isWanted()) this.#problem.failed("store", storeError(error, "load", id));
    }
    if (!isWanted()) return;
    this.#phase = { name: "open" };
    this.#open();
  }

  async #close(): Promise<void> {
    this.changed();
    try {
      await this.#turns.close();
    } catch (error) {
      this.#problem.failed("call", error);
    }
    this.onConnection({ type: "status", status: "closed" });
    await this.#writer?.close();
    this.changed();
  }

  /** Looks again at what a client tells without an event, and at a new client. */
  #see(): void {
    this.#capabilities = sameCapabilities(this.#capabilities, this.#turns.client?.capabilities);
    this.changed();
  }
}

function checkWord(word: unknown, ...words: readonly string[]): void {
  if (typeof word === "string" && words.includes(word)) return;
  const hint = `Pass one of ${words.map((known) => `"${known}"`).join(", ")}.`;
  throw new InvalidInputError(`the choice is ${describe(word)}.`, hint);
}
