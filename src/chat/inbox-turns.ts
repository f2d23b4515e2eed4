// The prompts of a chat whose backend keeps the queue (`PromptInbox`), for all viewers of the chat.
import type { AnyAgentClient, AnyConversation, ConversationChoices } from "../core/client/any-client.ts";
import type { InboxCommand, InboxPrompt, PromptInbox } from "../core/client/inbox.ts";
import type { Clock } from "../core/clock.ts";
import { type AnyAgentwireError, asAny, ClosedError, InvalidInputError, isOurs } from "../core/errors.ts";
import { randomId } from "../core/random-id.ts";
import type { ConversationState } from "../core/turn/conversation.ts";
import type { UniversalEvent } from "../universal/events.ts";
import type { ChatMessage } from "../universal/transcript/message.ts";
import { describeError } from "../universal/words/describe-error.ts";
import { ChatBackend } from "./backend.ts";
import type { ChatCancel } from "./chat.ts";
import type { ConnectionChange } from "./connection.ts";
import { Memory } from "./memory.ts";
import { approvalsOf, NO_PENDING, type PendingRequests } from "./pending.ts";
import { type ChatPrompt, messageOf, readPrompt, toInput } from "./prompt.ts";
import type { ChatPrompts } from "./prompts.ts";
import type { PromptJob, QueuedPrompt } from "./queue.ts";
import type { TurnsHost } from "./sender.ts";
import type { ChatSessionHost } from "./session.ts";

/**
 * The prompts of a chat whose backend keeps the queue. Each prompt goes to the inbox at once. Its message is `queued`
 * until an event of its turn shows it. Prompts of other viewers are messages too, as long as they are in the inbox.
 */
export class InboxTurns implements ChatSessionHost, ChatPrompts {
  readonly clock: Pick<Clock, "wallTime">;
  readonly #host: TurnsHost;
  readonly #memory: Memory;
  readonly #backend: ChatBackend;
  /** The prompts of this chat that have not started, by key. */
  readonly #own = new Map<string, PromptJob>();
  /** The keys of the shown prompts of other viewers. */
  readonly #others = new Set<string>();
  #inbox: PromptInbox | undefined;
  #offInbox: () => void = () => {};
  #seen: readonly InboxPrompt[] = [];
  #list: readonly QueuedPrompt[] = [];
  #isOpen = false;
  #connectsAtOnce = false;

  /** @param state the state that the backend's conversation continues from */
  constructor(host: TurnsHost, state: ConversationState | undefined) {
    this.#host = host;
    this.clock = host.clock;
    this.#memory = new Memory(state);
    this.#backend = new ChatBackend(host.source, host.universal, this, this.#memory);
  }

  get client(): AnyAgentClient | undefined {
    return this.#backend.client;
  }

  get requests(): PendingRequests | undefined {
    return this.#backend.requests;
  }

  get isBusy(): boolean {
    return this.#own.size > 0 || (this.#inbox?.isBusy ?? false);
  }

  get isForgotten(): boolean {
    return this.#inbox?.contextLost ?? false;
  }

  get list(): readonly QueuedPrompt[] {
    return this.#list;
  }

  get hasNext(): boolean {
    return this.#list.length > 0;
  }

  make(): void {
    this.#backend.make();
  }

  /** Does nothing: the inbox has the prompts of an earlier chat, if they were accepted. */
  hold(): void {}

