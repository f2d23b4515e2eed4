// The switches of the mock: gates, streaming, searches, faults.

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

/** How an answer is streamed. Counts of frames are counts of `data:` blocks, `[DONE]` included. */
export interface BackendSse {
  // Framing

  /** Bytes in each write. @default one frame in each write */
  readonly chunkBytes?: number;
  /** Lines end with CR LF. @default false */
  readonly crlf?: boolean;
  /** Lines end with CR. @default false */
  readonly cr?: boolean;
  /** No `: connected` comment. @default false */
  readonly noConnected?: boolean;
  /** ms of the server's clock between `: heartbeat` comments; 0 for none. @default 30000 */
  readonly heartbeatMs?: number;
  /** The JSON of each frame in several `data:` lines. @default false */
  readonly multiData?: boolean;

  // Content

  /** No `[DONE]`. @default false */
  readonly noDone?: boolean;
  /** No frame with a `finish_reason`. @default false */
  readonly noFinish?: boolean;
  /** No `usage`. @default false */
  readonly noUsage?: boolean;
  /** `usage` on the frame with the `finish_reason`, instead of on one of its own. @default false */
  readonly usageOnFinish?: boolean;
  /** Tool calls without ids. @default false */
  readonly noToolIds?: boolean;
  /** All tool calls of an answer have the id `call_0`. @default false */
  readonly repeatToolIds?: boolean;
  /** A frame with `choices: []` behind the first frame. @default false */
  readonly emptyChoices?: boolean;
  /** Behind each text, a frame with a text of the choice with index 1. @default false */
  readonly extraChoice?: boolean;

  // Faults, behind so many frames

  /** The connection ends without the end of the body. */
  readonly cutAfter?: number;
  /** The body ends. */
  readonly endAfter?: number;
  /** A frame with `{"error":{...}}`, and the body ends. */
  readonly errorAfter?: number;
  /** A frame that is no JSON; the stream goes on. */
  readonly badJsonAfter?: number;
  /** Nothing comes any more, heartbeats neither. */
  readonly stallAfter?: number;

  // Answers that are no stream

  /** 200 with one JSON object. @default false */
  readonly asJson?: boolean;
  /** 502 with a page of HTML. @default false */
  readonly html502?: boolean;
  /** 307 to this origin. */
  readonly redirect?: string;
  /** The stream is compressed, whether the client accepts it or not. @default false */
  readonly gzip?: boolean;
}
