/** How a turn ended, in the words of its `outcome`. */
export interface Ending {
  readonly status: "completed" | "cancelled" | "failed";
  /** Of the result, or of what there was. */
  readonly text: string;
  readonly by?: string | undefined;
  readonly code?: string | undefined;
  /** The words of the error. */
  readonly message?: string | undefined;
  readonly delivery?: string | undefined;
  /** Whether the error hands back just what the user had passed; undefined where it hands back nothing. */
  readonly handsBack?: boolean | undefined;
  readonly recovered?: boolean | undefined;
}

/** What the one who read a turn got. */
export interface Reading {
  /** Whether all was asked for: not by a reader that leaves early. */
  toTheEnd: boolean;
  text: string;
  /** How it ended: not yet, by itself, or by a throw, which is the outcome's error or another one. */
  end: "open" | "quiet" | "threw" | "threw something else";
}

/** One turn: what was planned, what the user did and saw. What the server saw is added by {@link Book}. */
export class TurnFacts {
  readonly number: number;
  /** What the server says, if it comes to its end. Set later where the mock's switches add to the plan. */
  expected: string;
  /** Whether it is to come to its end at all. */
  isAnswered: boolean;
  /** Whether nothing is there to keep it from its end but the user. */
  readonly isCalm: boolean;
  /** Set by the user: `queued` when the turn had not been sent yet. */
  stopped: "no" | "queued" | "sent" = "no";
  /** The client was closed while it was open. */
  closed = false;
  readonly endings: Ending[] = [];
  /** Whether `result` agrees with the outcome, once both are there. */
  agrees: boolean | undefined;
  /** The client's and the turn's own `status`, at the end. */
  status: string | undefined;
  /** Texts of all events, as a listener of the turn heard them. */
  heard = "";
  reading: Reading | undefined;
  /** Events behind the outcome. */
  lateEvents = 0;
  /** Events that the client told as some other turn's, or the other way round. */
  strayEvents = 0;
  /** What the user said to each call, by its number. */
  readonly decided = new Map<number, boolean>();

  constructor(plan: Pick<TurnFacts, "number" | "expected" | "isAnswered" | "isCalm">) {
    this.number = plan.number;
    this.expected = plan.expected;
    this.isAnswered = plan.isAnswered;
    this.isCalm = plan.isCalm;
  }
}

/** A prompt as a server has received it. */
export interface Received {
  readonly turn: number;
  readonly where: string;
}

/** One question of a server whether a tool may run. */
export interface AskedCall {
  readonly turn: number;
  readonly call: number;
  /** What the server was told, each time. */
  readonly decisions: boolean[];
}

/** What is left of a client that is closed. */
export interface Leftovers {
  readonly timers: number;
  /** Each in a few words. */
  readonly sockets: readonly string[];
  /** Processes, each in a few words. */
  readonly programs?: readonly string[];
  readonly listeners: number;
}

/** Something that must not be. */
export interface Violation {
  /** A stable word. */
  readonly kind: string;
  readonly turn: number | undefined;
  readonly message: string;
}

/** What is known of one chapter, from both ends of the wire; nobody here asks the client what it thinks has happened. */
export class Book {
  readonly turns = new Map<number, TurnFacts>();
  readonly received: Received[] = [];
  readonly asked = new Map<string, AskedCall>();
  readonly leftovers: Leftovers[] = [];
  /** Noted at once, where nothing has to be compared. */
  readonly noted: Violation[] = [];

  note(kind: string, message: string, turn?: number): void {
    this.noted.push({ kind, turn, message });
  }

  ask(turn: number, call: number): void {
    const key = `${turn}.${call}`;
    if (this.asked.has(key)) this.note("asked-twice", `the mock asked for call ${key} twice`, turn);
    else this.asked.set(key, { turn, call, decisions: [] });
  }

  /** The server was told that a call may run, or not. */
  decision(turn: number, call: number, approved: boolean): void {
    const asked = this.asked.get(`${turn}.${call}`);
    if (asked) asked.decisions.push(approved);
    else this.note("decision-unasked", `a decision on ${turn}.${call}, which nobody had asked for`, turn);
  }
}
