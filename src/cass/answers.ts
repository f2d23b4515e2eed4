import type { CassCore } from "./events.ts";
import { turnError, unreadableResponse } from "./failures.ts";
import { complete, conversationOf, isAlike, type Job } from "./job.ts";
import type { Line } from "./line.ts";
import type { LostReplies } from "./lost-replies.ts";
import type { AudioFrame, ErrorFrame } from "./messages.ts";
import type { ResponseFrame } from "./response.ts";
import type { Speech } from "./speech.ts";
import { progressEvent, replyOf } from "./turn.ts";
import type { TurnMessage, Wire } from "./wire.ts";

export interface AnswersSetup {
  readonly wire: Wire;
  readonly line: Line;
  readonly lostReplies: LostReplies;
  readonly speech: Speech;
  readonly core: CassCore;
  /** The server may be free for another turn. */
  readonly next: () => void;
}

/** What the server says of turns, or seems to. */
export class Answers {
  readonly #setup: AnswersSetup;
  #provider: string | undefined;

  constructor(setup: AnswersSetup) {
    this.#setup = setup;
  }

  /** Whose model answers, as far as is known. */
  get provider(): string | undefined {
    return this.#provider;
  }

  /** A message of a turn, and how long its frame was. */
  receive(message: TurnMessage, size: number): void {
    if (message.type === "audio") {
      void this.#onAudio(message);
      return;
    }
    const { line, next } = this.#setup;
    const job = line.head;
    if (!job) {
      this.#strays(message);
      return;
    }
    switch (message.type) {
      case "thinking":
      case "debug":
        this.#strays(line.begun(job));
        next(); // a server that is known to announce its turns may be sent more
        job.turn.push(progressEvent(message), size);
        return;
      case "response":
        this.#strays(line.answered(job, message, () => this.#complete(job, message, size)));
        return;
      case "error":
        this.#fail(job, message);
        return;
      default:
        message satisfies never;
    }
  }

  /** The response to a turn has come, and cannot be read. */
  unreadable(problem: string): void {
    const { line, lostReplies, next } = this.#setup;
    if (line.last?.turn.open) {
      line.last.turn.fail(unreadableResponse(problem)); // handling its answer threw
      next();
      return;
    }
    const job = line.head;
    if (!job) return;
    line.answered(job, undefined, () => {
      this.#leaveLine(job);
      lostReplies.leave(job); // when it was stored cannot be read either
      job.turn.fail(unreadableResponse(problem));
      next();
    });
  }

  #complete(job: Job, message: ResponseFrame, size: number): void {
    const { wire, line, lostReplies, core, next } = this.#setup;
    const { request, conversation } = job;
    const { conversation_id: id, timestamp } = message;
    this.#leaveLine(job);
    // Without a time, or with others sent before it, what is stored of it is not known to be older than those.
    if (typeof timestamp !== "string" || line.jobs.some((other) => isAlike(other, job)))
      lostReplies.leave(job);
    core.connection.healthy();
    if (message.provider) this.#provider = message.provider;
    if (request.userId !== undefined) wire.handshake.rebind(request.userId);
    const expected = conversationOf(job);
    if (typeof id === "string" && typeof expected === "string" && id !== expected)
      core.warn("conversation-mismatch", "a response names another conversation than its prompt did");
    if (id !== undefined && conversation.id === undefined) conversation.id = id;
    const reply = replyOf(message);
    if (reply.warning !== undefined) core.warn("unreadable-audio", reply.warning);
    complete(job, reply, size);
    next();
  }

  #fail(job: Job, { message }: ErrorFrame): void {
    this.#leaveLine(job);
    job.turn.fail(turnError(message));
    this.#setup.next();
  }

  async #onAudio(frame: AudioFrame): Promise<void> {
    const { core, line, speech } = this.#setup;
    const job = line.last;
    if (!job) {
      this.#strays(frame);
      return;
    }
    if (job.turn.status !== "completed") return; // nobody waits for it any more
    const audio = await speech.of(frame);
    if (audio) core.events.emit("audio", audio, job.turn);
  }

  /** A message is of no turn. */
  #strays(message: TurnMessage | undefined): void {
    if (!message) return;
    const { core } = this.#setup;
    if (message.type === "error") {
      core.events.emit("serverError", { message: message.message });
      return;
    }
    const kind = message.type === "response" ? "unexpected-response" : "stray-message";
    core.warn(kind, `a \`${message.type}\` that is of no turn`);
    core.events.emit("stray", message);
  }

  /** The server is done with a turn. */
  #leaveLine(job: Job): void {
    const { line, wire } = this.#setup;
    this.#strays(line.delete(job));
    wire.turnAnswered();
  }
}
