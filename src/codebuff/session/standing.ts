// The init and the topics of a client, repeated after a reconnect.
import { deferred } from "../../core/deferred.ts";
import { copyError, isAgentwireError } from "../../core/errors.ts";
import { Table } from "../../core/table.ts";
import { utf8Length } from "../../core/text.ts";
import type { CodebuffCore } from "../events.ts";
import { encode, type InitResponse } from "../messages.ts";
import type { CodebuffSettings } from "../options.ts";
import type { CodebuffWire } from "../wire.ts";
import { frameLimit } from "./frame-limit.ts";
import type { PendingReply, SocketSession } from "./session.ts";
import { withToken } from "./token.ts";
import type { UnwrittenFrame, UnwrittenFrames } from "./unwritten-frames.ts";

interface Init {
  readonly json: string;
  readonly hasToken: boolean;
}

interface Topics extends UnwrittenFrame {
  readonly kind: "subscribe" | "unsubscribe";
  readonly topics: readonly string[];
  readonly reply: PendingReply<void>;
}

export interface StandingSetup {
  readonly settings: CodebuffSettings;
  readonly core: CodebuffCore;
  readonly wire: CodebuffWire;
  readonly line: UnwrittenFrames;
}

/** The init and the topics of a client. The client repeats them on every new session. */
export class Standing {
  readonly #setup: StandingSetup;
  readonly #topics = new Table<string, true>();
  /** The last init that a server has answered. */
  #answered: Init | undefined;

  constructor(setup: StandingSetup) {
    this.#setup = setup;
  }

  init(json: string, hasToken: boolean): Promise<InitResponse> {
    const { promise, resolve, reject } = deferred<InitResponse>();
    const init: Init = { json, hasToken };
    const answered = (response: InitResponse): void => {
      this.#answered = init; // only an accepted init is repeated
      resolve(response);
    };
    this.#setup.line.addStanding(this.#toInit(init, { resolve: answered, reject }));
    return promise;
  }

  setTopics(kind: "subscribe" | "unsubscribe", topics: readonly string[]): Promise<void> {
    const { promise, resolve, reject } = deferred<void>();
    this.#setup.line.addStanding(this.#toTopics(kind, topics, { resolve, reject }));
    return promise;
  }

  /** The requests to repeat on a new session, made anew for each session. */
  *repeats(): Iterable<UnwrittenFrame> {
    if (this.#answered) yield this.#toInit(this.#answered, this.#repeated("reinit-failed"));
    const topics = [...this.#topics.keys()];
    if (topics.length > 0) yield this.#toTopics("subscribe", topics, this.#repeated("resubscribe-failed"));
  }

  /** The reply to a repeated request. No caller awaits this reply, so a failure is a warning. */
  #repeated<T>(warning: string): PendingReply<T> {
    return {
      resolve: () => {},
      reject: (error) => {
        const over = isAgentwireError(error, "connection-lost") || isAgentwireError(error, "closed");
        if (!over) this.#setup.core.warn(warning, error.message); // otherwise the next session repeats the request, or there is none
      },
    };
  }

  #toInit({ json, hasToken }: Init, reply: PendingReply<InitResponse>): UnwrittenFrame {
    return {
      place: undefined,
      wantsToken: !hasToken,
      write: (session, token) => {
        const frame = (txid: number): string => encode.action(txid, withToken(json, token));
        this.#setup.wire.request(session, { kind: "init", reply }, frame);
      },
      fail: (error) => reply.reject(error),
    };
  }

  #toTopics(kind: Topics["kind"], topics: readonly string[], reply: PendingReply<void>): Topics {
    const asked: Topics = {
      kind,
      topics,
      reply,
      place: undefined,
      wantsToken: false,
      write: (session) => this.#writeTopics(session, kind, [asked, ...this.#takeMore(asked)]),
      fail: (error) => reply.reject(error),
    };
    return asked;
  }

  /**
   * Takes the next requests of the same kind. Several subscribes become one frame, with all their topics, as far as the
   * frame limit allows.
   */
  #takeMore({ kind, topics }: Topics): readonly Topics[] {
    const { settings, wire, line } = this.#setup;
    let left = frameLimit(settings, wire.server) - sizeOf(topics);
    const fits = (next: UnwrittenFrame): next is Topics => {
      if (!isTopics(next) || next.kind !== kind) return false;
      left -= sizeOf(next.topics);
      return left >= ENVELOPE;
    };
    const more: Topics[] = [];
    for (let next = line.takeNext(fits); next; next = line.takeNext(fits)) more.push(next);
    return more;
  }

  #writeTopics(session: SocketSession, kind: Topics["kind"], asked: readonly Topics[]): void {
    const topics = [...new Set(asked.flatMap((each) => each.topics))];
    const reply: PendingReply<void> = {
      resolve: () => {
        for (const topic of topics) {
          if (kind === "subscribe") this.#topics.set(topic, true);
          else this.#topics.delete(topic);
        }
        for (const each of asked) each.reply.resolve();
      },
      reject: (error) => {
        for (const each of asked) each.reply.reject(copyError(error));
      },
    };
    this.#setup.wire.request(session, { kind: "topics", reply }, (txid) => encode.topics(kind, txid, topics));
  }
}

function isTopics(waiting: UnwrittenFrame): waiting is Topics {
  return "topics" in waiting;
}

/** Upper bound on the bytes of a frame around its topics. */
const ENVELOPE = 100;

function sizeOf(topics: readonly string[]): number {
  return utf8Length(JSON.stringify(topics));
}
