// `AgentwireChatTransport`: a chat behind `useChat` and `runAgentTUI`.
import type { ChatTransport, UIMessage, UIMessageChunk } from "ai";
import { caughtUp } from "../chat/caught-up.ts";
import type { Chat } from "../chat/chat.ts";
import type { ChatResult } from "../chat/problem.ts";
import { FeedTurn, TurnFeed } from "../chat/turn-feed.ts";
import { describe, isObject } from "../core/checks.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { Chunk } from "./message.ts";
import { PagePrompts, type SendOptions } from "./prompts.ts";
import {
  BUSY,
  type Chunks,
  CUT_OFF,
  chunksIn,
  ending,
  errorChunks,
  OTHER_CHAT,
  oneChunk,
  RECAP,
} from "./refusals.ts";
import { answerInOutput, expiredChunks, repliesIn, type UserReply } from "./replies.ts";
import { errorWords, streamOf } from "./stream.ts";
import { type RefusedAnswer, TurnChunks } from "./turn-chunks.ts";
import { readUIMessages } from "./user-message.ts";

type ReconnectOptions = Parameters<ChatTransport<UIMessage>["reconnectToStream"]>[0];

/** A turn, and how far its events were read. */
interface Course {
  readonly turn: FeedTurn;
  readonly chunks: TurnChunks;
  at: number;
}

/** A request that a stream answers. */
interface Request {
  /** Aborted when the stream must end. */
  readonly abort: AbortController;
  promptId?: string;
  turn?: FeedTurn;
}

/**
 * A chat as the transport of `useChat`, `Chat` and `runAgentTUI`: `new AgentwireChatTransport(createChat(codey({ url })))`.
 *
 * The agent keeps the conversation, so a request sends only the last message of the user, or the decisions and answers in
 * the last message. A stream ends when the agent waits for the user, while the turn stays open. Pass
 * `lastMessageIsDecided` as `sendAutomaticallyWhen`. Nothing rejects: what is refused is a stream of one `error` chunk.
 *
 * A transport serves one `chatId`. A further transport over the same chat goes on with what the others have shown. The
 * chat's client must ask by hand (`onToolApproval: "manual"`).
 *
 * Refused: a blank prompt, a closed chat, images that the backend does not take; an image by its address or a file that is no image
 * (pass `data:` URLs); a prompt while the agent answers another request; another `chatId` (`reconnectToStream` gives null); an answer of
 * another form, such as one string for two questions (the part is `input-available` again); a body without `messages`. A decision on a
 * request that no transport of this chat has shown becomes `approval expired`. A message of the user while an approval waits cancels
 * that turn, unless the message itself is refused. A lost conversation goes on with a recap, which a `data-status` `context.recap` tells.
 * An edited message that this transport did not send, or without `capabilities.branches`, is sent as a new turn.
 */
export class AgentwireChatTransport implements ChatTransport<UIMessage> {
  /** A stream of `reconnectToStream` begins with the turn. */
  readonly resumeStreamIsReplay = true;
  readonly #chat: Chat;
  readonly #feed: TurnFeed;
  readonly #requests = new Set<Request>();
  readonly #prompts: PagePrompts;
  #chatId: string | undefined;
  /** Where the last stream ended because the agent waits for the user. */
  #paused: Course | undefined;
  #reconnects = 0;

  /** @throws InvalidInputError if `chat` is not a chat */
  constructor(chat: Chat) {
    const value: unknown = chat;
    if (!isObject(value) || typeof value["send"] !== "function" || typeof value["on"] !== "function")
      throw new InvalidInputError(
        `the chat is ${describe(value)}.`,
        "Pass a chat: new AgentwireChatTransport(createChat(codey({ url }))).",
      );
    this.#chat = chat;
    this.#feed = TurnFeed.of(chat);
    this.#prompts = new PagePrompts(chat, this.#feed);
  }

