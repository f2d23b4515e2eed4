import { SessionSocket } from "../session-socket.ts";
import { CallModel, type ModelCall } from "./call-model.ts";

/** A session ends at its second failed send. The first `Ping` may still be answered. */
const FAREWELL = 3;

/** One message of the client. */
export interface Written {
  readonly type: string;
  readonly content?: string;
  readonly call_id?: string;
  readonly approved?: boolean;
}

/** One message of the server. */
interface Told {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What a session needs to know of the world around it. */
export interface SessionWorld {
  complain(problem: string): void;
  written(session: SessionModel, message: Written): void;
  /** Whether the user has let the client approve the call of this question. */
  mayApprove(question: number): boolean;
  /** Whether the user has denied the call of this question. */
  wasDenied(question: number): boolean;
  /** The turn of this content has ended: its calls, in order. */
  ended(content: string, calls: ReturnType<CallModel["ended"]>): void;
  /** Whether the user's own code has acted inside of the client's: what is certain otherwise may then be otherwise. */
  readonly interfered: boolean;
}

/** One socket and its session, as a strict server sees them: who may write what, and to which turn a message belongs. */
export class SessionModel extends SessionSocket {
  greeted = false;
  /** Requests that were written and not answered. */
  readonly due = { Ping: 0, GetState: 0, GetHistory: 0 };
  /** The turn that the server works on, by its content. */
  running: string | undefined;
  /** The agent whose `Finished` is the turn's. */
  root: number | undefined;
  readonly #world: SessionWorld;
  #pings = 0;
  #pongs = 0;
  /** A `Cancel` was written; `ping` is the number of the first `Ping` behind it. */
  #barrier: { ping: number | undefined } | undefined;
  /** An `Error` was told, and a server might go on in spite of it. */
  #mustCancel = false;
  /** A fatal `Error` has ended a turn. */
  #isOver = false;
  #isTelling = false;
  /** A `Pong` is told that nobody asked for: it answers a `Ping` of whoever sees it come, for all that a client can know. */
  #isStrayPong = false;
  /** Questions that were told and decisions that were written, by id of the call. */
  #farewells = 0;
  readonly #asked = new Map<string, number>();
  readonly #decided = new Map<string, number>();
  /** Agents and ids of the calls of turns that are over, and of questions that no turn took. */
  readonly #past = new Set<string>();
  #calls = new CallModel(this.#past);

  constructor(world: SessionWorld, browser: boolean) {
    super(browser);
    this.#world = world;
  }

  /** Whose a message of a turn is that is told now. */
  get owner(): string | undefined {
    return this.#barrier ? undefined : this.running;
  }

  /** Questions of the turn without a decision, by id of the call. */
  get undecided(): readonly string[] {
    return this.#calls.open.map(({ callId }) => callId);
  }

  override send(data: string): void {
    super.send(data);
    if (!this.isOpen) this.#complain(`wrote to a socket that is not open: ${data}`);
    const message: Written = JSON.parse(data);
    // What it did not take was said all the same, as far as the client may know.
    if (this.refusesFrame && message.type === "SendMessage") this.#world.written(this, message);
    this.refuse();
    // A client that ends the link says farewell: the `Ping`s at which the server's session ends.
    const isFarewell = message.type === "Ping" && ++this.#farewells <= FAREWELL;
    if (!this.greeted && !isFarewell) this.#complain(`wrote ${data} before it was greeted`);
    this.#judge(message);
    this.#world.written(this, message);
  }

  /** The server tells something; what it means is settled before the client can answer. */
  tells(message: Told): void {
    const { owner } = this;
    const calls = this.#calls;
    this.#note(message);
    const isEnd = owner !== undefined && this.running === undefined && message.type === "Finished";
    const before = this.#isTelling;
    this.#isTelling = true;
    this.receives(JSON.stringify(message));
    if (isEnd) this.#world.ended(owner, calls.ended());
    this.#isTelling = before;
    this.#isStrayPong = false;
  }

  // --- what the client writes ---

