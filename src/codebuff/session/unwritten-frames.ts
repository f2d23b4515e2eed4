// Requests that are not written yet, in the order of the calls; init and topics go first after a reconnect.
import { type AgentwireError, copyError } from "../../core/errors.ts";
import { Queue } from "../../core/queue.ts";
import type { CodebuffCore } from "../events.ts";
import type { CodebuffWire } from "../wire.ts";
import type { SocketSession } from "./session.ts";
import { type TokenSource, tokenFailed } from "./token.ts";

/** A prompt or request of this client that is not written yet. */
export interface UnwrittenFrame {
  /** Whether the frame carries the client's token. */
  readonly wantsToken: boolean;
  /** The place in the order of the calls. A request that a new session repeats has no place. */
  place: number | undefined;
  /** Writes the frame to `session` and removes it from the unwritten frames. */
  write(session: SocketSession, token: string | undefined): void;
  /** Fails the request: it will not be written. */
  fail(error: AgentwireError): void;
}

interface UnwrittenFramesSetup {
  readonly core: CodebuffCore;
  readonly wire: CodebuffWire;
  readonly token: TokenSource;
  /** Gives the next prompt to send. */
  readonly runner: { readonly first: UnwrittenFrame | undefined };
}

/** The next frame to write, and its session. */
interface Next {
  readonly session: SocketSession;
  readonly waiting: UnwrittenFrame;
}

/**
 * The frames that this client begins and has not written: prompts, init, topics, and a due ping.
 *
 * A new session first repeats the requests that an earlier session accepted. Then come the waiting init and topics requests. After that,
 * calls go out in their order. Only prompts wait for the limit `maxConcurrentPrompts`. While a session holds everything back for the
 * running prompt, nothing is written. When that prompt has ended, the ping goes first.
 */
export class UnwrittenFrames {
  readonly #setup: UnwrittenFramesSetup;
  /** Waiting init and topics requests. */
  #standing: Queue<UnwrittenFrame> | undefined;
  /** The requests to repeat on the current session before anything else. */
  #repeats: Queue<UnwrittenFrame> | undefined;
  #calls = 0;
  /** A token function is being asked; every frame waits for it. */
  #isAsking = false;

  constructor(setup: UnwrittenFramesSetup) {
    this.#setup = setup;
  }

  /** Returns the next place in the order of the calls. */
  newPlace(): number {
    return this.#calls++;
  }

  addStanding(standing: UnwrittenFrame): void {
    standing.place = this.newPlace();
    this.#standing ??= new Queue();
    this.#standing.add(standing);
    this.pump();
  }

  /** A session was identified: writes `repeats` before anything else. */
  resume(repeats: Iterable<UnwrittenFrame>): void {
    this.#repeats = undefined;
    for (const repeat of repeats) {
      this.#repeats ??= new Queue();
      this.#repeats.add(repeat);
    }
    this.pump();
  }

  /** The connection is given up, or the client is closed. Fails every waiting init and topics request. */
  clear(reason: AgentwireError): void {
    this.#repeats = undefined;
    for (let next = this.#standing?.take(); next; next = this.#standing?.take()) {
      const error = copyError(reason);
      error.delivery = "not-sent";
      next.fail(error);
    }
  }

  /** Takes the next init or topics request, if `fits` accepts it. */
  takeNext<T extends UnwrittenFrame>(fits: (next: UnwrittenFrame) => next is T): T | undefined {
    const next = this.#next()?.waiting;
    if (!next || !fits(next)) return undefined;
    this.#take(next);
    return next;
  }

  /** Writes the frames that may be written now. Waits only for a token function. */
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
      // Meanwhile the session may have ended, or the caller may have cancelled this prompt.
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

  /** The session that may be written to. A due ping goes first: the session is ready once the socket has taken the ping. */
  #ready(): SocketSession | undefined {
    const { wire, core } = this.#setup;
    const session = wire.identified;
    if (!session || session.holdsBack) return undefined;
    if (session.pingIsDue) {
      wire.pingNow();
      // After the write of the ping: if the socket refuses the ping, no other frame is lost with it.
      core.outbox.write(() => core.outbox.run(() => this.pump()));
      return undefined;
    }
    if (session.phase === "resuming" && !this.#firstStanding) session.phase = "ready";
    return session;
  }

  get #firstStanding(): UnwrittenFrame | undefined {
    return this.#repeats?.first ?? this.#standing?.first;
  }

  /** Removes a standing request from its queue. A prompt leaves the runner's queue by itself. */
  #take(next: UnwrittenFrame): void {
    if (this.#repeats?.first === next) this.#repeats.take();
    else if (this.#standing?.first === next) this.#standing.take();
  }
}

/** Repeated requests go first. */
function placeOf({ place = -1 }: UnwrittenFrame): number {
  return place;
}
