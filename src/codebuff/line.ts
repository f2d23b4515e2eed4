import type { ClientCore } from "../core/client/client-core.ts";
import type { Redactor } from "../core/client/redact.ts";
import { type AgentwireError, copyError } from "../core/errors.ts";
import { Queue } from "../core/queue.ts";
import { TurnQueue } from "../core/turn/turn-queue.ts";
import type { CodebuffClientEvents } from "./events.ts";
import type { CodebuffSettings } from "./options.ts";
import type { Session } from "./session.ts";
import { type TokenSource, tokenFailed } from "./token.ts";
import type { CodebuffEvent, CodebuffResult } from "./turn.ts";
import type { Wire } from "./wire.ts";

/** Something that this client begins, and that is not written yet. */
export interface Waiting {
  /** Whether it goes out with the client's token. */
  readonly wantsToken: boolean;
  /** Writes it to `session`. It has left the line. */
  write(session: Session, token: string | undefined): void;
  /** It will not be written. */
  fail(error: AgentwireError): void;
  /** Its place in the order of the calls; the line sets it. */
  place?: number;
}

export interface LineSetup {
  readonly settings: CodebuffSettings;
  readonly wire: Wire;
  readonly token: TokenSource;
  readonly core: () => ClientCore<CodebuffEvent, CodebuffResult, CodebuffClientEvents>;
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
  readonly #prompts: TurnQueue<Waiting>;
  /** Init and topics. */
  readonly #standing = new Queue<Waiting>();
  /** What the current session has to be asked again, before anything else. */
  #repeats = new Queue<Waiting>();
  #calls = 0;
  #pumping = false;

  constructor(setup: LineSetup) {
    this.#setup = setup;
    const { maxQueuedTurns: maxTurns, maxQueuedBytes: maxBytes } = setup.settings.socket;
    this.#prompts = new TurnQueue({ maxTurns, maxBytes });
  }

  /** @throws QueueFullError when a prompt of so many bytes does not fit. */
  assertRoom(bytes: number): void {
    this.#prompts.assertRoom(bytes);
  }

  addPrompt(prompt: Waiting, bytes: number): void {
    prompt.place = this.#calls++;
    this.#prompts.add(prompt, bytes);
    this.pump();
  }

  /** The prompt does not wait any more. */
  deletePrompt(prompt: Waiting): void {
    this.#prompts.delete(prompt);
  }

  addStanding(standing: Waiting): void {
    standing.place = this.#calls++;
    this.#standing.add(standing);
    this.pump();
  }

  /** A session was identified: `repeats` go out before anything else. */
  resume(repeats: Iterable<Waiting>): void {
    this.#repeats = new Queue();
    for (const repeat of repeats) this.#repeats.add(repeat);
    this.pump();
  }

  /** A ping is due. It waits while the session holds everything back. Returns whether it went out. */
  ping(): boolean {
    const { wire } = this.#setup;
    const { live } = wire;
    if (!live?.holdsBack) return wire.ping();
    live.pingIsDue = true;
    return false;
  }

  /** The connection is given up, or the client is closed: fails everything in the line. */
  clear(reason: AgentwireError): void {
    this.#repeats.clear();
    const standing: Waiting[] = [];
    for (let next = this.#standing.take(); next; next = this.#standing.take()) standing.push(next);
    for (const waiting of [...this.#prompts.clear(), ...standing]) {
      const error = copyError(reason);
      error.delivery = "not-sent";
      waiting.fail(error);
    }
  }

  /** Takes what would go out next on `session`, if it fits. */
  takeNext<T extends Waiting>(session: Session, fits: (next: Waiting) => next is T): T | undefined {
    const next = this.#next(session);
    if (!next || !fits(next)) return undefined;
    this.#take(next);
    return next;
  }

  /** Writes what may be written. Waits for nothing but a token function, and everything else waits behind that. */
  pump(): void {
    if (!this.#pumping) void this.#run();
  }

  async #run(): Promise<void> {
    this.#pumping = true; // a token function is the caller's code, and may prompt
    const { wire } = this.#setup;
    for (let session = this.#ready(); session; session = this.#ready()) {
      const next = this.#next(session);
      if (!next) break;
      const token = next.wantsToken ? this.#setup.token.get() : undefined;
      const got = typeof token === "object" ? await outcomeOf(token, this.#setup.core().redactor) : { token };
      // Meanwhile the session may have ended, or the caller may have taken this back.
      if (typeof token === "object" && (wire.identified !== session || this.#next(session) !== next))
        continue;
      this.#take(next);
      if ("error" in got) next.fail(got.error);
      else next.write(session, got.token);
    }
    this.#pumping = false;
  }

  /** The session that may be written to, after the ping that was due. */
  #ready(): Session | undefined {
    const { wire, core } = this.#setup;
    const session = wire.identified;
    if (!session || session.holdsBack) return undefined;
    if (session.pingIsDue) {
      if (wire.ping()) core().connection.answerDue();
      return this.#ready(); // the ping may have found the link broken, and what waits is for the next one
    }
    if (session.phase === "resuming" && !this.#firstStanding) session.phase = "ready";
    return session;
  }

  get #firstStanding(): Waiting | undefined {
    return this.#repeats.first ?? this.#standing.first;
  }

  #next(session: Session): Waiting | undefined {
    const standing = this.#firstStanding;
    const prompt = session.takesPrompt ? this.#prompts.first() : undefined;
    if (!standing || !prompt) return standing ?? prompt;
    return placeOf(standing) < placeOf(prompt) ? standing : prompt;
  }

  #take(next: Waiting): void {
    if (this.#repeats.first === next) this.#repeats.take();
    else if (this.#standing.first === next) this.#standing.take();
    else this.#prompts.delete(next);
  }
}

/** What is repeated has no place of its own: it goes before everything. */
function placeOf({ place = -1 }: Waiting): number {
  return place;
}

/** The token, or why there is none; never rejects. */
function outcomeOf(
  token: Promise<string | undefined>,
  redactor: Redactor,
): Promise<{ readonly token: string | undefined } | { readonly error: AgentwireError }> {
  return token.then(
    (value) => ({ token: value }),
    (cause: unknown) => ({ error: tokenFailed(cause, redactor) }),
  );
}
