// Finds mistakes in the order of a client's frames on one connection.
import type { Dict } from "../server/dict.ts";
import { isTurn } from "./frames.ts";
import type { CassMockSettings } from "./profiles.ts";
import type { CassMistake } from "./record.ts";

const PING_SPACING = 5_000;

/** Counts frames of one kind, which are handled and settled in order. */
class Line {
  arrived = 0;
  settled = 0;
  handled = 0;

  get isOpen(): boolean {
    return this.arrived > this.settled;
  }

  /** Starts handling the next frame. @returns a function that settles the frame and returns its number */
  next(): () => number {
    const number = ++this.handled;
    return () => {
      this.settled = Math.max(this.settled, number);
      return number;
    };
  }
}

/** The rules for the order of a client's frames. The server does not enforce them. */
export class ClientRules {
  /** Chats of all connections that ended before the reply. */
  readonly #lost: Set<string>;
  readonly #auths = new Line();
  readonly #turns = new Line();
  /** Unanswered chats, by turn number. */
  readonly #chats = new Map<number, string>();
  #lastPing = Number.NEGATIVE_INFINITY;

  constructor(lost: Set<string>) {
    this.#lost = lost;
  }

  /** Checks a message on arrival, before it waits for its handler. */
  arrived(message: Dict, now: number, settings: CassMockSettings): readonly CassMistake[] {
    const { type } = message;
    const detail = String(type);
    const isOverlap = this.#turns.isOpen && !settings.pipelining;
    const mistakes: CassMistake[] = [];
    if (isOverlap && settings.unreadFrame === "1011") mistakes.push({ kind: "frame-mid-turn", detail });
    if (type === "auth") this.#auths.arrived++;
    if (type === "ping") {
      const since = now - this.#lastPing;
      this.#lastPing = now;
      if (since < PING_SPACING) mistakes.push({ kind: "ping-too-soon", detail: `${Math.round(since)} ms` });
    }
    if (!isTurn(message)) return mistakes;
    if (this.#auths.isOpen) mistakes.push({ kind: "chat-before-auth", detail });
    if (isOverlap) mistakes.push({ kind: "turn-in-flight", detail });
    this.#turns.arrived++;
    if (type !== "chat") return mistakes;
    const chat = JSON.stringify([message["message"], message["conversation_id"]]);
    if (this.#lost.has(chat) && !settings.resends)
      mistakes.push({ kind: "resent-chat", detail: chat.slice(0, 100) });
    this.#chats.set(this.#turns.arrived, chat);
    return mistakes;
  }

  /** Starts handling an `auth`. @returns a function to call once the `auth` is answered */
  auth(): () => void {
    return this.#auths.next();
  }

  /** Starts handling a turn. @returns a function to call just before the response or error is sent */
  turn(): () => void {
    const settle = this.#turns.next();
    return () => void this.#chats.delete(settle());
  }

  /** The connection has ended: its unanswered chats are lost. */
  over(): void {
    for (const chat of this.#chats.values()) this.#lost.add(chat);
  }
}
