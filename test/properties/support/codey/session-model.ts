import { FakeSocket } from "../../../helpers/fake-socket.ts";

const OPEN = 1;
const CLOSED = 3;

/** One message of the client. */
export interface Written {
  readonly type: string;
  readonly content?: string;
  readonly call_id?: string;
  readonly approved?: boolean;
}

/** What a session needs to know of the world around it. */
export interface SessionWorld {
  complain(problem: string): void;
  written(session: SessionModel, message: Written): void;
  /** Whether the user has let the client approve a call of this id once more; it counts as used. */
  mayApprove(callId: string): boolean;
  /** Whether the user's own code has acted inside of the client's: what is certain otherwise may then be otherwise. */
  readonly interfered: boolean;
}

/** One socket and its session, as a strict server sees them: who may write what, and to which turn a message belongs. */
export class SessionModel extends FakeSocket {
  greeted = false;
  /** Requests that were written and not answered. */
  readonly due = { Ping: 0, GetState: 0, GetHistory: 0 };
  /** The turn that the server works on, by its content. */
  running: string | undefined;
  /** The agent whose `Finished` is the turn's. */
  root: number | undefined;
  refusesFrame = false;
  declare readonly terminate?: () => void;
  readonly #world: SessionWorld;
  readonly #browser: boolean;
  /** Turns so far. */
  #epoch = 0;
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
  /** Questions that were told, apart by turn and agent, and decisions that were written, by id of the call. */
  readonly #asked = new Map<string, Set<string>>();
  readonly #decided = new Map<string, number>();
  /** Calls of which anything was told, by agent and id. */
  readonly #known = new Set<string>();
  /** How often a call was requested, by agent and id: another time, it may be another call. */
  readonly #requests = new Map<string, number>();
  /** Calls of the turn: whether they wait for a decision, by agent and id. */
  readonly #calls = new Map<string, { readonly callId: string; awaits: boolean }>();

  constructor(world: SessionWorld, browser: boolean) {
    super({ terminates: false });
    this.#world = world;
    this.#browser = browser;
    if (browser) return;
    this.terminate = () => {
      this.terminated = true;
      this.readyState = CLOSED;
    };
  }

  /** Whether it was given up, or is as good as gone. */
  get gone(): boolean {
    return this.readyState > OPEN || (this.#browser && this.closes.length > 0);
  }

  get heard(): boolean {
    return this.readyState === OPEN && this.listenerCount("message") > 0;
  }

  /** Whose a message of a turn is that is told now. */
  get owner(): string | undefined {
    return this.#barrier ? undefined : this.running;
  }

  override send(data: string): void {
    super.send(data);
    if (this.readyState !== OPEN) this.#complain(`wrote to a socket that is not open: ${data}`);
    const message: Written = JSON.parse(data);
    if (this.refusesFrame) {
      this.refusesFrame = false;
      // What it did not take was said all the same, as far as the client may know.
      if (message.type === "SendMessage") this.#world.written(this, message);
      throw new Error("the socket takes no frame");
    }
    if (!this.greeted) this.#complain(`wrote ${data} before it was greeted`);
    this.#judge(message);
    this.#world.written(this, message);
  }

  /** The server tells something; what it means is settled before the client can answer. */
  tells(message: { readonly type: string; readonly [field: string]: unknown }): void {
    this.#note(message);
    const before = this.#isTelling;
    this.#isTelling = true;
    this.receives(JSON.stringify(message));
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
        this.#epoch++;
        this.#calls.clear();
        return;
      case "Cancel":
        if (this.#barrier) this.#complain("sent a second Cancel before the Pong");
        if (this.running === undefined && !this.#mustCancel && !this.#isTelling)
          this.#complain("sent a Cancel where nothing runs");
        this.#barrier = { ping: undefined };
        this.#mustCancel = false;
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
    const open = [...this.#calls.values()].find(({ awaits }) => awaits);
    if (open && !this.#world.interfered) this.#complain(`sent the Ping before the denial of ${open.callId}`);
    this.running = undefined;
  }

  #judgeDecision(callId: string, approved: boolean): void {
    const decided = (this.#decided.get(callId) ?? 0) + 1;
    this.#decided.set(callId, decided);
    const asked = this.#asked.get(callId)?.size ?? 0;
    if (decided > asked) this.#complain(`decided ${callId} ${decided} times, asked ${asked} times`);
    const call = [...this.#calls.values()].find((each) => each.callId === callId && each.awaits);
    if (call) call.awaits = false;
    if (!approved) return;
    if (this.owner === undefined && !this.#isTelling)
      this.#complain(`approved ${callId} behind the turn's end`);
    if (!this.#world.mayApprove(callId)) this.#complain(`approved ${callId}, which nobody allowed`);
  }

  // --- what the server tells ---

  #note(message: { readonly type: string; readonly [field: string]: unknown }): void {
    const agent = Number(message["agent_id"]);
    const callId = String(message["call_id"]);
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
        this.#noteRequest(agent, message["calls"]);
        return;
      case "Finished":
        if (live && agent === (this.root ?? 0)) this.running = undefined;
        return;
      case "Error":
        if (live && message["fatal"] === true) this.#isOver = true;
        else if (live) this.#mustCancel = true;
        if (live) this.running = undefined;
        return;
      case "ToolAwaitingApproval":
        this.#noteQuestion(callId, agent, live, message["name"] === undefined);
        return;
      case "ToolStarted":
      case "ToolDelta":
      case "ToolCompleted":
      case "ToolError":
        this.#known.add(`${agent} ${callId}`);
        if (live) this.#calls.set(`${agent} ${callId}`, { callId, awaits: false });
        return;
    }
  }

  #noteRequest(agent: number, calls: unknown): void {
    if (!Array.isArray(calls)) return;
    for (const { call_id } of calls) {
      const key = `${agent} ${call_id}`;
      this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
    }
  }

  #noteQuestion(callId: string, agent: number, live: boolean, unreadable: boolean): void {
    const key = `${agent} ${callId}`;
    const asked = this.#asked.get(callId) ?? new Set();
    const when = live ? `turn ${this.#epoch}` : `behind turn ${this.#epoch}`;
    asked.add(
      unreadable ? `unreadable ${asked.size}` : `${when}, agent ${agent}, request ${this.#requests.get(key)}`,
    );
    this.#asked.set(callId, asked);
    // One that an earlier turn knew may count as late, and needs no decision then.
    if (live && !unreadable && !this.#known.has(key)) this.#calls.set(key, { callId, awaits: true });
    if (!unreadable) this.#known.add(key);
  }

  #complain(problem: string): void {
    this.#world.complain(problem);
  }
}
