/** What is known of one call of a turn, as the life cycle in the protocol's description has it. */
export interface ModelCall {
  readonly agent: number;
  readonly callId: string;
  /** The number of the message that asked about it, once one has. */
  question?: number;
  state: "requested" | "awaiting" | "running" | "denied" | "done" | "failed" | "abandoned";
  output: string | undefined;
  /** The server has said that it is denied. */
  confirmed: boolean;
}

/** What of a message the life of a call goes by. */
export interface CallMessage {
  readonly type: string;
  readonly agent: number;
  readonly callId: string;
  readonly n: number;
  readonly content: string;
}

const ENDED: readonly ModelCall["state"][] = ["done", "failed", "abandoned"];

/**
 * The calls of one turn. Written from the description, by searching the list of all calls: each entry of a request is a
 * new call; a question is about the oldest requested call of its id, else it is the same as an open one, else about a
 * new call; a start is of the oldest requested call; the rest is of the oldest call that has not ended. A call that
 * awaits its decision comes last, since each question gets a decision, and a server does nothing before it.
 */
export class CallModel {
  readonly calls: ModelCall[] = [];
  /** Agents and ids of the calls of earlier turns. */
  readonly #past: ReadonlySet<string>;

  constructor(past: ReadonlySet<string>) {
    this.#past = past;
  }

  get keys(): readonly string[] {
    return this.calls.map(keyOf);
  }

  /** The questions without a decision. */
  get open(): readonly ModelCall[] {
    return this.calls.filter(({ state }) => state === "awaiting");
  }

  requested(agent: number, callId: string): void {
    this.#add(agent, callId, "requested");
  }

  /** A message about a call; returns whether it is a question that needs a decision of its own. */
  told(message: CallMessage): boolean {
    const { type, agent, callId, n, content } = message;
    const same = this.calls.filter((call) => call.agent === agent && call.callId === callId);
    if (type === "ToolAwaitingApproval") {
      const requested = same.find(({ state }) => state === "requested");
      if (!requested && same.some(({ state }) => state === "awaiting")) return false;
      const asked = requested ?? this.#add(agent, callId, "requested");
      asked.state = "awaiting";
      asked.question = n;
      return true;
    }
    if (same.length === 0 && this.#past.has(`${agent} ${callId}`)) return false; // late
    const call =
      this.#addressed(type, same) ?? (same.length === 0 ? this.#add(agent, callId, "requested") : undefined);
    if (call) this.#live(call, type, content);
    return false;
  }

  /** The client has decided: the oldest open question of the id that `fits`, or the oldest at all. */
  decided(callId: string, approved: boolean, fits: (call: ModelCall) => boolean): ModelCall | undefined {
    const heads = this.open.filter(
      (call, at, all) =>
        call.callId === callId && all.findIndex((each) => keyOf(each) === keyOf(call)) === at,
    );
    const call = heads.find(fits) ?? heads[0];
    if (call) call.state = approved ? "running" : "denied";
    return call;
  }

  /** What the calls have come to when their turn is over, in the order in which they were heard of. */
  ended(): readonly (readonly [agent: number, state: string, output: string | undefined])[] {
    return this.calls.map(({ agent, state, output }) => [
      agent,
      ENDED.includes(state) || state === "denied" ? state : "abandoned",
      output,
    ]);
  }

  #addressed(type: string, same: readonly ModelCall[]): ModelCall | undefined {
    const requested = same.find(({ state }) => state === "requested");
    const begun = same.find(
      ({ state, confirmed }) => state === "running" || (state === "denied" && !confirmed),
    );
    const awaiting = same.find(({ state }) => state === "awaiting");
    return type === "ToolStarted" ? (requested ?? begun ?? awaiting) : (begun ?? requested ?? awaiting);
  }

  #live(call: ModelCall, type: string, content: string): void {
    const before = call.state;
    switch (type) {
      case "ToolStarted":
        call.state = "running";
        return;
      case "ToolDelta":
        if (before === "denied") return;
        call.state = "running";
        call.output = (call.output ?? "") + content;
        return;
      case "ToolCompleted":
        call.state = "done";
        call.output = content;
        return;
      case "ToolError":
        // A denial of this client, or of the server's own filter; a call that ran has failed of it.
        call.confirmed = before === "denied" || before === "requested";
        call.state = call.confirmed ? "denied" : "failed";
    }
  }

  #add(agent: number, callId: string, state: ModelCall["state"]): ModelCall {
    const call: ModelCall = { agent, callId, state, output: undefined, confirmed: false };
    this.calls.push(call);
    return call;
  }
}

const keyOf = ({ agent, callId }: ModelCall): string => `${agent} ${callId}`;
