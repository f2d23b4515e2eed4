// One session: handles the client's messages, runs one turn at a time, and records client mistakes.
import { SessionContext } from "./context.ts";
import { type ClientMessage, ROOT, type ServerMessage } from "./messages.ts";
import type { CodeyMistake, CodeyViolationKind, ReceivedDecision, ReceivedSend } from "./record.ts";
import { CodeyMockTurn } from "./turn.ts";

/** The mistake for each outcome of a decision. Approving a `stale` call is `decision-late` too. */
const MISTAKES: { readonly [outcome in ReceivedDecision["outcome"]]?: CodeyViolationKind } = {
  early: "decision-early",
  repeated: "decision-repeated",
  late: "decision-late",
  unknown: "decision-unknown",
};

export class CodeySession extends SessionContext {
  readonly id = this.backend.newSessionId();
  #turn: CodeyMockTurn | undefined;
  #queue: ReceivedSend[] = [];
  /** Replies to a `Cancel` that are sent after the next `Pong`. */
  #behindPong: readonly ServerMessage[] = [];
  /** `missing`: no `Ping` came after a `Cancel`. A number: the frames received when that `Ping`'s `Pong` was sent. */
  #barrier: "none" | "missing" | number = "none";

  get state(): "live" | "leaked" | "ended" {
    return this.phase === "leaked" || this.phase === "ended" ? this.phase : "live";
  }

  /** Whether the next text frame of the client ends the connection. */
  get panicked(): boolean {
    return this.phase === "panicked";
  }

  greet(): void {
    this.say({ type: "Connected", session_id: this.id });
  }

  /** Handles a message. @param index the number of its frame */
  handle(message: ClientMessage, index: number): void {
    if (!this.isUp) return;
    switch (message.type) {
      case "SendMessage":
        this.#send(message.content, message.agent_id, index);
        break;
      case "ToolDecision":
        this.#decide(message.call_id, message.approved);
        break;
      case "Cancel":
        this.#cancel();
        break;
      case "GetHistory":
        this.say({ type: "History", messages: this.history() });
        break;
      case "GetState":
        this.#tellState();
        break;
      case "Ping":
        this.#pong();
        break;
    }
  }

  /** Handles a frame that is not a message. */
  refuse(detail: string): void {
    if (this.phase !== "live" || this.settings.invalidInput === "drop" || this.#turn) return;
    this.sayError(`Invalid message: ${detail}`, this.settings.errorFatal === true);
  }

  /** Records the client's mistakes if it closes now. */
  blameForLeaving(): void {
    if (this.phase !== "live") return;
    if (this.#turn) this.speaker.blame({ kind: "left-mid-turn", detail: "Close without Cancel" });
    this.#blameForUndenied();
  }

  lost(): void {
    if (this.phase === "live" && this.settings.sessionAfterDisconnect === "leaks") this.phase = "leaked";
    else this.end();
    this.endIfFailed();
  }

  end(): void {
    this.phase = "ended";
    this.#stop();
  }

  over(): void {
    this.#turn = undefined;
    const next = this.#queue.shift();
    if (next) this.#start(next);
  }

  fatal(): void {
    this.#queue = [];
    if (this.phase === "live") this.phase = "mute";
  }

  #send(content: string, agentId: number | null, index: number): void {
    this.#blameForSend(content, index);
    const { backend, speaker: connection, settings } = this;
    const { clock, journal } = backend;
    const outcome = !this.#turn ? "started" : settings.midTurnSend === "queue" ? "queued" : "restarted";
    const number = journal.sends.length + 1;
    const send: ReceivedSend = { at: clock.now(), connection, content, agentId, number, outcome };
    journal.add(journal.sends, send);
    if (outcome === "queued") {
      this.#queue.push(send);
      return;
    }
    if (outcome === "restarted") {
      this.#turn?.stop();
      for (const round of this.rounds) round.stray();
    }
    this.#start(send);
  }

  #blameForSend(content: string, index: number): void {
    const detail = content.slice(0, 100);
    const blame = (kind: CodeyMistake["kind"]): void => this.speaker.blame({ kind, detail });
    if (content.trim() === "") blame("blank-content");
    if (this.#turn) blame("send-mid-turn");
    if (this.#barrier === "missing" || (typeof this.#barrier === "number" && index <= this.#barrier))
      blame("send-before-barrier");
    this.#barrier = "none";
    this.#blameForUndenied();
  }

  #blameForUndenied(): void {
    for (const { callId } of this.approvals.calls("stale"))
      this.speaker.blame({ kind: "approval-not-denied", detail: callId });
  }

  #start(send: ReceivedSend): void {
    this.remember("user", send.content);
    // The API rejects an empty text, and the text stays in the context.
    if (send.content.trim() === "") this.malformed = true;
    this.isFirstOfTurn = true;
    this.#turn = new CodeyMockTurn(send, this);
    void this.#turn.perform();
  }

