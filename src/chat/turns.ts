// The prompts of a chat: the queue, cancelling, branches, and the client's reports.
import type { AnyAgentClient, AnyConversation, ConversationChoices } from "../core/client/any-client.ts";
import type { Clock } from "../core/clock.ts";
import { type AnyAgentwireError, ClosedError, InvalidInputError, UnsupportedError } from "../core/errors.ts";
import type { ConversationState } from "../core/turn/conversation.ts";
import type { UniversalEvent } from "../universal/events.ts";
import type { ChatMessage } from "../universal/transcript/message.ts";
import { ChatBackend } from "./backend.ts";
import { Branches } from "./branches.ts";
import type { ChatCancel } from "./chat.ts";
import type { ConnectionChange } from "./connection.ts";
import { Memory } from "./memory.ts";
import { approvalsOf, NO_PENDING, type PendingRequests } from "./pending.ts";
import { type ChatPrompt, messageOf, promptOf } from "./prompt.ts";
import type { ChatPrompts } from "./prompts.ts";
import { type PromptJob, PromptQueue, type QueuedPrompt } from "./queue.ts";
import { Sender, type TurnsHost } from "./sender.ts";
import type { ChatSessionHost } from "./session.ts";

/** The prompts of a chat. The client gets one at a time. The queued others survive the client. */
export class ChatTurns implements ChatSessionHost, ChatPrompts {
  readonly clock: Pick<Clock, "wallTime">;
  readonly #queue: PromptQueue;
  readonly #branches: Branches;
  readonly #host: TurnsHost;
  readonly #memory: Memory;
  readonly #backend: ChatBackend;
  readonly #sender: Sender;
  /** Whether the current events belong to a turn that was never sent. */
  #isHidden = false;
  /** Whether the chat connects as soon as it is open. */
  #connectsAtOnce = false;