  open(): void {
    this.#isOpen = true;
    if (this.#connectsAtOnce) this.connect();
    else this.#open();
  }

  converse(): AnyConversation | undefined {
    if (!this.#isOpen) return undefined;
    this.#open();
    return this.#backend.converse();
  }

  connect(): void {
    this.#connectsAtOnce = !this.#isOpen;
    if (!this.#isOpen) return;
    this.#open();
    this.#backend.connect();
  }

  /** The prompts that the backend has accepted stay there. */
  async close(): Promise<void> {
    this.#isOpen = false;
    try {
      await this.#backend.close();
    } finally {
      this.#offInbox();
      this.#inbox = undefined;
      this.#tell();
    }
  }

  send(job: PromptJob): AnyAgentwireError | undefined {
    this.#host.timeline.wait(messageOf(job.id, job.prompt, job.at));
    this.#own.set(job.id, job);
    try {
      const command: InboxCommand = { type: "prompt", input: toInput(job.prompt) };
      this.#open()
        .send(job.id, command)
        .then(
          (outcome) => this.#settled(job, outcome === "withdrawn" ? "cancelled" : undefined),
          (thrown: unknown) => this.#settled(job, "failed", thrown),
        );
      this.#sync();
    } catch (thrown) {
      this.#settled(job, "failed", thrown);
    }
    return job.error;
  }

  sendAnew({ id, branch, prompt }: PromptJob): undefined {
    if (!branch) return;
    const { prompt: message_id, isEdit } = branch;
    const command: InboxCommand = isEdit
      ? { type: "edit", message_id, input: toInput(prompt) }
      : { type: "regenerate", message_id };
    this.#command(command, id);
  }

  promptOf(id: string, isEdit: boolean): ChatMessage {
    const { timeline } = this.#host;
    const prompt = timeline.isWaiting(id) ? undefined : timeline.promptOf(id);
    if (prompt && (!isEdit || prompt.id === id)) return prompt;
    throw new InvalidInputError(
      isEdit
        ? "no sent message of the user has this id."
        : "no prompt with this id was sent, and no answer has it.",
      "Pass the id of a message in the newest snapshot.",
    );
  }

  select(message_id: string): void {
    this.#command({ type: "select_branch", message_id });
  }

  /** Names what it cancels: what the user has seen running, even if another turn runs by then. */
  cancel(what: ChatCancel): void {
    const { session, turn } = this.#host.timeline.transcript;
    const turnId = typeof what === "object" ? what.turnId : undefined;
    if (turnId !== undefined && turn?.id !== turnId)
      throw new InvalidInputError(
        "no turn with this id runs.",
        "The turn has ended. There is nothing to cancel.",
      );
    if (what === "all") for (const { id } of this.#list) this.#command({ type: "withdraw", target: id });
    if (turn && session.state !== "none") {
      this.#command({ type: "cancel", target: { session_id: session.id, turn_id: turn.id } });
      return;
    }
    const first = this.isForgotten || what === "all" ? undefined : this.#seen[0];
    const starting = this.#seen.find(({ isTaken }) => isTaken) ?? first;
    if (starting) this.#command({ type: "cancel", target: starting.key });
  }

  takeBack(id: string): void {
    this.#command({ type: "withdraw", target: this.#find(id).key });
  }

  edit(id: string, prompt: ChatPrompt): void {
    this.#command({ type: "edit_queued", target: this.#find(id).key, input: toInput(prompt) });
  }

  move(id: string, before: string | null): void {
    if (before !== null) this.#find(before);
    this.#command({ type: "move_queued", target: this.#find(id).key, before });
  }

  sendNow(id: string): void {
    this.#command({ type: "send_now", target: this.#find(id).key });
  }

  resume(withTranscript: boolean): void {
    if (this.isForgotten)
      this.#command({ type: "resume", how: withTranscript ? "with-transcript" : "without-context" });
  }

  onEvent(event: UniversalEvent, position?: string): void {
    const { timeline, view, log } = this.#host;
    timeline.fold(event);
    log?.add(event);
    this.onRequests(); // also notes the state
    view.show(event, position);
  }

  onReset(saved: unknown): void {
    this.#host.onReset(saved);
  }

  onConnection(change: ConnectionChange): void {
    this.#host.onConnection(change);
  }

  onChoices(session: ConversationChoices | undefined): void {
    this.#host.view.tellChoices(session);
  }

  onReplay(isReplaying: boolean): void {
    this.#host.onReplay(isReplaying);
  }

  onRequests(): void {
    this.#host.view.tellLater(() => ({
      pending: this.requests?.list ?? NO_PENDING,
      approvals: approvalsOf(this.client?.grants),
      state: this.#backend.state ?? this.#memory.state,
    }));
  }

  /** Does nothing: the inbox says whether the backend has forgotten the conversation. */
  onForgotten(): void {}

  /** The next client tells everything again: the prompts that the backend has may have run by then. */
  onGivenUp(): void {
    this.#memory.goTo(undefined);
  }

  /** Creates a missing client, and follows its inbox. */
  #open(): PromptInbox {
    this.#backend.open();
    const inbox = this.client?.inbox;
    if (!inbox) throw new Error("the source has `hasInbox`, but its client has no `inbox`");
    if (inbox === this.#inbox) return inbox;
    this.#offInbox();
    this.#inbox = inbox;
    if (this.#memory.state === undefined) this.#host.onReset(undefined); // all events follow
    this.#offInbox = inbox.onChange((refused) => {
      this.#sync();
      if (refused) this.#host.onFailed(refused);
    });
    this.#sync();
    return inbox;
  }

