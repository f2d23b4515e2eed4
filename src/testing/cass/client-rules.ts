// Notes what a client does wrong in the order of its frames.
import type { Dict } from "../server/dict.ts";
import { writePythonJson } from "../server/python-json.ts";
import type { Settings } from "./profiles.ts";
import { type CassMistake, isTurn } from "./read-frame.ts";

const PING_SPACING = 5_000;
const SECOND = 1_000;
const CONNECTS_PER_SECOND = 5;

/** Things of one kind that come in order and are settled in order. */
class Line {
  #arrived = 0;
  #settled = 0;

  /** @returns its number */
  arrive(): number {
    return ++this.#arrived;
  }

  settle(number: number): void {
    this.#settled = Math.max(this.#settled, number);
  }

  get open(): number {
    return this.#arrived - this.#settled;
  }
}

/** An attempt to connect: whose, and whether there is nothing left of it. */
interface Attempt {
  readonly at: number;
  readonly client: string;
  readonly isOver: () => boolean;
}

/** What clients do across their connections. */
export class ClientHistory {
  readonly #lost = new Set<string>();
  #attempts: Attempt[] = [];

  lost(chat: string): void {
    this.#lost.add(chat);
  }

  hasLost(chat: string): boolean {
    return this.#lost.has(chat);
  }

  /**
   * Notes an attempt. Who connects again has no connection left, so those that are still open belong to others.
   * @returns how many of the same client came to nothing in the second before
   */
  attempt(attempt: Attempt): number {
    this.#attempts = this.#attempts.filter(({ at }) => attempt.at - at < SECOND);
    const vain = this.#attempts.filter(({ client, isOver }) => client === attempt.client && isOver());
    this.#attempts.push(attempt);
    return vain.length;
  }
}

/** Whether so many attempts in vain, and one more, are too many. */
export function isStorm(vain: number): boolean {
  return vain >= CONNECTS_PER_SECOND;
}

/** The rules for the order of a client's frames on one connection, which the server itself does not enforce. */
export class ClientRules {
  readonly #history: ClientHistory;
  readonly #auths = new Line();
  readonly #turns = new Line();
  /** Chats on the wire, by their number. */
  readonly #chats = new Map<number, string>();
  #handledAuths = 0;
  #handledTurns = 0;
  #lastPing = Number.NEGATIVE_INFINITY;

  constructor(history: ClientHistory) {
    this.#history = history;
  }

  /** A message has arrived, however long it has to wait. */
  arrived(message: Dict, now: number, settings: Settings): readonly CassMistake[] {
    const { type } = message;
    const detail = String(type);
    const isEarly = this.#turns.open > 0 && settings.unreadFrame === "1011" && !settings.pipelining;
    const mistakes: CassMistake[] = isEarly ? [{ kind: "frame-mid-turn", detail }] : [];
    if (type === "auth") this.#auths.arrive();
    if (type === "ping") mistakes.push(...this.#ping(now));
    if (!isTurn(message)) return mistakes;
    if (this.#auths.open > 0) mistakes.push({ kind: "chat-before-auth", detail });
    if (this.#turns.open > 0 && !settings.pipelining) mistakes.push({ kind: "turn-in-flight", detail });
    const number = this.#turns.arrive();
    if (type !== "chat") return mistakes;
    const chat = writePythonJson([message["message"] ?? null, message["conversation_id"] ?? null], "compact");
    if (this.#history.hasLost(chat) && !settings.resends)
      mistakes.push({ kind: "resent-chat", detail: chat.slice(0, 100) });
    this.#chats.set(number, chat);
    return mistakes;
  }

  /** An `auth` has its turn. @returns what settles it, if it is answered */
  auth(): () => void {
    const number = ++this.#handledAuths;
    return () => this.#auths.settle(number);
  }

  /** A turn has its turn. @returns what settles it, once its response or error is about to be sent */
  turn(): () => void {
    const number = ++this.#handledTurns;
    return () => {
      this.#turns.settle(number);
      this.#chats.delete(number);
    };
  }

  /** The connection is over. */
  over(): void {
    for (const chat of this.#chats.values()) this.#history.lost(chat);
  }

  #ping(now: number): readonly CassMistake[] {
    const since = now - this.#lastPing;
    this.#lastPing = now;
    return since < PING_SPACING ? [{ kind: "ping-too-soon", detail: `${Math.round(since)} ms` }] : [];
  }
}
