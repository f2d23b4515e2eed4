import { type AgentwireError, copyError } from "../core/errors.ts";
import { Queue } from "../core/queue.ts";
import type { CodebuffCore } from "./events.ts";
import type { Session } from "./session.ts";
import { type TokenSource, tokenFailed } from "./token.ts";
import type { Wire } from "./wire.ts";

/** Something that this client begins, and that is not written yet. */
export interface Waiting {
  /** Whether it goes out with the client's token. */
  readonly wantsToken: boolean;
  /** Its place in the order of the calls. A request that a new session repeats has none. */
  place: number | undefined;
  /** Writes it to `session`, and takes it off the line. */
  write(session: Session, token: string | undefined): void;
  /** It will not be written. */
  fail(error: AgentwireError): void;
}

export interface LineSetup {
  readonly core: CodebuffCore;
  readonly wire: Wire;
  readonly token: TokenSource;
  /** Its first prompt is the next to be sent. */
  readonly runner: { readonly first: Waiting | undefined };
}

/** What goes out next, and where. */
interface Next {
  readonly session: Session;
  readonly waiting: Waiting;
}

/**
 * Everything that this client begins and has not written: prompts, init and topics, and the ping that is due.
 *
 * A new session first gets again what an earlier one has accepted, then what waits of init and topics. From then on the
 * calls go out in their order. Only prompts wait behind the prompts above `maxConcurrentPrompts`. While a session holds
 * everything back for the prompt that runs, nothing is written. When that prompt has ended, the ping goes first.
 */
export class Line {
  readonly #setup: LineSetup;
  /** Init and topics. */
  readonly #standing = new Queue<Waiting>();
  /** What the current session has to be asked again, before anything else. */
  #repeats = new Queue<Waiting>();
  #calls = 0;
  /** Everything waits behind what a token function is asked for. */
  #isAsking = false;

  constructor(setup: LineSetup) {
    this.#setup = setup;
  }

  /** The place of a call in the order of all. */
  newPlace(): number {
    return this.#calls++;
  }

  addStanding(standing: Waiting): void {
    standing.place = this.newPlace();
    this.#standing.add(standing);
    this.pump();
  }

  /** A session was identified: `repeats` go out before anything else. */
  resume(repeats: Iterable<Waiting>): void {
    this.#repeats = new Queue();
    for (const repeat of repeats) this.#repeats.add(repeat);
    this.pump();
  }

  /** The connection is given up, or the client is closed. Every waiting init and topics request fails. */
  clear(reason: AgentwireError): void {
    this.#repeats.clear();
    for (let next = this.#standing.take(); next; next = this.#standing.take()) {
      const error = copyError(reason);
      error.delivery = "not-sent";
      next.fail(error);
    }
  }

  /** Takes the next init or topics request off the line, if it fits. */
  takeNext<T extends Waiting>(fits: (next: Waiting) => next is T): T | undefined {
    const next = this.#next()?.waiting;
    if (!next || !fits(next)) return undefined;
    this.#take(next);
    return next;
  }

  /** Writes what may be written. Waits for nothing but a token function. */
  pump(): void {
    while (!this.#isAsking) {
      const next = this.#next();
      if (!next) return;
      const token = next.waiting.wantsToken ? this.#setup.token.get() : undefined;
      if (typeof token === "object") void this.#writeOnce(next, token);
      else this.#write(next, token);
    }
  }

  async #writeOnce(asked: Next, token: Promise<string | undefined>): Promise<void> {
    const { redactor, outbox } = this.#setup.core;
    this.#isAsking = true;
    const got = await token.then(
      (value) => ({ value }),
      (cause: unknown) => ({ error: tokenFailed(cause, redactor) }),
    );
    outbox.run(() => {
      this.#isAsking = false;
      const next = this.#next();
      // Meanwhile the session may have ended, or the caller may have taken this back.
      if (next?.session === asked.session && next.waiting === asked.waiting) {
        if ("value" in got) this.#write(next, got.value);
        else this.#fail(next, got.error);
      }
      this.pump();
    });
  }

  #write({ session, waiting }: Next, token: string | undefined): void {
    this.#take(waiting);
    waiting.write(session, token);
  }

  #fail({ waiting }: Next, error: AgentwireError): void {
    this.#take(waiting);
    waiting.fail(error);
  }

  #next(): Next | undefined {
    const session = this.#ready();
    if (!session) return undefined;
    const prompt = session.takesPrompt ? this.#setup.runner.first : undefined;
    const standing = this.#firstStanding;
    const goesFirst = standing && (!prompt || placeOf(standing) < placeOf(prompt));
    const waiting = goesFirst ? standing : prompt;
    return waiting && { session, waiting };
  }

  /** The session that may be written to; after the ping that was due, once the socket has taken that. */
  #ready(): Session | undefined {
    const { wire, core } = this.#setup;
    const session = wire.identified;
    if (!session || session.holdsBack) return undefined;
    if (session.pingIsDue) {
      wire.pingNow();
      // Behind the write of the ping: where the socket refuses the ping, nothing else is lost with it.
      core.outbox.write(() => core.outbox.run(() => this.pump()));
      return undefined;
    }
    if (session.phase === "resuming" && !this.#firstStanding) session.phase = "ready";
    return session;
  }

  get #firstStanding(): Waiting | undefined {
    return this.#repeats.first ?? this.#standing.first;
  }

  /** A prompt leaves its own queue. */
  #take(next: Waiting): void {
    if (this.#repeats.first === next) this.#repeats.take();
    else if (this.#standing.first === next) this.#standing.take();
  }
}

/** Repeated requests go first. */
function placeOf({ place = -1 }: Waiting): number {
  return place;
}
