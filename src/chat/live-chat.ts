// The chat itself: its public functions, over the prompts, the messages and the store.
import { describe, isObject } from "../core/checks.ts";
import type { Capabilities } from "../core/client/agent-client.ts";
import type { AnyAgentClient } from "../core/client/any-client.ts";
import { deferred } from "../core/deferred.ts";
import { asyncDispose } from "../core/dispose.ts";
import { type AnyAgentwireError, ClosedError, InvalidInputError, isAgentwireError } from "../core/errors.ts";
import { checkName } from "../core/names.ts";
import type { Unsubscribe } from "../core/tell/events.ts";
import type { FilesOptions } from "../core/turn/prompt-files.ts";
import type { PromptInput } from "../core/turn/prompt-input.ts";
import type { Answer, Decision } from "../core/values.ts";
import type { AgentSource, EventListener } from "../universal/stream.ts";
import type { Chat, ChatCancel, ChatFiles, ChatResume, ChatSend } from "./chat.ts";
import { checkEntryId, checkWord } from "./checks.ts";
import { choose, completions } from "./choices.ts";
import { type ConnectionChange, NO_CONNECTION, stepConnection } from "./connection.ts";
import { InboxTurns } from "./inbox-turns.ts";
import type { ChatSettings } from "./options.ts";
import { OwnEvents } from "./own-events.ts";
import { NO_APPROVALS, NO_PENDING } from "./pending.ts";
import { type ChatResult, OK, Problem } from "./problem.ts";
import { readPrompt } from "./prompt.ts";
import type { ChatPrompts } from "./prompts.ts";
import type { QueueChange, QueuedPrompt } from "./queue.ts";
import { wasSaid } from "./saving/recap.ts";
import { readSaved } from "./saving/saved.ts";
import type { TurnsHost } from "./sender.ts";
import type { ChatSnapshot } from "./snapshot.ts";
import { ChatLog } from "./store/chat-log.ts";
import { Timeline } from "./timeline.ts";
import { ChatTurns } from "./turns.ts";
import { View } from "./view.ts";
import { Wishes } from "./wishes.ts";

/** loading ──the store has loaded, or failed──▶ open ──close()──▶ closed. Without a store: open at first. */
type Phase =
  | { readonly name: "loading" }
  | { readonly name: "open" }
  | { readonly name: "closed"; readonly done: Promise<void> };

/** A chat over one source. `ChatTurns` has the prompts and the client, `Timeline` the messages. */
export class LiveChat implements Chat, TurnsHost {
  readonly source: AgentSource;
  readonly universal: ChatSettings["universal"];
  readonly clock: ChatSettings["clock"];
  readonly timeline: Timeline;
  readonly view: View;
  readonly getSnapshot: () => ChatSnapshot;
  readonly #turns: ChatPrompts;
  readonly #wishes: Wishes;
  readonly log: ChatLog | undefined;
  readonly #own: OwnEvents;
  readonly #problem: Problem;
  #phase: Phase = { name: "open" };
  #isReplaying = false;