  /** @param state the state that the backend's conversation continues from */
  constructor(host: TurnsHost, state: ConversationState | undefined) {
    this.#host = host;
    this.clock = host.clock;
    this.#queue = new PromptQueue(host);
    this.#memory = new Memory(state);
    this.#backend = new ChatBackend(host.source, host.universal, this, this.#memory);
    this.#branches = new Branches(host.timeline, this.#memory, this.#backend);
    this.#sender = new Sender({
      host,
      queue: this.#queue,
      memory: this.#memory,
      backend: this.#backend,
      branches: this.#branches,
      onForgotten: () => this.onForgotten(),
      onChange: () => this.#tell(),
    });
  }

  get client(): AnyAgentClient | undefined {
    return this.#backend.client;
  }

  get requests(): PendingRequests | undefined {
    return this.#backend.requests;
  }

  get isBusy(): boolean {
    return this.#sender.isBusy || this.#queue.anew !== undefined;
  }

  get list(): readonly QueuedPrompt[] {
    return this.#queue.list;
  }

  get hasNext(): boolean {
    return this.#queue.next !== undefined;
  }

  make(): void {
    this.#backend.make();
  }

  hold(messages: readonly ChatMessage[], isNew: boolean): void {
    if (messages.length === 0) return;
    const { timeline } = this.#host;
    const jobs = messages.flatMap((message): PromptJob[] => {
      const { id, startedAt: at } = message;
      if (timeline.isWaiting(id)) return [];
      timeline.wait(message);
      return [{ id, prompt: promptOf(message), at, isHeld: true, isLoaded: true }];
    });
    this.#queue.restore(jobs);
    if (isNew) for (const job of jobs) this.#queue.keep(job);
  }

  open(hasContext: boolean): void {
    if (hasContext) this.#memory.told();
    this.#sender.open();
    try {
      if (this.#connectsAtOnce) this.#backend.connect();
      else this.#backend.open();
    } finally {
      this.#sender.pump();
    }
  }

  send(job: PromptJob): AnyAgentwireError | undefined {
    this.#host.timeline.wait(messageOf(job.id, job.prompt, job.at));
    this.#queue.add(job);
    this.#sender.pump();
    this.#queue.keep(job);
    return job.error;
  }

  /** @throws InvalidInputError while another such prompt waits */
  sendAnew(job: PromptJob): AnyAgentwireError | undefined {
    if (this.#queue.anew)
      throw new InvalidInputError(
        "another prompt is already being regenerated or edited.",
        "Wait until it is sent, or cancel it.",
      );
    const { branch, id, prompt, at } = job;
    if (branch) this.#host.timeline.replace(branch);
    if (branch?.isEdit) this.#host.timeline.wait(messageOf(id, prompt, at));
    this.#queue.add(job);
    this.#cancelTurn();
    this.#sender.pump();
    return job.error;
  }

  promptOf(id: string, isEdit: boolean): ChatMessage {
    return this.#branches.promptOf(id, isEdit);
  }

  sendNow(id: string): void {
    const { jobs } = this.#queue;
    const job = this.#queue.get(id);
    const [first] = jobs;
    if (first && first !== job) this.#queue.move(id, first.id);
    this.#queue.release(id);
    this.#cancelTurn();
    this.#sender.pump();
  }

  select(id: string): void {
    if (this.isBusy || this.#host.timeline.transcript.turn)
      throw new InvalidInputError("a turn runs in this branch.", "Cancel it, or wait for its end.");
    const swaps = this.#branches.select(id);
    if (this.#memory.isMissing) this.onForgotten();
    else if (swaps.length > 0) this.#host.onConnection({ contextLost: false });
    this.#tell();
    const { hidden, shown } = swaps.at(-1) ?? {};
    if (hidden === undefined || shown === undefined) return;
    this.#host.onBranch(hidden, shown);
    this.#sender.pump();
  }

  converse(): AnyConversation | undefined {
    return this.#sender.isOpen ? this.#backend.converse() : undefined;
  }

  connect(): void {
    if (this.#sender.isOpen) this.#backend.connect();
    else this.#connectsAtOnce = true;
  }

  cancel(what: ChatCancel): void {
    const { anew, jobs } = this.#queue;
    if (what === "all") this.#takeBack(anew ? [anew, ...jobs] : jobs);
    this.#cancelTurn(typeof what === "object" ? what.turnId : undefined);
  }

  /**
   * Cancels the running turn: this chat's own, or another client's if the backend can. Does nothing if no turn runs.
   * @param turnId the id from the events. Undefined: any running turn
   * @throws InvalidInputError if this turn does not run; UnsupportedError if the client cannot cancel it
   */
  #cancelTurn(turnId?: string): void {
    const active = this.#sender.active;
    const { turn: open } = this.#host.timeline.transcript;
    const isOwn = active !== undefined && (!open || open.metadata?.prompt_id === active.job.id);
    if (turnId !== undefined && open?.id !== turnId)
      throw new InvalidInputError(
        "no turn with this id runs.",
        "The turn has ended. There is nothing to cancel.",
      );
    if (active && (isOwn || turnId === undefined)) active.cancel();
    else if (open && this.client?.cancel) this.client.cancel(open.id);
    else if (turnId !== undefined)
      throw new UnsupportedError(
        "this backend cannot cancel the turn of another client.",
        "Wait for its end.",
      );
  }

  takeBack(id: string): void {
    this.#takeBack([this.#queue.get(id)]);
  }

  edit(id: string, prompt: ChatPrompt): void {
    const { at } = this.#queue.get(id);
    this.#host.timeline.wait(messageOf(id, prompt, at));
    this.#queue.edit(id, prompt);
  }

  move(id: string, before: string | null): void {
    this.#queue.move(id, before);
  }

  #takeBack(jobs: readonly PromptJob[]): void {
    if (jobs.length === 0) return;
    for (const job of jobs) {
      this.#queue.take(job);
      this.#sender.end(job, { status: "cancelled" });
    }
    this.#tell(); // no event follows if no turn runs
  }

  resume(withTranscript: boolean): void {
    this.#queue.release();
    if (this.#memory.resume(withTranscript)) this.#host.onConnection({ contextLost: false });
    this.#sender.pump();
  }

  get isForgotten(): boolean {
    return this.#memory.isLost;
  }

  async close(): Promise<void> {
    this.#sender.stop();
    const delivery = "not-sent";
    this.#sender.handBack(
      new ClosedError("the chat was closed before the prompt was sent", { delivery }),
      true,
    );
    try {
      await this.#backend.close();
    } finally {
      this.#sender.close();
      this.#tell();
    }
  }

  onEvent(event: UniversalEvent, position?: string): void {
    const { timeline, view, log } = this.#host;
    const wasHidden = this.#isHidden;
    if (event.type === "turn.started" || event.type === "turn.ended") this.#see(event);
    const isShown = !wasHidden && !this.#isHidden;
    if (isShown) timeline.fold(event);
    if (event.type === "turn.started") view.tell({ state: this.#branches.state });
    log?.add(event);
    view.changed();
    if (isShown) view.show(event, position);
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

  onReset(saved: unknown): void {
    this.#isHidden = false;
    this.#host.onReset(saved);
  }

  onRequests(): void {
    this.#host.view.tellLater(() => ({
      pending: this.requests?.list ?? NO_PENDING,
      approvals: approvalsOf(this.client?.grants),
    }));
  }

  onForgotten(): void {
    this.#backend.forget();
    if (this.#memory.forget()) this.#host.onConnection({ contextLost: true });
    this.#tell();
  }

  onGivenUp(): void {
    if (this.#memory.isLost) return; // the prompts wait for `resume`
    const cause = this.client?.closedBy;
    const options = { delivery: "not-sent", cause } as const;
    this.#sender.handBack(
      new ClosedError("the connection ended for good before the prompt was sent", options),
      false,
    );
  }

  #see(event: Extract<UniversalEvent, { readonly type: "turn.started" | "turn.ended" }>): void {
    const active = this.#sender.active;
    active?.see(event);
    this.#isHidden = active?.isUnsent ?? false;
    if (active?.wasSent) this.#memory.told();
  }

  #tell(): void {
    this.#host.view.tell({ busy: this.isBusy, state: this.#branches.state });
    this.onRequests(); // a grant for the turn ends with the turn
  }
}
