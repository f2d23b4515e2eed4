// The state that the turns and calls of one session share: the client's connection, and the model's context.
import type { CodeyBackend } from "./backend.ts";
import { Approvals, type PlannedCall } from "./calls.ts";
import { type HistoryEntry, ROOT, type ServerMessage, type WireUsage } from "./messages.ts";
import type { CodeyMockSettings } from "./profiles.ts";
import type { CodeyConnection, CodeyMistake } from "./record.ts";

/** The connection of a session. */
export interface Speaker extends CodeyConnection {
  /** The number of frames received. */
  readonly arrived: number;
  /**
   * Sends a message. Returns false if the connection is gone. If a Close without a reply left the socket open, the
   * first failed message ends the connection.
   * @param first whether it is the first message of a turn
   */
  say(message: ServerMessage, first: boolean): boolean;
  blame(mistake: CodeyMistake): void;
}

/** The calls of one `ToolRequest`. */
export interface ScriptRound {
  /** The calls without a terminal message, in request order. */
  readonly open: readonly PlannedCall[];
  /** Forgets all calls without a message. */
  stop(): void;
  /** The turn was dropped, but its calls still run. */
  stray(): void;
}

/** The wall time when the server's clock is at zero. */
const EPOCH = Date.UTC(2026, 0, 1);

const NO_USAGE: WireUsage = {
  output_tokens: 0,
  context_tokens: 0,
  cache_creation_tokens: 0,
  cache_read_tokens: 0,
};

/** The default usage of one request to the model. */
const USUAL_USAGE: WireUsage = { ...NO_USAGE, output_tokens: 10, context_tokens: 100 };

/** Replies that can come outside of turns. */
const OUTSIDE_TURNS: ReadonlySet<ServerMessage["type"]> = new Set(["Connected", "Pong", "State", "History"]);

/** The number of failed sends that ends a session. */
const FAILED_SENDS = 2;

/**
 * One session of the server.
 *
 * ```
 *              a fatal Error
 *          +------------------> mute ----+
 *          |                             |
 *   live --+  an unknown tool            |  the connection is gone
 *          +------------------> panicked-+-----------------------+
 *          |                                                     v
 *          +--> leaked ------------------------------------->  ended
 *      the connection is gone      two messages could not be sent
 * ```
 */
export abstract class SessionContext {
  readonly backend: CodeyBackend;
  readonly speaker: Speaker;
  readonly approvals = new Approvals();
  readonly rounds = new Set<ScriptRound>();
  protected phase: "live" | "mute" | "panicked" | "leaked" | "ended" = "live";
  /** Whether the model's API refuses every request with this context. */
  protected malformed = false;
  protected isFirstOfTurn = false;
  #usage = NO_USAGE;
  #failedSends = 0;
  readonly #history: HistoryEntry[] = [];

  constructor(backend: CodeyBackend, speaker: Speaker) {
    this.backend = backend;
    this.speaker = speaker;
  }

  /** The turn has ended without being stopped. */
  abstract over(): void;
  /** A fatal error was sent. */
  abstract fatal(): void;
  /** Stops everything. Idempotent. */
  abstract end(): void;

  get settings(): CodeyMockSettings {
    return this.backend.settings;
  }

  get isMalformed(): boolean {
    return this.malformed;
  }

  /** `output_tokens` is the sum of all requests. The other counts are those of the last request. */
  get usage(): WireUsage {
    return this.#usage;
  }

  /** Whether the session works, with or without a connection. */
  get isUp(): boolean {
    return this.phase === "live" || this.phase === "leaked";
  }

  say(message: ServerMessage): void {
    if (!this.isUp) return;
    const first = this.isFirstOfTurn && !OUTSIDE_TURNS.has(message.type);
    if (first) this.isFirstOfTurn = false;
    if (this.speaker.say(message, first)) return;
    this.#failedSends++;
    this.endIfFailed();
  }

  sayError(message: string, fatal: boolean): void {
    this.say({ type: "Error", message, fatal });
    if (fatal) this.fatal();
  }

  raw(frame: string | Uint8Array): void {
    if (this.phase === "live") this.speaker.send(frame);
  }

  finish(): void {
    this.say({ type: "Finished", agent_id: ROOT, usage: this.#usage });
  }

  /** Adds the usage of a completed request to the model. */
  spend(request: Partial<WireUsage>): void {
    const usage = { ...USUAL_USAGE, ...request };
    this.#usage = { ...usage, output_tokens: this.#usage.output_tokens + usage.output_tokens };
  }

  remember(role: HistoryEntry["role"], content: string): void {
    const timestamp = new Date(EPOCH + this.backend.clock.now()).toISOString();
    if (content !== "") this.#history.push({ role, content, timestamp });
  }

  history(): readonly HistoryEntry[] {
    const { history } = this.settings;
    if (history === "empty") return [];
    if (history === "filled") return this.#history;
    return this.#history.map((entry) => (entry.role === "user" ? entry : { ...entry, timestamp: null }));
  }

  /** Handles the call of an unknown tool. */
  panic(): void {
    if (this.settings.unknownTool === "processDeath") this.backend.die();
    else if (this.phase === "live") this.phase = "panicked";
  }

  /** The context gets a result without its call, so the model's API will refuse it. */
  strayed(): void {
    this.malformed = true;
  }

  protected endIfFailed(): void {
    if (this.phase !== "leaked" || this.#failedSends < FAILED_SENDS) return;
    this.end();
    this.backend.journal.changed();
  }
}
