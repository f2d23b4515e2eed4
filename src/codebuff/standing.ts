import type { ClientCore } from "../core/client-core.ts";
import { type Deferred, deferred } from "../core/deferred.ts";
import { type AgentwireError, copyError, isAgentwireError } from "../core/errors.ts";
import { utf8Length } from "../core/frames.ts";
import { Queue } from "../core/queue.ts";
import type { CodebuffClientEvents } from "./events.ts";
import { frameLimit } from "./frame-limit.ts";
import { encode, type InitResponse } from "./messages.ts";
import type { CodebuffSettings } from "./options.ts";
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

type Asked = Init | Topics;

export interface StandingSetup {
  readonly settings: CodebuffSettings;
  readonly wire: Wire;
  readonly token: TokenSource;
  readonly core: () => ClientCore<CodebuffEvent, CodebuffResult, CodebuffClientEvents>;
  /** Why nothing will be sent any more, once that is so. */
  readonly closed: () => AgentwireError | undefined;
  /** All that was asked has been written: prompts may follow. */
  readonly done: () => void;
}

/**
 * What a client has asked of its session as a whole: the init, and topics. It goes out one by one, in the
 * order of the calls, and is asked anew of every next session, before any prompt.
 */
export class Standing {
  readonly #setup: StandingSetup;
  readonly #topics = new Set<string>();
  /** What the session that is resuming has to be asked again; made anew for each. */
  #repeats = new Queue<Asked>();
  /** What was asked and not yet written, the next one first. */
  readonly #waiting = new Queue<Asked>();
  #pumping = false;
  /** The last init that a server answered. */
  #answered: Init | undefined;

  constructor(setup: StandingSetup) {
    this.#setup = setup;
  }

  /** Whether something has to be written before a prompt. */
  get hasWork(): boolean {
    return this.#pumping || this.#repeats.size > 0 || this.#waiting.size > 0;
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

  /** A new session stands: it is asked for all of it, and then told to be ready. */
  resume(): void {
    this.#repeats = new Queue();
    if (this.#answered)
      this.#repeats.add({ ...this.#answered, reply: this.#repeated<InitResponse>("reinit-failed") });
    const topics = [...this.#topics];
    if (topics.length > 0) {
      this.#repeats.add({ kind: "subscribe", topics, reply: this.#repeated<void>("resubscribe-failed") });
    }
    void this.#pump();
  }

  unavailable(reason: AgentwireError): void {
    this.#repeats.clear();
    for (let asked = this.#waiting.take(); asked; asked = this.#waiting.take()) {
      asked.reply.reject(copyError(reason));
    }
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

  #ask(asked: Asked): void {
    const error = this.#setup.closed();
    if (error) {
      asked.reply.reject(error);
      return;
    }
    this.#waiting.add(asked);
    void this.#pump();
  }

  /**
   * Writes what waits, one at a time. What is next stays in its queue until it is written, so that a session
   * that ends while a token is awaited loses nothing. Waits for nothing but a token function.
   */
  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    const { wire } = this.#setup;
    for (let session = wire.identified; session; session = wire.identified) {
      const asked = this.#next.first;
      if (!asked) break;
      const token = this.#tokenFor(asked);
      const got = typeof token === "object" ? await token : { token };
      if (wire.identified !== session || this.#next.first !== asked) continue;
      this.#next.take();
      if ("error" in got) asked.reply.reject(got.error);
      else if (asked.kind === "init") this.#writeInit(session, asked, got.token);
      else this.#writeTopics(session, asked.kind, [asked, ...this.#takeMore(asked)]);
    }
    this.#pumping = false;
    if (!this.hasWork) this.#setup.done();
  }

  get #next(): Queue<Asked> {
    return this.#repeats.size > 0 ? this.#repeats : this.#waiting;
  }

  /** At once where there is nothing to ask; never rejects. */
  #tokenFor(
    asked: Asked,
  ):
    | string
    | undefined
    | Promise<{ readonly token: string | undefined } | { readonly error: AgentwireError }> {
    if (asked.kind !== "init" || asked.ownToken) return undefined;
    const token = this.#setup.token.get();
    if (typeof token !== "object") return token;
    return token.then(
      (value) => ({ token: value }),
      (cause: unknown) => ({ error: tokenFailed(cause, this.#setup.core().redactor) }),
    );
  }

  /** What follows of the same kind: several subscribes go out as one, with the union of their topics, as far as a frame holds them. */
  #takeMore({ kind, topics }: Topics): readonly Topics[] {
    const { settings, wire } = this.#setup;
    let room = frameLimit(settings, wire.server) - sizeOf(topics);
    const more: Topics[] = [];
    for (let next = this.#next.first; next?.kind === kind; next = this.#next.first) {
      room -= sizeOf(next.topics);
      if (room < ENVELOPE) break;
      this.#next.take();
      more.push(next);
    }
    return more;
  }

  #writeInit(session: Session, { json, reply }: Init, token: string | undefined): void {
    const frame = (txid: number): string => encode.action(txid, withToken(json, token));
    this.#setup.wire.request(session, { kind: "init", reply }, frame);
  }

  #writeTopics(session: Session, kind: Topics["kind"], asked: readonly Topics[]): void {
    const topics = [...new Set(asked.flatMap((each) => each.topics))];
    const apply = (): void => {
      for (const topic of topics) {
        if (kind === "subscribe") this.#topics.add(topic);
        else this.#topics.delete(topic);
      }
    };
    const reply = deferred<void>();
    for (const each of asked) {
      reply.promise.then(each.reply.resolve, (error: AgentwireError) => each.reply.reject(copyError(error)));
    }
    const frame = (txid: number): string => encode.topics(kind, txid, topics);
    this.#setup.wire.request(session, { kind: "topics", reply, apply }, frame);
  }
}

/** Bytes of a frame around its topics: more than its type and any txid need. */
const ENVELOPE = 100;

function sizeOf(topics: readonly string[]): number {
  return utf8Length(JSON.stringify(topics));
}
