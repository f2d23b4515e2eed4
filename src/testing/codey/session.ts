// One session: a context, one turn at a time, and its calls.
import type { Clock } from "../../core/clock.ts";
import { Approvals } from "./approvals.ts";
import { CallRound } from "./call-round.ts";
import { type CodeyCall, type PlannedCall, planned } from "./calls.ts";
import { cancelReplies } from "./cancel-replies.ts";
import { ClientRules, type CodeyMistake } from "./client-rules.ts";
import type { CodeyJournal } from "./journal.ts";
import type { ClientMessage, ServerMessage } from "./messages.ts";
import type { ProfileName, Settings } from "./profiles.ts";
import type { CodeyConnection, ReceivedSend } from "./record.ts";
import type { CodeyAnswer } from "./script.ts";
import { fullState, stubState } from "./state-message.ts";
import { usualResult } from "./tools.ts";
import { Transcript } from "./transcript.ts";
import { Turn, type TurnPort } from "./turn.ts";
import { SessionUsage } from "./usage.ts";

/** What a session needs of its connection. */
export interface SessionPort {
  readonly connection: CodeyConnection;
  /** How many frames have arrived. */
  readonly arrived: number;
  /**
   * Returns false for a message that cannot be sent any more. The first of them ends the connection, if a Close without a
   * reply had left it open.
   * @param first whether it is the first message of a turn
   */
  say(message: ServerMessage, first: boolean): boolean;
  send(frame: string | Uint8Array): void;
  drop(): void;
  dropMidFrame(text: string): void;
  close(code: number, reason: string): void;
  blame(mistake: CodeyMistake): void;
}

/** What a session needs of its server. */
export interface SessionHost {
  readonly profile: ProfileName;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly journal: CodeyJournal;
  readonly tools: ReadonlySet<string>;
  readonly random: () => number;
  readonly newSessionId: () => string;
  readonly newCallId: (name: string) => string;
  readonly answer: CodeyAnswer;
  /** The process dies. */
  die(): void;
}

/** Messages that answer a request, at any time. */
const OUTSIDE_TURNS: ReadonlySet<ServerMessage["type"]> = new Set(["Connected", "Pong", "State", "History"]);

/** A session ends when it has failed to send so many messages. */
const FAILED_SENDS = 2;

/**
 * One session of the server: a context, one turn at a time, and the calls of it.
 *
 * ```
 *              a fatal Error
 *          +------------------> mute ----+
 *          |                             |
 *   live --+  an unknown tool            |  the connection is gone
 *          +------------------> panicked-+-----------------------+
 *          |                                                     v
 *          +--> leaked ------------------------------------->  ended
 *      the connection is gone      two messages could not be sent
 * ```
 */
export class CodeySession implements TurnPort {
  readonly id: string;
  readonly approvals = new Approvals();
  readonly usage = new SessionUsage();
  readonly transcript: Transcript;
  readonly #host: SessionHost;
  readonly #port: SessionPort;
  readonly #rules = new ClientRules();
  readonly #rounds = new Set<CallRound>();
  #phase: "live" | "mute" | "panicked" | "leaked" | "ended" = "live";
  #turn: Turn | undefined;
  #queue: ReceivedSend[] = [];
  #malformed = false;
  #isFirstOfTurn = false;
  #failedSends = 0;
  /** Replies to a `Cancel` that wait for a `Pong`. */
  #behindPong: readonly ServerMessage[] = [];

  constructor(host: SessionHost, port: SessionPort) {
    this.id = host.newSessionId();
    this.transcript = new Transcript(host.clock);
    this.#host = host;
    this.#port = port;
  }

  get state(): "live" | "leaked" | "ended" {
    return this.#phase === "leaked" || this.#phase === "ended" ? this.#phase : "live";
  }

  /** Whether the next text of the client is its death. */
  get panicked(): boolean {
    return this.#phase === "panicked";
  }

  get settings() {
    return this.#host.settings;
  }

  get clock() {
    return this.#host.clock;
  }

  get random() {
    return this.#host.random;
  }

  threw(error: unknown): void {
    this.#host.journal.threw(error);
  }

  get answer() {
    return this.#host.answer;
  }

  get malformed(): boolean {
    return this.#malformed;
  }

  greet(): void {
    this.say({ type: "Connected", session_id: this.id });
  }

  /** A message of the client, which was the `index`th frame to arrive. */
  handle(message: ClientMessage, index: number): void {
    if (!this.#isUp) return;
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
        this.say({ type: "History", messages: this.transcript.shown(this.settings.history) });
        break;
      case "GetState":
        this.#tellState();
        break;
      case "Ping":
        this.#pong();
        break;
    }
  }

