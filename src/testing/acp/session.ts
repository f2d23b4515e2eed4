// One open session and its prompts: which one runs, and what a second one does.
import { type AcpAsked, AcpSessionContext } from "./context.ts";
import type { KeptSession } from "./host.ts";
import type { AcpLink, LinkedSession } from "./link.ts";
import type { MockAcpRequest } from "./record.ts";
import { AcpMockTurn } from "./turn.ts";

export class AcpMockSession extends AcpSessionContext implements LinkedSession {
  #turns: AcpMockTurn[] = [];
  #queue: AcpAsked[] = [];
  /** Requests whose missing answer is recorded. */
  readonly #blamedFor = new Set<MockAcpRequest>();

  constructor(link: AcpLink<AcpMockSession>, kept: KeptSession) {
    super(link, kept);
    link.open.set(kept.id, this);
  }

  get isBusy(): boolean {
    return this.#turns.length > 0 || this.#queue.length > 0;
  }

  prompt(received: AcpAsked["received"], record: AcpAsked["record"]): void {
    const asked = { received, record };
    this.#blameForUnanswered();
    const [running] = this.#turns;
    if (!running) {
      this.#start(asked);
      return;
    }
    this.link.blame("prompt-mid-turn", `${this.id}: ${record.text.slice(0, 100)}`);
    switch (this.host.settings.secondPrompt) {
      case "queue":
        this.#queue.push(asked);
        return;
      case "cancelFirst":
        running.cancel("ends");
        this.#start(asked);
        return;
      case "failFirst":
        running.fail(-32603, "Internal error", { details: "This session got another prompt" });
        this.#start(asked);
        return;
      case "interleave":
        this.#start(asked);
        return;
      case "together":
        running.join(asked);
        return;
      case "error":
        this.link.respond(received, { error: { code: -32603, message: "A turn is already running" } });
        record.outcome = "error";
        return;
      case "silence":
        return;
    }
  }

  /** `session/cancel`. */
  cancel(): void {
    const { clock, journal, settings } = this.host;
    const stopped = this.#turns.length > 0;
    for (const request of this.link.unanswered(this.id)) request.cancelledFirst = true;
    journal.add(journal.cancels, { at: clock.now(), link: this.link, sessionId: this.id, stopped });
    for (const turn of this.#turns) turn.cancel(settings.cancel);
  }

  /** `$/cancel_request` for a prompt. */
  cancelRequest(id: unknown): void {
    for (const turn of this.#turns) if (turn.answers(id)) turn.cancel(this.host.settings.cancel);
  }

  /** The client has answered a request of this session. */
  answered(): void {
    for (const turn of [...this.#turns]) turn.answered();
  }

  /** Records the client's mistakes if it ends stdin now. */
  blameForLeaving(): void {
    if (this.#turns.some((turn) => !turn.isCancelled)) this.link.blame("left-mid-turn", this.id);
    this.#blameForUnanswered();
  }

  /** `session/close`: cancels what runs. */
  close(): void {
    for (const turn of [...this.#turns]) turn.cancel("ends");
    this.stop();
  }

  /** Stops all turns without a message. */
  stop(): void {
    this.#queue = [];
    for (const turn of this.#turns) turn.stop();
    this.#turns = [];
  }

  /** A turn has ended. */
  over(turn: AcpMockTurn): void {
    this.#turns = this.#turns.filter((each) => each !== turn);
    const [next, ...rest] = this.#queue;
    if (next && this.#turns.length === 0) {
      this.#queue = rest;
      this.#start(next);
    }
    this.link.leaveWhenIdle();
  }

  #start(asked: AcpAsked): void {
    this.prompts++;
    this.kept.title ??= asked.record.text.slice(0, 60);
    const turn = new AcpMockTurn(this, asked);
    this.#turns.push(turn);
    void turn.perform();
  }

  #blameForUnanswered(): void {
    for (const request of this.link.unanswered(this.id)) {
      if (!request.cancelledFirst || this.#blamedFor.has(request)) continue;
      this.#blamedFor.add(request);
      this.link.blame("request-unanswered", `${request.method} ${request.id}`);
    }
  }
}