  #command(command: InboxCommand, key = randomId("cmd")): void {
    this.#open()
      .send(key, command)
      .catch((thrown: unknown) => {
        if (this.#isOpen) this.#host.onFailed(asError(thrown));
      });
    this.#sync();
  }

  #find(id: string): InboxPrompt {
    const prompt = this.#list.some((each) => each.id === id)
      ? this.#seen.find(({ key }) => key === id)
      : undefined;
    if (prompt) return prompt;
    throw new InvalidInputError(
      "no prompt with this id waits: it was sent, or taken back.",
      "Pass the id of an entry of `queue` in the newest snapshot.",
    );
  }

  /** Shows the end of a prompt without a turn. An event shows all others. */
  #settled(job: PromptJob, end: "cancelled" | "failed" | undefined, thrown?: unknown): void {
    const { timeline } = this.#host;
    this.#own.delete(job.id);
    if (end && timeline.isWaiting(job.id)) {
      if (end === "failed") job.error = asError(thrown);
      const why = job.error ? { error: describeError(job.error) } : {};
      timeline.end(job.id, { status: end, ...why, endedAt: this.clock.wallTime() });
    }
    this.#tell();
  }

  /** Shows the inbox. */
  #sync(): void {
    const { prompts = [], contextLost = false } = this.#inbox ?? {};
    if (prompts !== this.#seen) this.#show(prompts);
    this.#host.onConnection({ contextLost }); // also reads the capabilities, which change with the backend
    this.#tell();
  }

  #show(prompts: readonly InboxPrompt[]): void {
    const { timeline } = this.#host;
    const before = new Map(this.#seen.map((prompt) => [prompt.key, prompt]));
    const list: QueuedPrompt[] = [];
    this.#seen = prompts;
    for (const prompt of prompts) {
      const { key, at, isTaken, error } = prompt;
      const read = readInput(prompt);
      if (!read) continue;
      const isNew = !before.has(key) && !timeline.has(key);
      if (isNew) this.#others.add(key);
      if (isNew || (before.get(key) !== prompt && timeline.isWaiting(key)))
        timeline.wait(messageOf(key, read, at));
      if (error && timeline.isWaiting(key))
        timeline.end(key, { status: "failed", error: describeError(error) });
      if (!isTaken && !error) list.push({ id: key, input: toInput(read), at });
    }
    const kept = new Set(prompts.map(({ key }) => key));
    for (const key of this.#others) {
      if (kept.has(key)) continue;
      this.#others.delete(key);
      if (timeline.isWaiting(key)) timeline.drop(key); // withdrawn: a later viewer does not see it either
    }
    this.#list = list;
    this.#host.onQueue(list);
  }

  #tell(): void {
    this.#host.view.tell({ busy: this.isBusy });
    this.onRequests();
  }
}

/** Undefined for a prompt that this chat cannot show. */
function readInput({ input }: InboxPrompt): ChatPrompt | undefined {
  try {
    return readPrompt(input);
  } catch {
    return undefined;
  }
}

function asError(thrown: unknown): AnyAgentwireError {
  if (isOurs(thrown)) return asAny(thrown);
  return new ClosedError("the prompt could not be sent", { cause: thrown, delivery: "unknown" });
}
