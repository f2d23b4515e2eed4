// The options of the mock backend: its script, its users, its switches.
import type { Clock } from "../../core/clock.ts";
import type { BackendScript, BackendSse } from "./script.ts";

/** The options of `MockCodebuffBackend.start()`. */
export interface MockCodebuffBackendOptions extends MockCodebuffBackendSwitches {
  /** The model's script. @default `Hello!` */
  readonly answer?: BackendScript;
  /** The users with API keys. @default one user, `user-1`, with the key `test-key` */
  readonly users?: readonly Partial<BackendUser>[];
  /** The clock of delays, gaps, heartbeats and timestamps. @default systemClock */
  readonly clock?: Clock;
}

/** Switches of one user. They override the server's switches. */
type BackendUserSwitches = Pick<MockCodebuffBackendSwitches, "banned" | "country" | "quota" | "balance">;

/** A user with an API key. */
export interface BackendUser extends BackendUserSwitches {
  readonly key: string;
  readonly id: string;
  readonly email: string;
  readonly discordId: string | null;
  readonly referralCode: string | null;
  readonly referralLink: string | null;
  readonly stripeCustomerId: string | null;
}

/** The switches: set at the start, or at any time with `set()`. */
export interface MockCodebuffBackendSwitches {
  /**
   * Which server version is played: March 2026 or July 2026. They differ in error texts, and July has more gates in
   * free mode.
   * @default "march"
   */
  readonly profile?: "march" | "july";

  // Gates of chat calls. A user can override them: see `addUser()`

  /** Gate 3: 403 `account_suspended`. @default false */
  readonly banned?: boolean;
  /**
   * Gate 4: the user's country. In free mode all except `US` get 403 `free_mode_unavailable`. @default null, unknown
   */
  readonly country?: string | null;
  /** The gate of July in free mode, after the run check. @default null */
  readonly freeModeGate?: BackendFreeModeGate | null;
  /** `Retry-After` of `free_mode_rate_limited`, in seconds. @default 60 */
  readonly retryAfter?: number;
  /** Gate 6: 429 `rate_limit_exceeded`, not in free mode. @default "none" */
  readonly quota?: "none" | "weekly" | "session";
  /** Gate 7: credits. 402 at 0 and below, except in free mode. Searches get 402 too. @default 1000 */
  readonly balance?: number;

  // Bookkeeping

  /** The answer to START has no `runId`. @default false */
  readonly noRunId?: boolean;
  /** ms of the server's clock before the answer to FINISH. @default 0 */
  readonly finishSlowMs?: number;
  /** The token count. `"404"`: the route does not exist. `"bad"`: the body has no count. @default 1234 */
  readonly tokenCount?: number | "404" | "bad";
  /**
   * The agents of the registry: definitions by `publisher/id@version`. The default publisher is `codebuff`, the default
   * version `1.0.0`. `latest` is the last in the list.
   */
  readonly agents?: Readonly<Record<string, object>>;
  /** Each fetch of `latest` returns a higher version. @default false */
  readonly agentsLatestChanges?: boolean;
  /** The result of a web search; null for no result. @default a sentence */
  readonly webSearch?: (search: BackendWebSearch) => string | null;
  /** The result of a documentation search; null for no result. @default a sentence */
  readonly docsSearch?: (search: BackendDocsSearch) => string | null;

  // Streams

  /** The framing and faults of streams. A new value replaces the whole group. */
  readonly sse?: BackendSse;
  /** Also serves `POST /v1/chat/completions`, as a direct provider without runs and gates. @default false */
  readonly openAiCompatible?: boolean;
  /** Whether client mistakes are recorded in `violations`. @default true */
  readonly strict?: boolean;
}

/** The `error` code of July's gate in free mode. */
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

interface BackendWebSearch {
  readonly query: string;
  readonly depth: string;
}

interface BackendDocsSearch {
  readonly libraryTitle: string;
  readonly topic: string | undefined;
  readonly maxTokens: number | undefined;
}
