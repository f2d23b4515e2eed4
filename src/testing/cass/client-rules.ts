// Notes what a client does wrong in the order of its frames on one connection.
import type { Dict } from "../server/dict.ts";
import { isTurn } from "./frames.ts";
import type { CassMockSettings } from "./profiles.ts";
import type { CassMistake } from "./record.ts";

const PING_SPACING = 5_000;

/** Things of one kind that come in order and are settled in order. */
class Line {
  arrived = 0;
  settled = 0;
  handled = 0;

  get isOpen(): boolean {
    return this.arrived > this.settled;
  }

  /** The next has its turn. @returns what settles it, and gives its number */
  next(): () => number {
    const number = ++this.handled;
    return () => {
      this.settled = Math.max(this.settled, number);
      return number;
    };
  }
}

/** The rules for the order of a client's frames, which the server itself does not enforce. */
export class ClientRules {
  /** Chats that were lost with their connections, of all connections. */
  readonly #lost: Set<string>;
  readonly #auths = new Line();
  readonly #turns = new Line();
  /** Chats on the wire, by their number. */
  readonly #chats = new Map<number, string>();
  #lastPing = Number.NEGATIVE_INFINITY;

  constructor(lost: Set<string>) {
    this.#lost = lost;
  }

  /** A message has arrived, however long it has to wait. */
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

  /** An `auth` has its turn. @returns what settles it, if it is answered */
  auth(): () => void {
    return this.#auths.next();
  }

  /** A turn has its turn. @returns what settles it, once its response or error is about to be sent */
  turn(): () => void {
    const settle = this.#turns.next();
    return () => void this.#chats.delete(settle());
  }

  /** The connection is over. */
  over(): void {
    for (const chat of this.#chats.values()) this.#lost.add(chat);
  }
}
