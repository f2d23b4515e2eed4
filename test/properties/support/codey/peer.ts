import { GARBAGE } from "../garbage.ts";
import type { CodeyWorld } from "./codey-world.ts";
import type { CodeyStep } from "./scenario.ts";

const ODD: readonly string[] = [
  ...GARBAGE,
  '{"type":"TextDelta","agent_id":"0","content":"x"}',
  '{"type":"ThinkingDelta","agent_id":0}',
  '{"type":"ToolRequest","agent_id":0,"calls":{}}',
  '{"type":"ToolStarted","agent_id":0,"call_id":"c0"}',
  '{"type":"Finished","agent_id":-1,"usage":null}',
  '{"type":"Connected","session_id":"again"}',
  '{"type":"Retrying","agent_id":0,"attempt":"1","error":"x"}',
  '{"type":"finished","agent_id":0}',
];

/** A message of a turn. */
export interface Told {
  readonly owner: string | undefined;
  times: number;
}

type Said = { readonly type: string; readonly [field: string]: unknown };

export type ServerStep = Exclude<CodeyStep, { readonly do: UserOrLink }>;

type UserOrLink =
  | "prompt"
  | "cancel"
  | "read"
  | "leave"
  | "abort"
  | "reply"
  | "answer"
  | "ask"
  | "connect"
  | "close"
  | "abortClient"
  | "when"
  | "opens"
  | "greets"
  | "beginsToClose"
  | "refusesFrame"
  | "ends"
  | "late"
  | "advance";

/** What a server says: whatever a step wants, or what a good one would say next. */
export class CodeyPeer {
  /** Messages of turns by their number: whose each is, and how often somebody was told of it. */
  readonly told: Told[] = [];
  readonly #world: CodeyWorld;
  #tokens = 0;

  constructor(world: CodeyWorld) {
    this.#world = world;
  }

  take(step: ServerStep): void {
    switch (step.do) {
      case "serves":
        this.servesWell();
        return;
      case "pong":
        this.#say({ type: "Pong" });
        return;
      case "answers":
        this.#say({ type: "State", agents: [], pending_approvals: [], n: this.told.length });
        this.#say({ type: "History", messages: [], n: this.told.length });
        return;
      case "text":
      case "thinking": {
        const type = step.do === "text" ? "TextDelta" : "ThinkingDelta";
        this.#sayOfTurn({ type, agent_id: step.agent, content: `w${this.told.length} ` });
        return;
      }
      case "request": {
        const calls = step.calls.map((call) => ({ ...named(call), params: null, background: call > 1 }));
        this.#sayOfTurn({ type: "ToolRequest", agent_id: step.agent, calls });
        return;
      }
      case "call":
        this.#sayOfCall(step);
        return;
      case "retrying":
        for (let time = 0; time < step.times; time++)
          this.#sayOfTurn({ type: "Retrying", agent_id: 0, attempt: step.attempt, error: "again" });
        return;
      case "finished":
        this.#sayFinished(step.agent, step.tokens, step.usage);
        return;
      case "error":
        this.#say({ type: "Error", message: "broke", fatal: step.fatal });
        return;
      case "garbage":
        if (this.#world.socket?.greeted && this.#world.socket.heard)
          this.#world.socket.receives(ODD[step.kind % ODD.length]);
    }
  }

  #sayOfCall({ agent: agent_id, call, message }: CodeyStep & { readonly do: "call" }): void {
    const { call_id, name } = named(call);
    switch (message) {
      case "asks":
        this.#sayOfTurn({
          type: "ToolAwaitingApproval",
          agent_id,
          call_id,
          name,
          params: [call],
          background: call > 1,
        });
        return;
      case "unreadable":
        this.#say({ type: "ToolAwaitingApproval", agent_id, call_id, background: 7, n: -1 });
        return;
      case "started":
        this.#sayOfTurn({ type: "ToolStarted", agent_id, call_id, name });
        return;
      case "delta":
        this.#sayOfTurn({ type: "ToolDelta", agent_id, call_id, content: `piece ${this.told.length} ` });
        return;
      case "completed":
        this.#sayOfTurn({ type: "ToolCompleted", agent_id, call_id, content: `whole ${this.told.length}` });
        return;
      case "toolError":
        this.#sayOfTurn({ type: "ToolError", agent_id, call_id, error: "Denied by user" });
        return;
    }
  }

  #sayFinished(agent_id: number, tokens: number, told: boolean): void {
    this.#tokens += tokens;
    const usage = {
      output_tokens: this.#tokens,
      context_tokens: 1,
      cache_creation_tokens: 0,
      cache_read_tokens: 0,
    };
    this.#sayOfTurn({ type: "Finished", agent_id, ...(told ? { usage } : {}) });
  }

  /** The next thing that a good server, and somebody who decides, would do. */
  servesWell(): void {
    const { socket, user, requests } = this.#world;
    const [consulted] = user.waiting;
    const [request] = requests;
    if (socket?.readyState === 0) socket.accepts();
    else if (socket?.readyState === 2) socket.ends(1000);
    else if (!socket?.heard) return;
    else if (!socket.greeted) this.greet();
    else if (socket.due.Ping > 0) this.#say({ type: "Pong" });
    else if (socket.due.GetState + socket.due.GetHistory > 0) this.take({ do: "answers" });
    else if (consulted) user.answer(consulted, "approve");
    else if (request) user.reply(request.id, request.question, "approve");
    else if (socket.owner !== undefined) {
      const [open] = socket.undecided;
      if (open !== undefined && !user.interfered)
        this.#world.complain(`gets no decision on ${open}, and hangs`);
      this.#sayFinished(socket.root ?? 0, 1, true);
    }
  }

  greet(): void {
    const { socket } = this.#world;
    if (!socket?.heard || socket.greeted) return;
    socket.greeted = true;
    this.#tokens = 0;
    socket.tells({ type: "Connected", session_id: `session-${this.#world.sockets.length}` });
  }

  #sayOfTurn(message: Said): void {
    const { socket } = this.#world;
    if (!socket?.greeted || !socket.heard) return;
    const n = this.told.length;
    this.told.push({ owner: socket.owner, times: 0 });
    socket.tells({ ...message, n });
  }

  #say(message: Said): void {
    const { socket } = this.#world;
    if (socket?.greeted && socket.heard) socket.tells(message);
  }
}

const named = (call: number): { readonly call_id: string; readonly name: string } => ({
  call_id: `c${call}`,
  name: call % 2 === 0 ? "mcp_shell" : "mcp_read_file",
});