  #decide(callId: string, approved: boolean): void {
    const { clock, journal } = this.backend;
    const outcome = this.approvals.decide(callId, approved);
    const connection = this.speaker;
    journal.add(journal.decisions, { at: clock.now(), connection, callId, approved, outcome });
    const kind = outcome === "stale" && approved ? "decision-late" : MISTAKES[outcome];
    if (kind) this.speaker.blame({ kind, detail: callId });
  }

  #cancel(): void {
    const open = [...this.rounds].flatMap((round) => round.open);
    const inTurn = this.#turn !== undefined;
    this.#barrier = "missing";
    this.#stop();
    this.approvals.cancel();
    const { clock, journal } = this.backend;
    const stopped = inTurn || open.length > 0;
    journal.add(journal.cancels, { at: clock.now(), connection: this.speaker, stopped });
    const { cancelReply, cancelReplyTiming } = this.settings;
    const replies: ServerMessage[] = [];
    if (inTurn && (cancelReply === "toolErrors" || cancelReply === "both"))
      for (const { callId: call_id } of open)
        replies.push({ type: "ToolError", agent_id: ROOT, call_id, error: "Cancelled" });
    if (inTurn && (cancelReply === "finished" || cancelReply === "both"))
      replies.push({ type: "Finished", agent_id: ROOT, usage: this.usage });
    if (cancelReplyTiming === "afterPong") this.#behindPong = replies;
    else for (const reply of replies) this.say(reply);
  }

  #pong(): void {
    // Only the first Ping after a Cancel counts. Later Pings, such as keepalives, change nothing.
    if (this.#barrier === "missing") this.#barrier = this.speaker.arrived;
    const replies = this.#behindPong;
    this.#behindPong = [];
    this.say({ type: "Pong" });
    for (const reply of replies) this.say(reply);
  }

  /** The real server's `State` is a stub: it knows only the ids of calls. */
  #tellState(): void {
    const { stateDetail, stalePendingAfterCancel } = this.settings;
    const isStub = stateDetail === "stub";
    const stale = stalePendingAfterCancel ? this.approvals.calls("stale") : [];
    const calls = [...stale, ...this.approvals.calls("awaiting")];
    const pending_approvals = (isStub ? this.backend.shuffled(calls) : calls).map(
      ({ callId: call_id, name, params }) => {
        return { agent_id: ROOT, call_id, ...(isStub ? { name: "", params: null } : { name, params }) };
      },
    );
    const is_streaming = !isStub && this.#turn?.streaming === true;
    const agents = [{ id: ROOT, name: isStub ? null : "main", is_streaming }];
    this.say({ type: "State", agents, pending_approvals });
  }

  /** Stops the turn and all calls without a message. */
  #stop(): void {
    this.#turn?.stop();
    this.#turn = undefined;
    this.#queue = [];
    for (const round of this.rounds) round.stop();
    this.rounds.clear();
  }
}