  /** A frame of the client that is no message. */
  refuse(detail: string): void {
    if (this.#phase !== "live" || this.settings.invalidInput === "drop" || this.#turn) return;
    const fatal = this.settings.errorFatal === true;
    this.say({ type: "Error", message: `Invalid message: ${detail}`, fatal });
    if (fatal) this.fatal();
  }

  /** What is wrong with a client that says Close now. */
  mistakesInLeaving(): readonly CodeyMistake[] {
    return this.#phase === "live" ? this.#rules.left(this.#standing) : [];
  }

  /** The connection is gone. */
  lost(): void {
    if (this.#phase === "live" && this.settings.sessionAfterDisconnect === "leaks") this.#phase = "leaked";
    else this.end();
    this.#endIfFailed();
  }

  /** Stops everything. Idempotent. */
  end(): void {
    this.#phase = "ended";
    this.#stop();
  }

  say(message: ServerMessage): void {
    if (!this.#isUp) return;
    const first = this.#isFirstOfTurn && !OUTSIDE_TURNS.has(message.type);
    if (first) this.#isFirstOfTurn = false;
    if (this.#port.say(message, first)) return;
    this.#failedSends++;
    this.#endIfFailed();
  }

  raw(frame: string | Uint8Array): void {
    if (this.#phase === "live") this.#port.send(frame);
  }

  drop(): void {
    this.#port.drop();
  }

  dropMidFrame(text: string): void {
    this.#port.dropMidFrame(text);
  }

  close(code: number, reason: string): void {
    this.#port.close(code, reason);
  }

  plan(call: CodeyCall): PlannedCall {
    const { profile } = this.#host;
    return planned(call, {
      callId: (name) => this.#host.newCallId(name),
      result: (name) => usualResult(name, profile),
    });
  }

  hasTool(name: string): boolean {
    return this.#host.tools.has(name);
  }

  startRound(calls: readonly PlannedCall[], afterTurn: Promise<void>): CallRound {
    for (const past of this.#rounds) if (past.open.length === 0) this.#rounds.delete(past);
    const round = new CallRound(calls, this, afterTurn);
    this.#rounds.add(round);
    return round;
  }

  over(): void {
    this.#turn = undefined;
    const [next, ...rest] = this.#queue;
    this.#queue = rest;
    if (next) this.#start(next);
  }

  fatal(): void {
    this.#queue = [];
    if (this.#phase === "live") this.#phase = "mute";
  }

  panic(): void {
    if (this.settings.unknownTool === "processDeath") this.#host.die();
    else if (this.#phase === "live") this.#phase = "panicked";
  }

  /** The model will be told of a result that belongs to no call of its own. */
  strayed(): void {
    this.#malformed = true;
  }

  /** Whether it works, with its connection or without. */
  get #isUp(): boolean {
    return this.#phase === "live" || this.#phase === "leaked";
  }

  #endIfFailed(): void {
    if (this.#phase !== "leaked" || this.#failedSends < FAILED_SENDS) return;
    this.end();
    this.#host.journal.changed();
  }

  get #standing() {
    const stale = this.approvals.calls("stale").map(({ callId }) => callId);
    return { running: this.#turn !== undefined, stale };
  }

  #send(content: string, agentId: number | null, index: number): void {
    for (const mistake of this.#rules.sent(content, index, this.#standing)) this.#port.blame(mistake);
    const { midTurnSend } = this.settings;
    const outcome = !this.#turn ? "started" : midTurnSend === "queue" ? "queued" : "restarted";
    const { connection } = this.#port;
    const { journal } = this.#host;
    const number = journal.sends.length + 1;
    const send: ReceivedSend = { at: this.clock.now(), connection, content, agentId, number, outcome };
    journal.add(journal.sends, send);
    if (outcome === "queued") {
      this.#queue.push(send);
      return;
    }
    if (outcome === "restarted") {
      this.#turn?.stop();
      for (const round of this.#rounds) round.stray();
    }
    this.#start(send);
  }

  #start(send: ReceivedSend): void {
    this.transcript.add("user", send.content);
    // The API refuses an empty text, and it stays in the context.
    if (send.content.trim() === "") this.#malformed = true;
    this.#isFirstOfTurn = true;
    this.#turn = new Turn(send, this);
    void this.#turn.perform();
  }

  #decide(callId: string, approved: boolean): void {
    const { connection } = this.#port;
    const outcome = this.approvals.decide(callId, approved);
    const { journal } = this.#host;
    journal.add(journal.decisions, { at: this.clock.now(), connection, callId, approved, outcome });
    for (const mistake of this.#rules.decided(callId, approved, outcome)) this.#port.blame(mistake);
  }

  #cancel(): void {
    const open = [...this.#rounds].flatMap((round) => round.open);
    const inTurn = this.#turn !== undefined;
    this.#rules.cancelled();
    this.#stop();
    this.approvals.cancel();
    const { connection } = this.#port;
    const { journal } = this.#host;
    journal.add(journal.cancels, { at: this.clock.now(), connection, stopped: inTurn || open.length > 0 });
    const replies = inTurn ? cancelReplies(this.settings.cancelReply, open, this.usage.total) : [];
    if (this.settings.cancelReplyTiming === "afterPong") this.#behindPong = replies;
    else for (const reply of replies) this.say(reply);
  }

  #pong(): void {
    this.#rules.ponged(this.#port.arrived);
    const replies = this.#behindPong;
    this.#behindPong = [];
    this.say({ type: "Pong" });
    for (const reply of replies) this.say(reply);
  }

  #tellState(): void {
    const { stateDetail, stalePendingAfterCancel } = this.settings;
    const stale = stalePendingAfterCancel ? this.approvals.calls("stale") : [];
    const pending = [...stale, ...this.approvals.calls("awaiting")];
    if (stateDetail === "stub") this.say(stubState(pending, this.random));
    else this.say(fullState(pending, this.#turn?.streaming ?? false));
  }

  /** Ends the turn and all calls, without a word. */
  #stop(): void {
    this.#turn?.stop();
    this.#turn = undefined;
    this.#queue = [];
    for (const round of this.#rounds) round.stop();
    this.#rounds.clear();
  }
}