  /**
   * Sends the last message of the user, or the replies in the last message of the agent. `abortSignal` cancels the turn.
   * Never rejects.
   */
  async sendMessages(options: SendOptions): Promise<ReadableStream<UIMessageChunk>> {
    const request: Request = { abort: new AbortController() };
    return this.#stream(
      request,
      options.abortSignal,
      () => this.#cancel(request),
      () => this.#begin(options, request),
    );
  }

  /**
   * The stream of the turn that is open, from its start. Null if no turn is open. `abortSignal` cancels the turn, unless
   * another reconnect takes its place at once. Never rejects.
   */
  async reconnectToStream({
    chatId,
    abortSignal,
  }: ReconnectOptions): Promise<ReadableStream<UIMessageChunk> | null> {
    if (abortSignal?.aborted) return null;
    const number = ++this.#reconnects;
    await caughtUp(this.#chat, abortSignal);
    const { turn } = this.#feed;
    const isOther = this.#chatId !== undefined && this.#chatId !== chatId;
    if (!turn || turn.isOver || isOther || abortSignal?.aborted) return null;
    this.#chatId = chatId;
    const request: Request = { abort: new AbortController(), turn };
    const stop = (): void => {
      // A page that mounts twice leaves its first reconnect for a second one.
      queueMicrotask(() => number === this.#reconnects && this.#cancel(request));
    };
    return this.#stream(request, abortSignal, stop, () =>
      this.#read({ turn, chunks: new TurnChunks(), at: 0 }, request),
    );
  }

  /** Closes the chat, and ends all streams. */
  async close(): Promise<void> {
    await this.#chat.close();
    this.#feed.close();
    for (const { abort } of this.#requests) abort.abort();
  }

  #stream(
    request: Request,
    signal: AbortSignal | undefined,
    stop: () => void,
    begin: () => Chunks,
  ): ReadableStream<UIMessageChunk> {
    if (signal?.aborted) return streamOf(oneChunk({ type: "abort" }));
    const chunks = this.#begun(begin);
    if (request.turn === undefined && request.promptId === undefined) return streamOf(chunks); // refused
    const onAbort = (): void => {
      stop();
      request.abort.abort();
    };
    const end = (): void => {
      this.#requests.delete(request);
      signal?.removeEventListener("abort", onAbort);
    };
    this.#requests.add(request);
    signal?.addEventListener("abort", onAbort, { once: true });
    return streamOf(ending(chunks, end), () => {
      this.#requests.delete(request);
      request.abort.abort();
      // `runAgentTUI` cancels its stream first, then aborts, which still cancels the turn.
      void this.#over(request).then(end);
    });
  }

  async #over({ promptId, turn }: Request): Promise<void> {
    const found = turn ?? (promptId === undefined ? undefined : await this.#feed.follow(promptId));
    if (found instanceof FeedTurn) await found.over;
  }

  #begun(begin: () => Chunks): Chunks {
    try {
      return begin();
    } catch (error) {
      return errorChunks(errorWords(error));
    }
  }

  #begin(options: SendOptions, request: Request): Chunks {
    const { chatId, messageId, trigger } = options;
    const messages = readUIMessages(options.messages);
    this.#chatId ??= chatId;
    if (this.#chatId !== chatId) return errorChunks(OTHER_CHAT);
    const isBusy = [...this.#requests].some(({ abort, turn }) => !abort.signal.aborted && !turn?.isOver);
    if (isBusy) return errorChunks(BUSY);
    const isAgents = (message: UIMessage | undefined) => message?.role === "assistant";
    const named = messages.find(({ id }) => id === messageId);
    const last = isAgents(named) ? named : messages.at(-1);
    if (trigger === "submit-message" && last && isAgents(last)) return this.#goOn(last, request);
    const sent = this.#prompts.send(options, messages);
    if (!sent.ok) return errorChunks(errorWords(sent.error));
    this.#paused = undefined;
    request.promptId = sent.id;
    return this.#follow(sent.id, request);
  }

  async *#follow(promptId: string, request: Request): Chunks {
    const { signal } = request.abort;
    let isForgotten = false;
    const look = (): void => {
      isForgotten ||= this.#chat.getSnapshot().connection.contextLost;
    };
    look();
    const off = this.#chat.subscribe(look); // before the feed, which resumes
    const found = await this.#feed.follow(promptId, signal);
    off();
    if (isForgotten)
      yield { type: "data-status", data: { label: "context.recap", detail: RECAP }, transient: true };
    if (found instanceof FeedTurn) {
      request.turn = found;
      yield* this.#read({ turn: found, chunks: new TurnChunks(), at: 0 }, request);
    } else if (found?.status === "failed") {
      const { title = "The message was not sent", detail = "Send it again." } = found.error ?? {};
      yield { type: "error", errorText: `${title}. ${detail}` };
    } else yield { type: "abort" };
  }

  /** Passes the user's replies on, and goes on with the turn of this message. */
  #goOn(message: UIMessage, request: Request): Chunks {
    const replies = repliesIn(message);
    if (replies.length === 0)
      throw new InvalidInputError("the last message holds no decision.", "Send a message of the user.");
    const course = this.#courseOf(replies);
    if (!course) return chunksIn(expiredChunks(message.id, replies));
    const { turn, chunks } = course;
    const known = replies.filter(({ id }) => chunks.calls.hasShown(id));
    this.#paused = course;
    const refused = known.flatMap((reply) => this.#reply(reply, course));
    if (refused.length > 0) return chunksIn(chunks.askAgain(message.id, refused));
    this.#paused = undefined;
    request.turn = turn;
    const isAnswer = known.some(({ type }) => type === "answer");
    return this.#read(course, request, chunks.resume(message.id, isAnswer));
  }

  /** The turn that has asked for these replies, even if another transport of this chat has shown the requests. */
  #courseOf(replies: readonly UserReply[]): Course | undefined {
    const hasAsked = (course: Course | undefined) =>
      course && replies.some(({ id }) => course.chunks.calls.hasShown(id));
    if (hasAsked(this.#paused)) return this.#paused;
    const turn = this.#feed.shownIn(replies.map(({ id }) => id));
    if (!turn) return undefined;
    const events = turn.shownEvents();
    const chunks = new TurnChunks();
    for (const event of events) chunks.push(event);
    chunks.pause();
    return { turn, chunks, at: events.length };
  }

  /** Decides or answers a request that was shown. One that is over stays as it ended. Returns an answer that is refused. */
  #reply(reply: UserReply, { turn, chunks }: Course): readonly RefusedAnswer[] {
    const { id } = reply;
    if (turn.waiting.has(id)) {
      const result = reply.type === "answer" ? this.#answer(id, reply.output) : this.#decide(id, reply);
      if (!result.ok && reply.type === "answer" && result.error.code === "invalid-input")
        return [{ id, errorText: errorWords(result.error) }];
      if (!result.ok) throw result.error;
    }
    chunks.calls.replied(id, reply.type === "answer" ? reply.output : reply.approved);
    turn.replied(id);
    return [];
  }

  #decide(id: string, { approved, reason }: Extract<UserReply, { readonly type: "decision" }>) {
    if (approved) return this.#chat.decide(id, "once");
    return this.#chat.decide(id, { decision: "reject", ...(reason ? { reason } : {}) });
  }

  #answer(id: string, output: unknown): ChatResult {
    const answer = answerInOutput(output);
    if (answer !== undefined) return this.#chat.answer(id, answer);
    const error = new InvalidInputError(
      `the answer is ${describe(output)}.`,
      "Pass a string, a list of strings for each question, or null.",
    );
    return { ok: false, error };
  }

  async *#read(course: Course, request: Request, first: readonly Chunk[] = []): Chunks {
    const { turn, chunks } = course;
    try {
      yield* first;
      const events = turn.read(course.at, request.abort.signal);
      for (;;) {
        const { done, value } = await events.next();
        if (!done) {
          course.at++;
          yield* chunks.push(value);
        } else if (value === "waiting") {
          this.#paused = course;
          turn.show(course.at);
          yield* chunks.pause();
          return;
        } else {
          if (value === "aborted") yield* chunks.stop();
          else if (chunks.isOpen) yield* chunks.stop(CUT_OFF);
          return;
        }
      }
    } catch (error) {
      yield* chunks.stop(errorWords(error));
    }
  }

  /** Cancels the turn of a request, or its prompt if the turn has not begun. */
  #cancel({ promptId, turn }: Request): void {
    if (turn) this.#feed.cancelTurn(turn);
    else if (promptId !== undefined) this.#feed.cancelPrompt(promptId);
  }
}
