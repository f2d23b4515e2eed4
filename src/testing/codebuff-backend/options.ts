// The options of the mock backend: its script, its users, its switches.
import type { Clock } from "../../core/clock.ts";
import type { BackendScript, BackendSse } from "./script.ts";

/** What `MockCodebuffBackend.start()` takes. */
export interface MockCodebuffBackendOptions extends MockCodebuffBackendSwitches {
  /** What the model says. @default `Hello!` */
  readonly answer?: BackendScript;
  /** Who has an API key. @default one user, `user-1`, with the key `test-key` */
  readonly users?: readonly Partial<BackendUser>[];
  /** The source of time: for delays, gaps, heartbeats and timestamps. @default systemClock */
  readonly clock?: Clock;
}

/** Gates of a user alone, above the switches of the server. */
export type BackendUserSwitches = Pick<
  MockCodebuffBackendSwitches,
  "banned" | "country" | "quota" | "balance"
>;

/** Who has an API key. */
export interface BackendUser extends BackendUserSwitches {
  readonly key: string;
  readonly id: string;
  readonly email: string;
  readonly discordId: string | null;
  readonly referralCode: string | null;
  readonly referralLink: string | null;
  readonly stripeCustomerId: string | null;
}

/** Everything that can be set at the start, and by `set()` at any time. */
export interface MockCodebuffBackendSwitches {
  /**
   * Whose texts and gates of chat calls: the server of March 2026, or the one of July 2026, which has more gates in free mode.
   * @default "march"
   */
  readonly profile?: "march" | "july";

  // Gates of chat calls. Users may have values of their own: see `addUser()`

  /** Gate 3: 403 `account_suspended`. @default false */
  readonly banned?: boolean;
  /** Gate 4: where the user is, as two letters. In free mode 403 `free_mode_unavailable`, but for `US`. @default null, unknown */
  readonly country?: string | null;
  /** The gate of July behind the check of the run, in free mode. @default null */
  readonly freeModeGate?: BackendFreeModeGate | null;
  /** `Retry-After` of `free_mode_rate_limited`, in seconds. @default 60 */
  readonly retryAfter?: number;
  /** Gate 6: 429 `rate_limit_exceeded`, not in free mode. @default "none" */
  readonly quota?: "none" | "weekly" | "session";
  /** Gate 7: credits. 402 at 0 and below, not in free mode; 402 of searches too. @default 1000 */
  readonly balance?: number;

  // Bookkeeping

  /** START answers without a `runId`. @default false */
  readonly noRunId?: boolean;
  /** ms of the server's clock before the answer to FINISH. @default 0 */
  readonly finishSlowMs?: number;
  /** The count that is answered; `"404"` as if the route did not exist; `"bad"` a body without the count. @default 1234 */
  readonly tokenCount?: number | "404" | "bad";
  /**
   * The agents of the registry: definitions by `publisher/id@version`. Without publisher: `codebuff`; without version: `1.0.0`.
   * `latest` is the one that is listed last.
   */
  readonly agents?: Readonly<Record<string, object>>;
  /** Each fetch of `latest` gives a higher version. @default false */
  readonly agentsLatestChanges?: boolean;
  /** What a web search finds; null for nothing. @default a sentence */
  readonly webSearch?: (search: BackendWebSearch) => string | null;
  /** What a search in documentation finds; null for nothing. @default a sentence */
  readonly docsSearch?: (search: BackendDocsSearch) => string | null;

  // Streams

  /** How streams are written, and how they break. A new value replaces the whole group. */
  readonly sse?: BackendSse;
  /** Serves `POST /v1/chat/completions` too, without runs and gates, as a direct provider. @default false */
  readonly openAiCompatible?: boolean;
  /** Whether mistakes of clients are noted in `violations`. @default true */
  readonly strict?: boolean;
}

/** The `error` of a gate that July has in free mode. */
export type BackendFreeModeGate =
  | "free_mode_gemini_thinker_required"
  | "free_mode_invalid_agent_model"
  | "free_mode_cli_required"
  | "free_mode_invalid_agent_hierarchy"
  | "session_model_mismatch"
  | "session_superseded"
  | "session_expired"
  | "waiting_room_required"
  | "waiting_room_queued"
  | "free_mode_rate_limited";

export interface BackendWebSearch {
  readonly query: string;
  readonly depth: string;
}

export interface BackendDocsSearch {
  readonly libraryTitle: string;
  readonly topic: string | undefined;
  readonly maxTokens: number | undefined;
}
