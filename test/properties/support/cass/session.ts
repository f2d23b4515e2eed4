import { SessionSocket } from "../session-socket.ts";
import type { WatchedCassTurn } from "./watched-turn.ts";

/** One message of the client. */
export interface Written {
  readonly type: string;
  readonly token?: string;
  readonly message?: string;
  readonly conversation_id?: string;
  readonly image?: string;
}

/** What the server has read, or is still to read. */
export interface Asked {
  readonly written: Written;
  readonly turn: WatchedCassTurn | undefined;
  /** Whether it has said something of it. */
  hasBegun: boolean;
}

/** What a session needs to know of the world around it. */
export interface SessionWorld {
  complain(problem: string): void;
  now(): number;
  /** The client has written; returns the turn that it is of. */
  written(session: CassSession, message: Written): WatchedCassTurn | undefined;
  /** Whether the server does all that it is asked at once. */
  readonly answersAtOnce: ((session: CassSession) => void) | undefined;
}

/** One socket as a strict server sees it: what was asked of it, in order, and who it takes the client for. */
export class CassSession extends SessionSocket {
  /** Who the token in its address, or the last one that was shown, is of; undefined for no token. */
  tokenUser: string | undefined;
  hasToken: boolean;
  /** Who the server says that it is; undefined before it has said anything. */
  user: string | null | undefined;
  greeted = false;
  /** Whether the greeting is being told: who sees it come knows of it before the client does. */
  isGreeting = false;
  /** Whether it has said that it takes the token that it was shown in a message. */
  authenticated = false;
  /** What is to be answered, oldest first. */
  readonly line: Asked[] = [];
  /** The last turn that was answered with a response. */
  last: WatchedCassTurn | undefined;
  #outbox: string[] = [];
  /** When the frame behind the running turn was written that stands there unread. */
  #unread: { readonly behind: Asked; readonly since: number } | undefined;
  readonly #world: SessionWorld;

  constructor(world: SessionWorld, browser: boolean, token: string | null) {
    super(browser);
    this.#world = world;
    this.hasToken = token !== null;
    this.tokenUser = token === null ? undefined : userOf(token);
  }

  get head(): Asked | undefined {
    return this.line[0];
  }

  /** Whether a frame has stood unread behind the running turn for so many ms. */
  isDeafFor(ms: number): boolean {
    const { head } = this;
    if (!this.heard || !head?.turn || this.line.length < 2) return false;
    const now = this.#world.now();
    if (this.#unread?.behind !== head) this.#unread = { behind: head, since: now };
    return now - this.#unread.since >= ms;
  }

  /** Turns that are not answered. */
  get turns(): readonly Asked[] {
    return this.line.filter(({ turn }) => turn);
  }

  override send(data: string): void {
    super.send(data);
    if (!this.isOpen) this.#world.complain(`wrote to a socket that is not open: ${data}`);
    const written: Written = JSON.parse(data);
    const turn = this.#world.written(this, written);
    this.refuse();
    if (written.type === "auth") {
      this.hasToken = true;
      this.tokenUser = userOf(written.token ?? "");
    }
    this.line.push({ written, turn, hasBegun: false });
    this.isDeafFor(0); // notes the time
    this.#world.answersAtOnce?.(this);
  }

  /** One message behind the other, also when who hears the first makes the server say the next. */
  tells(message: object): void {
    this.#outbox.push(JSON.stringify(message));
    if (this.#outbox.length > 1) return;
    for (let told = 0; told < this.#outbox.length; told++) if (this.heard) this.receives(this.#outbox[told]);
    this.#outbox = [];
  }
}

/** Whose a token is; an opaque one is this user's, too. */
function userOf(token: string): string {
  const [, payload = ""] = token.split(".");
  try {
    const { sub } = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
    return String(sub);
  } catch {
    return "u1";
  }
}
