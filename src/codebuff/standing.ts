import type { ClientCore } from "../core/client-core.ts";
import { type Deferred, deferred } from "../core/deferred.ts";
import type { AgentwireError } from "../core/errors.ts";
import { copyError, HandshakeError, isAgentwireError } from "../core/errors.ts";
import { Queue } from "../core/queue.ts";
import type { CodebuffClientEvents } from "./events.ts";
import { encode, type InitResponse } from "./messages.ts";
import type { Session } from "./session.ts";
import { type TokenSource, withToken } from "./token.ts";
import type { CodebuffEvent, CodebuffResult } from "./turn.ts";
import type { Wire } from "./wire.ts";

interface Init {
  readonly json: string;
  readonly ownToken: boolean;
  readonly reply: Deferred<InitResponse>;
}

export interface StandingSetup {
  readonly wire: Wire;
  readonly token: TokenSource;
  readonly core: () => ClientCore<CodebuffEvent, CodebuffResult, CodebuffClientEvents>;
}

/**
 * What a client has asked of its session as a whole, and asks again after every reconnect, before any
 * prompt: the init, and one subscription with all topics.
 */
export class Standing {
  readonly #setup: StandingSetup;
  readonly #topics = new Set<string>();
  /** Inits that no session has been sent yet. */
  readonly #waiting = new Queue<Init>();
  /** The last init that a session was sent: the next session is sent it too. */
  #sent: Init | undefined;

  constructor(setup: StandingSetup) {
    this.#setup = setup;
  }

  /** Sends an init now or as soon as there is a session. */
  init(json: string, ownToken: boolean): Promise<InitResponse> {
    const init = { json, ownToken, reply: deferred<InitResponse>() };
    const { session } = this.#setup.wire;
    if (session) void this.#sendInit(session, init);
    else this.#waiting.add(init);
    return init.reply.promise;
  }

  /** Subscribes or unsubscribes on a session that is ready. */
  setTopics(session: Session, type: "subscribe" | "unsubscribe", topics: readonly string[]): Promise<void> {
    const apply = (): void => {
      for (const topic of topics) {
        if (type === "subscribe") this.#topics.add(topic);
        else this.#topics.delete(topic);
      }
    };
    return this.#sendTopics(session, type, topics, apply);
  }

  /** Asks a new session for all of it; returns a promise only when there is something to wait for. */
  resume(session: Session): Promise<void> | undefined {
    if (this.#sent || this.#waiting.size > 0)
      return this.#resendInits(session).then(() => this.#resubscribe(session));
    this.#resubscribe(session);
    return undefined;
  }

  /** An init that waits replaces the one that an earlier session was sent. */
  async #resendInits(session: Session): Promise<void> {
    if (this.#sent && this.#waiting.size === 0)
      await this.#sendInit(session, { ...this.#sent, reply: deferred() });
    while (this.#setup.wire.isCurrent(session)) {
      const init = this.#waiting.take();
      if (!init) return;
      await this.#sendInit(session, init);
    }
  }

  #resubscribe(session: Session): void {
    if (this.#topics.size === 0 || !this.#setup.wire.isCurrent(session)) return;
    this.#sendTopics(session, "subscribe", [...this.#topics], () => {}).catch((error: unknown) => {
      if (isAgentwireError(error, "connection-lost")) return; // the next session asks again
      this.#setup.core().warn("resubscribe-failed", String(error));
    });
  }

  unavailable(reason: AgentwireError): void {
    for (let init = this.#waiting.take(); init; init = this.#waiting.take())
      init.reply.reject(copyError(reason));
  }

  async #sendInit(session: Session, init: Init): Promise<void> {
    const { wire, token } = this.#setup;
    let value: string | undefined;
    try {
      value = init.ownToken ? undefined : await token.get();
    } catch (cause) {
      const error = new HandshakeError(
        "refresh-failed",
        "the `authToken` function failed, so init was not sent",
        { cause },
      );
      init.reply.reject(error);
      this.#setup.core().warn("init-failed", error.message, { cause });
      return;
    }
    if (!wire.isCurrent(session)) {
      this.#waiting.add(init); // the session ended meanwhile; the next one is sent it
      return;
    }
    this.#sent = init;
    const sent = { kind: "init", reply: init.reply } as const;
    wire.request(session, sent, (txid) => encode.action(txid, withToken(init.json, value)));
  }

  #sendTopics(
    session: Session,
    type: "subscribe" | "unsubscribe",
    topics: readonly string[],
    apply: () => void,
  ): Promise<void> {
    const reply = deferred<void>();
    this.#setup.wire.request(session, { kind: "topics", reply, apply }, (txid) =>
      encode.topics(type, txid, topics),
    );
    return reply.promise;
  }
}