  #judge(message: Written): void {
    switch (message.type) {
      case "SendMessage":
        if (this.running !== undefined) this.#complain("sent a second message in a turn");
        if (this.#barrier) this.#complain("sent a message behind a Cancel, before the Pong");
        if (this.#mustCancel) this.#complain("sent a message behind an Error, without a Cancel");
        if (this.#isOver) this.#complain("sent a message behind a fatal Error");
        this.running = message.content;
        this.root = undefined;
        this.#calls = new CallModel(this.#past);
        return;
      case "Cancel":
        if (this.#barrier) this.#complain("sent a second Cancel before the Pong");
        if (this.running === undefined && !this.#mustCancel && !this.#isTelling)
          this.#complain("sent a Cancel where nothing runs");
        this.#barrier = { ping: undefined };
        this.#mustCancel = false;
        this.#forget();
        return;
      case "Ping":
        this.#pings++;
        this.due.Ping++;
        if (this.#barrier && this.#barrier.ping === undefined) this.#beginBarrier(this.#barrier);
        if (this.#isStrayPong) this.#note({ type: "Pong" });
        return;
      case "GetState":
      case "GetHistory":
        this.due[message.type]++;
        return;
      case "ToolDecision":
        this.#judgeDecision(message.call_id ?? "", message.approved === true);
        return;
      default:
        this.#complain(`wrote ${message.type}`);
    }
  }

  #beginBarrier(barrier: { ping: number | undefined }): void {
    barrier.ping = this.#pings;
    const [open] = this.undecided;
    if (open !== undefined && !this.#world.interfered)
      this.#complain(`sent the Ping before the denial of ${open}`);
    this.running = undefined;
  }

  #judgeDecision(callId: string, approved: boolean): void {
    const decided = (this.#decided.get(callId) ?? 0) + 1;
    this.#decided.set(callId, decided);
    const asked = this.#asked.get(callId) ?? 0;
    if (decided > asked) this.#complain(`decided ${callId} ${decided} times, asked ${asked} times`);
    const allowed = ({ question = -1 }: ModelCall): boolean => approved && this.#world.mayApprove(question);
    // Of two agents' calls of one id, the one that the user has denied, or whose question cannot be read.
    const denied = ({ question = -1 }: ModelCall): boolean => question < 0 || this.#world.wasDenied(question);
    const call = this.#calls.decided(callId, approved, approved ? allowed : denied);
    if (!approved) return;
    if (this.owner === undefined && !this.#isTelling)
      this.#complain(`approved ${callId} behind the turn's end`);
    if (!call && !this.#world.interfered) this.#complain(`approved ${callId}, which has no open question`);
    if (call && !allowed(call)) this.#complain(`approved ${callId}, which nobody allowed`);
  }

  // --- what the server tells ---

  #note(message: Told): void {
    const agent = Number(message["agent_id"]);
    const live = this.owner !== undefined;
    switch (message.type) {
      case "Pong":
        this.#isStrayPong = this.due.Ping === 0;
        if (this.#isStrayPong) return;
        this.due.Ping--;
        if (this.#barrier?.ping === ++this.#pongs) this.#barrier = undefined;
        return;
      case "State":
        this.due.GetState = Math.max(0, this.due.GetState - 1);
        return;
      case "History":
        this.due.GetHistory = Math.max(0, this.due.GetHistory - 1);
        return;
      case "TextDelta":
      case "ThinkingDelta":
      case "ToolRequest":
        if (live) this.root ??= agent;
        if (live) this.#noteRequest(agent, message["calls"]);
        else if (this.#barrier) this.#noteLateRequest(agent, message["calls"]);
        return;
      case "Finished":
        if (!live || agent !== (this.root ?? 0)) return;
        this.running = undefined;
        this.#forget();
        return;
      case "Error":
        if (live && message["fatal"] === true) this.#isOver = true;
        else if (live) this.#mustCancel = true;
        if (live) this.running = undefined;
        if (live && this.#isOver) this.#forget();
        return;
      case "ToolAwaitingApproval":
      case "ToolStarted":
      case "ToolDelta":
      case "ToolCompleted":
      case "ToolError":
        this.#noteCall(message, agent, live);
        return;
    }
  }

  #noteRequest(agent: number, calls: unknown): void {
    if (!Array.isArray(calls)) return;
    for (const { call_id } of calls) this.#calls.requested(agent, String(call_id));
  }

  /** It crossed the Cancel: the calls are of the turn that was stopped. */
  #noteLateRequest(agent: number, calls: unknown): void {
    if (!Array.isArray(calls)) return;
    for (const { call_id } of calls) this.#past.add(`${agent} ${String(call_id)}`);
  }

  #noteCall({ type, call_id, content = "", n }: Told, agent: number, live: boolean): void {
    const callId = String(call_id);
    const told = { type, agent, callId, n: Number(n), content: String(content) };
    const isQuestion = live ? this.#calls.told(told) : type === "ToolAwaitingApproval";
    if (isQuestion) this.#asked.set(callId, (this.#asked.get(callId) ?? 0) + 1);
    if (isQuestion && !live) this.#past.add(`${agent} ${callId}`);
  }

  /** The turn is over: what still comes of its calls is late. */
  #forget(): void {
    for (const key of this.#calls.keys) this.#past.add(key);
  }

  #complain(problem: string): void {
    this.#world.complain(problem);
  }
}
