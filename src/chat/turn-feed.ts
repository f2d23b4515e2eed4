// The events of a chat's turns, kept for adapters whose streams end while the turn waits for the user.
import { deferred } from "../core/deferred.ts";
import type { Unsubscribe } from "../core/tell/events.ts";
import type { TurnStarted, UniversalEvent } from "../universal/events.ts";
import { StreamLog } from "../universal/listen/log.ts";
import type { List } from "../universal/transcript/list.ts";
import type { ChatMessage } from "../universal/transcript/message.ts";
import type { ErrorDescription } from "../universal/words/error-description.ts";
import type { Chat, ChatSend } from "./chat.ts";

/** 64 MiB, about: as much of one turn as universal streams keep. */
export const MAX_TURN_BYTES = 64 * 1024 * 1024;

/** How the reading of a turn ended. `waiting`: everything was read, and the agent waits for the user. */
export type FeedEnd = "over" | "waiting" | "aborted";

/** The end of a prompt that has no turn: it was refused, withdrawn, or could not be sent. */
export interface Unsent {
  readonly status: "failed" | "cancelled";
  readonly error?: ErrorDescription;
}

/** One turn of a chat, with all of its events so far. */
export class FeedTurn {
  readonly id: string;
  readonly sessionId: string;
  /** The id of the prompt's message. Undefined for a turn that this chat did not ask for. */
  readonly promptId: string | undefined;
  readonly #log = new StreamLog(MAX_TURN_BYTES);
  readonly #waiting = new Set<string>();
  readonly #shown = new Set<string>();
  readonly #over = deferred<void>();
  #shownAt = 0;
  readonly #takesAnswers: boolean;

  /** @param takesAnswers whether the chat can answer questions. Otherwise no question waits */
  constructor({ session_id, data }: TurnStarted, takesAnswers = true) {
    this.#takesAnswers = takesAnswers;
    this.id = data.turn_id;
    this.sessionId = session_id;
    this.promptId = data.metadata?.prompt_id;
  }

  get isOver(): boolean {
    return this.#log.isEnded;
  }

  /** Resolves once no event follows. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** The ids of the approvals and questions that wait for the user, without those that were replied to. */
  get waiting(): ReadonlySet<string> {
    return this.#waiting;
  }

  /**
   * The user has decided or answered: reading no longer ends at this request. Call it after `chat.decide` or
   * `chat.answer`, because the event that resolves the request may come later.
   */
  replied(id: string): void {
    this.#waiting.delete(id);
  }

