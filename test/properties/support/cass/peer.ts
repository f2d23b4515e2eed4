import { GARBAGE } from "../garbage.ts";
import type { CassWorld } from "./cass-world.ts";
import type { AUTH_ANSWERS, CassStep, GREETINGS, NOISES } from "./scenario.ts";
import type { Asked, CassSession } from "./session.ts";

const ODD: readonly string[] = [
  ...GARBAGE,
  '{"type":"thinking"}',
  '{"type":"debug","message":7}',
  '{"type":"title_updated","title":"x"}',
  '{"type":"system"}',
  '{"type":"status","sdk_mode":1}',
  '{"type":"audio","url":7}',
  '{"type":"Response","text":"x"}',
  '{"type":"calendar_updated","tool":"x"}',
];

const INITIALIZING = "Server is still initializing. Please try again in a moment.";

export type ServerStep = Extract<
  CassStep,
  {
    readonly do:
      | "serves"
      | "begins"
      | "answers"
      | "spoils"
      | "finishesBehind"
      | "fails"
      | "greets"
      | "answersAuth"
      | "noise";
  }
>;

/** What a server says: it reads one request, answers it, and reads the next. */
export class CassPeer {
  readonly #world: CassWorld;
  #count = 0;

  constructor(world: CassWorld) {
    this.#world = world;
  }

  take(step: ServerStep): void {
    const { socket } = this.#world;
    if (step.do === "finishesBehind") this.#finishBehind();
    if (!socket?.heard) return;
    switch (step.do) {
      case "serves":
        this.servesWell(socket);
        return;
      case "begins":
        this.begin(socket);
        return;
      case "answers":
        if (socket.head?.written.type !== "auth") this.#answer(socket);
        return;
      case "spoils":
        this.#spoil(socket);
        return;
      case "fails":
        this.#fail(socket, step.begins);
        return;
      case "greets":
        this.#greet(socket, step.how);
        return;
      case "answersAuth":
        this.#answerAuth(socket, step.how);
        return;
      case "noise":
        this.#noise(socket, step.what, step.n);
        return;
    }
  }

  /** The next thing that a good server would do. */
  servesWell(socket: CassSession): void {
    if (socket.readyState === 0) socket.accepts();
    else if (socket.readyState === 2) socket.ends(1000);
    else if (!socket.heard) return;
    else if (!socket.greeted) this.#greet(socket, "good");
    else if (socket.head?.written.type === "auth") this.#answerAuth(socket, "good");
    else this.#answer(socket);
  }

  /** Whatever it is asked, in full, at once. */
  answersAtOnce(socket: CassSession): void {
    while (socket.heard && socket.greeted && socket.line.length > 0) this.servesWell(socket);
  }

  /** A server that says something of each turn says it as soon as it has read of it. */
  begin(socket: CassSession): void {
    const { head } = socket;
    if (!head?.turn || !this.#world.setting.announces) return;
    head.hasBegun = true;
    socket.tells({ type: "thinking", status: head.turn.name, timestamp: this.#world.store.time() });
  }

  #answer(socket: CassSession): void {
    const { head } = socket;
    if (!head) return;
    if (head.turn) {
      if (!head.hasBegun) this.begin(socket);
      if (socket.head !== head || !socket.heard) return; // who saw that has ended it
      this.#respond(socket, head);
      return;
    }
    socket.line.splice(0, 1);
    if (!this.#world.setting.answersAsked) return;
    const timestamp = this.#world.store.time();
    if (head.written.type === "ping") socket.tells({ type: "pong", timestamp });
    else socket.tells({ type: "status", sdk_mode: true, memory_count: this.#count++, timestamp });
  }

  #respond(socket: CassSession, head: Asked): void {
    socket.line.splice(0, 1);
    const id = this.#world.store.keep(head);
    if (head.turn) head.turn.wasAnswered = true;
    socket.last = head.turn;
    socket.tells({
      ...this.#responseTo(head.turn?.answer ?? ""),
      ...(id === undefined ? {} : { conversation_id: id }),
    });
  }

  #responseTo(text: string): object {
    const timestamp = this.#world.store.time();
    return { type: "response", text, animations: [], timestamp, provider: this.#provider, model: "m" };
  }

  get #provider(): string {
    return this.#count % 2 === 0 ? "anthropic" : "openai";
  }

  #fail(socket: CassSession, begins: boolean): void {
    const { head } = socket;
    if (!head?.turn) return;
    if (begins && !head.hasBegun) this.begin(socket);
    if (socket.head !== head) return;
    socket.line.splice(0, 1);
    socket.last = undefined;
    socket.tells({ type: "error", message: "Failed to generate a response" });
  }

  /** It answers with what nobody can read. */
  #spoil(socket: CassSession): void {
    const { head } = socket;
    if (!head?.turn) return;
    if (!head.hasBegun) this.begin(socket);
    if (socket.head !== head) return;
    socket.line.splice(0, 1);
    this.#world.store.keep(head);
    socket.last = undefined;
    socket.tells({ type: "response", text: 7 });
  }

  /** What was on a line that is gone is done all the same. */
  #finishBehind(): void {
    for (const socket of this.#world.sockets) {
      if (!socket.gone) continue;
      const [head] = socket.line.splice(0, 1);
      if (head) this.#world.store.keep(head);
    }
  }

