import type { ClientCore } from "../core/client-core.ts";
import { type Deferred, deferred } from "../core/deferred.ts";
import { type AgentwireError, copyError, isAgentwireError } from "../core/errors.ts";
import { Queue } from "../core/queue.ts";
import type { CodebuffClientEvents } from "./events.ts";
import { encode, type InitResponse } from "./messages.ts";
import type { Session } from "./session.ts";
import { type TokenSource, tokenFailed, withToken } from "./token.ts";
import type { CodebuffEvent, CodebuffResult } from "./turn.ts";
import type { Wire } from "./wire.ts";

interface Init {
  readonly kind: "init";
  readonly json: string;
  readonly ownToken: boolean;
  readonly reply: Deferred<InitResponse>;
}

interface Topics {
  readonly kind: "subscribe" | "unsubscribe";
  readonly topics: readonly string[];
  readonly reply: Deferred<void>;
}

export interface StandingSetup {
  readonly wire: Wire;
  readonly token: TokenSource;
  readonly core: () => ClientCore<CodebuffEvent, CodebuffResult, CodebuffClientEvents>;
  /** Why nothing will be sent any more, once that is so. */
  readonly closed: () => AgentwireError | undefined;
}

/**
 * What a client has asked of its session as a whole: the init, and topics. Asked anew after every
 * reconnect, before any prompt; what was asked for while there was no session follows in its order.
 */
export class Standing {
  readonly #setup: StandingSetup;
  readonly #topics = new Set<string>();
  readonly #waiting = new Queue<Init | Topics>();
  /** The last init that a server answered. */
  #answered: Init | undefined;

  constructor(setup: StandingSetup) {
    this.#setup = setup;
  }

  init(json: string, ownToken: boolean): Promise<InitResponse> {
    const init: Init = { kind: "init", json, ownToken, reply: deferred() };
    // What a server has accepted is worth repeating; what it has refused is not.
    init.reply.promise.then(
      () => {
        this.#answered = init;
      },
      () => {},
    );
    this.#ask(init);
    return init.reply.promise;
  }

  setTopics(kind: "subscribe" | "unsubscribe", topics: readonly string[]): Promise<void> {
    const asked: Topics = { kind, topics, reply: deferred() };
    this.#ask(asked);
    return asked.reply.promise;
  }

  /** Asks a new session for all of it; returns a promise only when there is something to wait for. */
  resume(session: Session): Promise<void> | undefined {
    const init = this.#answered;
    if (!init && this.#waiting.size === 0) {
      this.#resubscribe(session);
      return undefined;
    }
    return this.#resumeInOrder(session, init);
  }

  unavailable(reason: AgentwireError): void {
    for (let asked = this.#waiting.take(); asked; asked = this.#waiting.take()) {
      asked.reply.reject(copyError(reason));
    }
  }

  async #resumeInOrder(session: Session, init: Init | undefined): Promise<void> {
    if (init) await this.#sendInit(session, { ...init, reply: this.#repeated("reinit-failed") });
    this.#resubscribe(session);
    while (this.#setup.wire.isCurrent(session)) {
      const asked = this.#waiting.take();
      if (!asked) return;
      await this.#send(session, asked);
    }
  }

  #resubscribe(session: Session): void {
    if (this.#topics.size === 0 || !this.#setup.wire.isCurrent(session)) return;
    const reply = this.#repeated<void>("resubscribe-failed");
    this.#sendTopics(session, { kind: "subscribe", topics: [...this.#topics], reply });
  }

  /** The reply to something that nobody awaits a second time; its failure is told as a warning. */
  #repeated<T>(warning: string): Deferred<T> {
    const reply = deferred<T>();
    reply.promise.catch((error: AgentwireError) => {
      const over = isAgentwireError(error, "connection-lost") || isAgentwireError(error, "closed");
      if (!over) this.#setup.core().warn(warning, error.message); // else the next session is asked, or none
    });
    return reply;
  }

  /** Sends to the session that takes requests now, or keeps it for the next. */
  #ask(asked: Init | Topics): void {
    const { wire, closed } = this.#setup;
    const { session } = wire;
    const error = closed();
    if (error) asked.reply.reject(error);
    else if (session) void this.#send(session, asked);
    else this.#waiting.add(asked);
  }

  async #send(session: Session, asked: Init | Topics): Promise<void> {
    if (asked.kind === "init") await this.#sendInit(session, asked);
    else this.#sendTopics(session, asked);
  }

  async #sendInit(session: Session, init: Init): Promise<void> {
    const { wire, token } = this.#setup;
    let value = init.ownToken ? undefined : token.known;
    if (!init.ownToken && value === undefined) {
      try {
        value = await token.get();
      } catch (cause) {
        init.reply.reject(tokenFailed(cause));
        return;
      }
      if (!wire.isCurrent(session)) {
        this.#ask(init); // the session ended meanwhile
        return;
      }
    }
    const sent = { kind: "init", reply: init.reply } as const;
    wire.request(session, sent, (txid) => encode.action(txid, withToken(init.json, value)));
  }

  #sendTopics(session: Session, { kind, topics, reply }: Topics): void {
    const apply = (): void => {
      for (const topic of topics) {
        if (kind === "subscribe") this.#topics.add(topic);
        else this.#topics.delete(topic);
      }
    };
    this.#setup.wire.request(session, { kind: "topics", reply, apply }, (txid) =>
      encode.topics(kind, txid, topics),
    );
  }
}