  /** An adapter has read `at` events, and its user sees the requests that wait. */
  show(at: number): void {
    for (const id of this.#waiting) this.#shown.add(id);
    this.#shownAt = at;
  }

  /** Whether a user has seen this request, by any adapter of the chat. */
  hasShown(id: string): boolean {
    return this.#shown.has(id);
  }

  /** The events that an adapter had read at the last `show`. @throws BufferOverflowError if they are no longer kept */
  shownEvents(): UniversalEvent[] {
    return Array.from({ length: this.#shownAt }, (_, at) => this.#log.get(at)).filter((event) => !!event);
  }

  add(event: UniversalEvent): void {
    if (event.type === "permission.requested") this.#waiting.add(event.data.permission_id);
    if (event.type === "permission.resolved") this.#waiting.delete(event.data.permission_id);
    if (event.type === "question.requested" && this.#takesAnswers) this.#waiting.add(event.data.question_id);
    if (event.type === "question.resolved") this.#waiting.delete(event.data.question_id);
    this.#log.keep(event);
    if (event.type === "turn.ended" || event.type === "session.ended") this.end();
    this.#log.wake();
  }

  /** No event follows. */
  end(): void {
    this.#log.end();
    this.#over.resolve();
  }

  /**
   * Reads the events after the first `after`, then new ones. Returns once the turn is over, the agent waits for the
   * user, or `signal` aborts.
   * @throws BufferOverflowError if the next event is no longer kept
   */
  async *read(after = 0, signal?: AbortSignal): AsyncGenerator<UniversalEvent, FeedEnd, undefined> {
    const wake = (): void => this.#log.wake();
    signal?.addEventListener("abort", wake);
    try {
      for (let at = after; ; ) {
        if (signal?.aborted) return "aborted";
        const event = this.#log.get(at);
        if (event) {
          at++;
          yield event;
        } else if (this.#log.isEnded) return "over";
        else if (this.#waiting.size > 0) return "waiting";
        else await this.#log.change();
      }
    } finally {
      signal?.removeEventListener("abort", wake);
    }
  }
}

const feeds = new WeakMap<Chat, TurnFeed>();

/**
 * Follows a chat, and keeps its turns that run, its newest turn, and those that an adapter expects. The turns of two
 * sessions may run side by side.
 */
export class TurnFeed {
  readonly #chat: Chat;
  readonly #offs: readonly Unsubscribe[];
  /** The turns that run, by session, oldest first. */
  readonly #running = new Map<string, FeedTurn>();
  #newest: FeedTurn | undefined;
  /** By the ids of their prompts, until `follow` gives them. Undefined: the turn has not begun. */
  readonly #expected = new Map<string, FeedTurn | undefined>();
  readonly #own = new WeakSet<FeedTurn>();

  constructor(chat: Chat) {
    this.#chat = chat;
    this.#offs = [chat.on("event", (event) => this.#onEvent(event)), chat.on("reset", () => this.#cut())];
  }

  /** The feed that all adapters of a chat share. */
  static of(chat: Chat): TurnFeed {
    const feed = feeds.get(chat) ?? new TurnFeed(chat);
    feeds.set(chat, feed);
    return feed;
  }

  /** The newest turn that runs. If none runs: the newest turn. */
  get turn(): FeedTurn | undefined {
    return [...this.#running.values()].at(-1) ?? this.#newest;
  }

  /** The turn that has shown one of these requests. */
  shownIn(ids: readonly string[]): FeedTurn | undefined {
    const turns = [this.#newest, ...this.#running.values()];
    return turns.find((turn) => turn && ids.some((id) => turn.hasShown(id)));
  }

  /**
   * Sends a prompt with `send`, and keeps its turn until `follow`, even if the turn ends and another one begins. Cancels a
   * turn that waits for the user, but only if the prompt is not refused: the prompt is queued until that turn ends.
   */
  send(send: () => ChatSend): ChatSend {
    const { turn } = this;
    const { pending } = this.#chat.getSnapshot();
    const sent = send();
    if (!sent.ok) return sent;
    this.#expected.set(sent.id, this.#turnOf(sent.id));
    if (turn && turn.waiting.size > 0) this.cancelTurn(turn);
    // The turn that asks began before this feed.
    else if (!turn && pending.length > 0 && this.#isQueued(sent.id)) this.#chat.cancel();
    return sent;
  }

  /**
   * Waits for the turn of a prompt. If the backend has forgotten the conversation, continues with a recap of the newest
   * messages, because an adapter has nobody to ask.
   * @returns undefined if `signal` aborts first
   */
  follow(promptId: string, signal?: AbortSignal): Promise<FeedTurn | Unsent | undefined> {
    return new Promise((resolve) => {
      const offs: Unsubscribe[] = [];
      const look = (): void => {
        const found = signal?.aborted
          ? undefined
          : (this.#turnOf(promptId) ?? unsentIn(this.#chat, promptId));
        if (found === null) return;
        for (const off of offs) off();
        signal?.removeEventListener("abort", look);
        this.#given(promptId, found);
        resolve(found);
      };
      offs.push(this.#chat.on("event", look), this.#chat.subscribe(look));
      signal?.addEventListener("abort", look);
      look();
    });
  }

  /** Cancels a turn that runs. */
  cancelTurn(turn: FeedTurn): void {
    if (turn.isOver) return;
    // Turns of two sessions may have the same id. The chat has one own turn.
    this.#chat.cancel(this.#own.has(turn) ? "turn" : { turnId: turn.id });
  }

  /** Takes a prompt back while it waits, or cancels its turn. */
  cancelPrompt(promptId: string): void {
    const turn = this.#turnOf(promptId);
    if (turn) {
      this.#given(promptId, turn);
      this.cancelTurn(turn);
      return;
    }
    const { queue } = this.#chat.getSnapshot();
    if (queue.some(({ id }) => id === promptId)) this.#chat.unqueue(promptId);
    else if (this.#isQueued(promptId)) this.#chat.cancel();
    // A regenerated prompt has no message of its own. It waits for the end of the old turn.
    else void this.follow(promptId).then((found) => found instanceof FeedTurn && this.cancelTurn(found));
  }

  /** Ends the turns that run: the chat is closed. */
  close(): void {
    for (const off of this.#offs) off();
    this.#cut();
  }

  /** The rest of the turns that run is lost. */
  #cut(): void {
    for (const turn of this.#running.values()) turn.end();
    this.#running.clear();
  }

  #isQueued(promptId: string): boolean {
    return newest(this.#chat.getSnapshot().messages, promptId)?.status === "queued";
  }

  #given(promptId: string, found: FeedTurn | Unsent | undefined): void {
    this.#expected.delete(promptId);
    if (found instanceof FeedTurn) this.#own.add(found);
  }

  #turnOf(promptId: string): FeedTurn | undefined {
    const turns = [this.#newest, ...this.#running.values(), this.#expected.get(promptId)];
    return turns.find((turn) => turn?.promptId === promptId);
  }

  #onEvent(event: UniversalEvent): void {
    if (event.type === "turn.started") this.#begin(event);
    const turn = this.#running.get(event.session_id);
    turn?.add(event);
    if (turn?.isOver) this.#running.delete(event.session_id);
  }

  #begin(event: TurnStarted): void {
    const { capabilities } = this.#chat.getSnapshot();
    const turn = new FeedTurn(event, capabilities?.questions);
    const { promptId = "", sessionId } = turn;
    this.#running.get(sessionId)?.end(); // a session runs one turn at a time
    this.#running.delete(sessionId);
    this.#running.set(sessionId, turn);
    this.#newest = turn;
    if (this.#expected.has(promptId)) this.#expected.set(promptId, turn);
  }
}

/**
 * Why a prompt has no turn. Null while it waits for its turn. If the backend has forgotten the conversation, the chat
 * continues with a recap.
 */
export function unsentIn(chat: Chat, promptId: string): Unsent | null {
  const { messages, busy, connection, problem } = chat.getSnapshot();
  const message = newest(messages, promptId);
  if (message ? message.status === "queued" : busy) {
    if (connection.contextLost) chat.resume("with-transcript");
    return null;
  }
  if (message?.status === "cancelled") return { status: "cancelled" };
  const error = message?.error ?? problem;
  return { status: "failed", ...(error ? { error } : {}) };
}

function newest(messages: List<ChatMessage>, id: string): ChatMessage | undefined {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages.at(at);
    if (message?.id === id) return message;
  }
  return undefined;
}