  #greet(socket: CassSession, how: (typeof GREETINGS)[number]): void {
    if (socket.greeted) return;
    // To who does not wait for a greeting, an error is the answer to what was asked.
    const isGreeting = how === "good" || how === "nobody" || how === "other";
    if (!isGreeting && !this.#world.setting.requireConnected) return;
    switch (how) {
      case "good":
      case "nobody":
      case "other": {
        socket.greeted = true;
        const shown = socket.tokenUser ?? "u9";
        socket.user = how === "good" ? shown : how === "other" ? "u2" : null;
        const timestamp = this.#world.store.time();
        socket.tells({ type: "connected", sdk_mode: true, user_id: socket.user, timestamp });
        return;
      }
      case "auth_error":
        socket.tells({ type: "auth_error", message: "Invalid token" });
        return;
      default:
        socket.tells({ type: "error", message: how === "initializing" ? INITIALIZING : "broke" });
    }
  }

  #answerAuth(socket: CassSession, how: (typeof AUTH_ANSWERS)[number]): void {
    if (socket.head?.written.type !== "auth") return;
    socket.line.splice(0, 1);
    switch (how) {
      case "good":
      case "other":
        socket.user = how === "good" ? (socket.tokenUser ?? null) : "u2";
        socket.authenticated = true;
        socket.tells({ type: "auth_success", user_id: socket.user });
        return;
      case "unreadable":
        socket.tells({ type: "auth_success", user_id: 7 });
        return;
      case "auth_error":
        socket.tells({ type: "auth_error", message: "Invalid token" });
        return;
      default:
        socket.tells({ type: "error", message: how === "initializing" ? INITIALIZING : "broke" });
    }
  }

  /** What is of nobody, said only where a client can tell that it is. */
  #noise(socket: CassSession, what: (typeof NOISES)[number], n: number): void {
    if (!socket.greeted) return;
    const timestamp = this.#world.store.time();
    const { head, turns, last } = socket;
    const isIdle = turns.length === 0 && head === undefined;
    // Once a turn has begun, a response is its own; a server that announces nothing has always begun.
    const isNobodys = turns.length === 0 || (this.#world.setting.announces && head?.turn && !head.hasBegun);
    switch (what) {
      case "unsolicited":
        if (isNobodys) socket.tells({ ...this.#responseTo("of nobody"), conversation_id: "c9" });
        return;
      case "repeated":
        if (isNobodys && last) socket.tells(this.#responseTo(last.answer));
        return;
      case "unreadable":
        if (isNobodys) socket.tells({ type: "response", text: 7 });
        return;
      case "thinking":
        if (turns.length === 0 && this.#world.setting.announces)
          socket.tells({ type: "thinking", status: "of nobody", timestamp });
        return;
      case "error":
        if (isIdle)
          socket.tells({ type: "error", message: n % 2 === 0 ? "broke" : "Unknown message type: ping" });
        return;
      case "pong":
        if (isIdle) socket.tells({ type: "pong", timestamp });
        return;
      case "status":
        if (isIdle) socket.tells({ type: "status", sdk_mode: true, memory_count: this.#count, timestamp });
        return;
      case "audio":
        socket.tells({ type: "audio", url: `/audio/${last?.name ?? "nobody"}.wav`, timestamp });
        return;
      case "title":
        socket.tells({ type: "title_updated", conversation_id: "c1", title: `title ${n}`, timestamp });
        return;
      case "system":
        socket.tells({ type: "system", message: "working", status: "info", timestamp });
        return;
      case "connected":
        if (this.#world.setting.requireConnected)
          socket.tells({ type: "connected", user_id: "u2", timestamp });
        return;
      case "auth":
        if (head?.written.type !== "auth") socket.tells({ type: "auth_success", user_id: "u2" });
        return;
      case "garbage":
        socket.receives(ODD[n % ODD.length]);
    }
  }
}