  /** @throws InvalidInputError for a `from` that is not a saved chat, and for wrong options of the source */
  constructor(source: AgentSource, settings: ChatSettings) {
    const from = settings.from === undefined ? undefined : readSaved(settings.from);
    const { clock, universal, stored, onListenerError } = settings;
    this.source = source;
    this.universal = universal;
    this.clock = clock;
    const state = from?.source === source.name ? from.state : undefined;
    this.timeline = new Timeline(from && state === undefined ? { ...from, states: new Map() } : (from ?? {}));
    this.view = new View(this.timeline, source.name, { ...NOTHING_YET, state }, onListenerError);
    this.getSnapshot = this.view.getSnapshot;
    this.#problem = new Problem((problem) => this.view.tell({ problem }));
    this.#own = new OwnEvents(clock);
    this.#turns = source.hasInbox ? new InboxTurns(this, state) : new ChatTurns(this, state);
    this.#wishes = new Wishes(settings, this.timeline, this.view, this.#turns);
    if (stored) this.log = new ChatLog(stored, this.#own, clock, this.#problem, () => void this.close());
    this.#make();
    this.#turns.hold(from?.queue ?? [], true);
    if (this.log && !from) void this.#load(this.log);
    else this.#open();
  }

  readonly subscribe = (listener: () => void): Unsubscribe =>
    this.#listen(listener, () => this.view.subscribe(listener));

  readonly on: Chat["on"] = (name: "event" | "reset", listener: EventListener): Unsubscribe =>
    this.#listen(listener, () => {
      checkName(name, { event: true, reset: true }, "event");
      if (name === "event") return this.view.listen(listener);
      return this.view.listenToResets(listener as () => void); // as the overload says
    });

  readonly send = (input: string | PromptInput): ChatSend =>
    this.#ask(() => this.#wishes.send(readPrompt(input)));

  readonly retry = (messageId: string): ChatSend => this.#ask(() => this.#wishes.retry(messageId));

  readonly regenerate = (messageId: string): ChatSend =>
    this.#ask(() => this.#wishes.sendAnew(messageId, undefined));

  readonly edit = (messageId: string, input: string | PromptInput): ChatSend =>
    this.#ask(() => this.#wishes.sendAnew(messageId, readPrompt(input)));

  readonly selectBranch = (messageId: string): ChatResult =>
    this.#call(() => {
      this.#wishes.assertBranches();
      this.#turns.select(messageId);
    });

  readonly unqueue = (id: string): ChatResult => this.#call(() => this.#turns.takeBack(id));

  readonly editQueued = (id: string, input: string | PromptInput): ChatResult =>
    this.#call(() => {
      const prompt = readPrompt(input);
      this.#wishes.assertTakes(prompt);
      this.#turns.edit(id, prompt);
    });

  readonly moveQueued = (id: string, before: string | null): ChatResult =>
    this.#call(() => {
      if (before !== null && typeof before !== "string")
        throw new InvalidInputError(
          `the place is ${describe(before)}.`,
          "Pass the id of the prompt to move in front of, or null for the end.",
        );
      this.#turns.move(id, before);
    });

  readonly sendNow = (id: string): ChatResult => this.#call(() => this.#turns.sendNow(id));

  readonly cancel = (what: ChatCancel = "turn"): ChatResult =>
    this.#problem.try(() => {
      const turnId = isObject(what) ? what["turnId"] : undefined;
      if (typeof turnId !== "string") checkWord(what, "turn", "all");
      this.#turns.cancel(what);
      return OK;
    });

  readonly decide = (id: string, decision: Decision): ChatResult =>
    this.#reply(id, (client, requestId) => client.decide(requestId, decision));

  readonly answer = (id: string, answer: Answer): ChatResult =>
    this.#reply(id, (client, requestId) => client.answer(requestId, answer));

  readonly revoke = (id: string): ChatResult =>
    this.#problem.try(() => {
      checkEntryId(id, "approvals");
      if (this.#turns.client?.revoke(id)) this.#turns.onRequests();
      return OK;
    });

  readonly setMode = (id: string): Promise<ChatResult> => this.#choose("modes", id);

  readonly setModel = (id: string): Promise<ChatResult> => this.#choose("models", id);

  readonly files = (prefix: string, options: FilesOptions = {}): Promise<ChatFiles> =>
    completions(this.#turns, prefix, options);

  readonly connect = (): ChatResult =>
    this.#call(() => {
      this.#turns.connect();
      this.#see();
    });

  readonly resume = (how?: ChatResume): ChatResult =>
    this.#call(() => {
      if (how !== undefined || this.#turns.isForgotten) checkWord(how, "without-context", "with-transcript");
      this.#turns.resume(how === "with-transcript");
    });

  readonly dismiss = (): void => this.#problem.dismiss();

  readonly close = (): Promise<void> => {
    if (this.#phase.name === "closed") return this.#phase.done;
    const done = deferred<void>();
    this.#phase = { name: "closed", done: done.promise };
    void this.#close().then(done.resolve);
    return done.promise;
  };

  [asyncDispose](): Promise<void> {
    return this.close();
  }

  onConnection(change: ConnectionChange): void {
    this.view.tell({ connection: stepConnection(this.view.told.connection, change) });
    this.#see();
  }

  onReplay(isReplaying: boolean): void {
    this.#isReplaying = isReplaying;
    this.#tellLoading();
  }

  onReset(saved: unknown): void {
    try {
      this.timeline.reset(saved === undefined ? {} : readSaved(saved));
    } catch (error) {
      this.timeline.reset({}); // the later events are shown
      this.#problem.failed("call", error);
    }
    this.view.reset();
  }

  onBranch(hidden: string, shown: string): void {
    for (const event of this.#own.branch(hidden, shown)) {
      this.timeline.fold(event);
      this.log?.add(event);
      this.view.show(event);
    }
  }

  onQueue(queue: readonly QueuedPrompt[]): void {
    this.timeline.order(queue.map(({ id }) => id));
    this.view.tell({ queue });
  }

  onQueueChange(change: QueueChange): void {
    this.log?.addQueueChange(change);
  }

  onFailed(error: AnyAgentwireError): void {
    this.#problem.failed("call", error);
  }

  #listen(listener: unknown, listen: () => Unsubscribe): Unsubscribe {
    try {
      if (typeof listener === "function") return listen();
      throw new InvalidInputError(`the listener is ${describe(listener)}.`, "Pass a function.");
    } catch (error) {
      this.#problem.failed("call", error);
      return () => {};
    }
  }

  /** Replies to a pending request. An unknown id is a request that has ended: nothing happens. */
  #reply(id: string, reply: (client: AnyAgentClient, requestId: string) => unknown): ChatResult {
    return this.#problem.try(() => {
      checkEntryId(id, "pending");
      const { client, requests } = this.#turns;
      const requestId = requests?.requestOf(id);
      if (client && requestId !== undefined) reply(client, requestId);
      return OK;
    });
  }

  /** Sends a prompt, if the chat is open. */
  #ask(send: () => ChatSend): ChatSend {
    return this.#problem.try(() => {
      this.#assertOpen();
      const outcome = send();
      this.#see();
      return outcome;
    });
  }

  #choose(what: "modes" | "models", id: string): Promise<ChatResult> {
    return this.#problem.tryLater(async () => {
      this.#assertOpen();
      const session = await choose(this.#turns, what, id);
      if (session) this.view.tellChoices(session);
      this.#see();
    });
  }

  /** Changes the chat, if it is open. */
  #call(change: () => void): ChatResult {
    return this.#problem.try(() => {
      this.#assertOpen();
      change();
      return OK;
    });
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
      // Other failures may be temporary: `#open` tries again, and shows them.
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

  async #load(log: ChatLog): Promise<void> {
    this.#phase = { name: "loading" };
    this.#tellLoading();
    const isWanted = (): boolean => this.#phase.name === "loading"; // false once the chat is closed
    try {
      const { restored, started, waiting } = await log.load();
      if (isWanted()) {
        this.timeline.restore(restored, started);
        this.#turns.hold(waiting, false);
      }
    } catch (error) {
      if (isWanted()) this.#problem.failed("store", error);
    }
    if (!isWanted()) return;
    this.#phase = { name: "open" };
    this.#tellLoading();
    this.#open();
  }

  async #close(): Promise<void> {
    this.#tellLoading();
    try {
      await this.#turns.close();
    } catch (error) {
      this.#problem.failed("call", error);
    }
    this.onConnection({ status: "closed" });
    await this.log?.close();
    this.view.changed();
  }

  #tellLoading(): void {
    const isOpen = this.#phase.name !== "closed";
    this.view.tell({ loading: isOpen && (this.#phase.name === "loading" || this.#isReplaying) });
  }

  /** Reads the client's capabilities and requests, which change without an event. */
  #see(): void {
    const { client } = this.#turns;
    this.view.tell({ capabilities: sameCapabilities(this.view.told.capabilities, client?.capabilities) });
    this.#turns.onRequests();
  }
}

const NOTHING_YET = {
  connection: NO_CONNECTION,
  pending: NO_PENDING,
  approvals: NO_APPROVALS,
  capabilities: undefined,
  loading: false,
  busy: false,
  queue: [],
  problem: undefined,
} as const;

/** Returns `before` if nothing has changed, because clients make a new object at each read. */
function sameCapabilities(
  before: Capabilities | undefined,
  now: Capabilities | undefined,
): Capabilities | undefined {
  if (!before || !now) return now ?? before;
  const known = new Map<string, unknown>(Object.entries(before));
  return Object.entries(now).every(([name, value]) => known.get(name) === value) ? before : now;
}
