// The types of the records: requests, runs and violations.

/** The endpoints of the backend, by short name. `chat` is also `POST /v1/chat/completions` with `openAiCompatible`. */
export type BackendEndpoint =
  | "healthz"
  | "me"
  | "agents"
  | "agent-runs"
  | "steps"
  | "token-count"
  | "chat"
  | "web-search"
  | "docs-search";

/** One request and its outcome. API keys are masked. */
export interface BackendRequest {
  /** 1 for the first request since the start, or since `reset()`. */
  readonly id: number;
  /** `clock.now()` when the whole request had arrived, in ms. */
  readonly at: number;
  /** Undefined for an unknown path or method. */
  readonly endpoint: BackendEndpoint | undefined;
  /** The `action` of a request to `agent-runs`. */
  readonly action: "START" | "FINISH" | undefined;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON of the body, regardless of the content type; undefined for invalid JSON. */
  readonly body: unknown;
  /** The body, unchanged. */
  readonly text: string;
  /** The user of the API key; null for a missing or unknown key. */
  readonly userId: string | null;
  /** The run that the request names; null without one. For START, the run that the answer names. */
  readonly runId: string | null;
  /**
   * `open`: the answer is incomplete. `answered`: it is complete. `cut`: the server ended the connection early, by a
   * fault or by `stop()`. `disconnected`: the client ended it.
   */
  readonly state: "open" | "answered" | "cut" | "disconnected";
  /** Undefined until the answer begins. */
  readonly response: BackendResponse | undefined;
}

/** The answer to a request, as far as written. */
export interface BackendResponse {
  /** `clock.now()` at its begin, in ms. */
  readonly at: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON of the answer; undefined for a stream and for other content. */
  readonly body: unknown;
  /** The written pieces, in order. For a stream: one for each comment and each `data:` block. */
  readonly frames: readonly string[];
}

/** A filter of requests. All given fields must match. */
export interface BackendRequestFilter {
  readonly endpoint?: BackendEndpoint;
  readonly action?: "START" | "FINISH";
  readonly method?: string;
  readonly runId?: string;
  readonly userId?: string;
  readonly state?: BackendRequest["state"];
  /** The status of the answer. */
  readonly status?: number;
}

/** A run of an agent, from START to FINISH. */
export interface BackendRun {
  readonly id: string;
  /** As in START: a bare id, or `publisher/id@version`. */
  readonly agentId: string;
  readonly userId: string;
  /** The root is first; empty for the main run. */
  readonly ancestorRunIds: readonly string[];
  /** `clock.now()` at START, in ms. */
  readonly startedAt: number;
  readonly status: "running" | BackendFinish["status"];
  /** Chat calls that got an answer, complete or not. */
  readonly chatCalls: number;
  /** From `POST .../steps`, and from `steps` of FINISH. */
  readonly steps: readonly BackendStep[];
  /** Undefined while the run is `running`. */
  readonly finish: BackendFinish | undefined;
}

/** The data of FINISH. */
export interface BackendFinish {
  /** `clock.now()`, in ms. */
  readonly at: number;
  readonly status: "completed" | "failed" | "cancelled";
  readonly totalSteps: number;
  readonly directCredits: number;
  readonly totalCredits: number;
  readonly errorMessage: string | undefined;
}

/** A step of a run. */
export interface BackendStep {
  /** The id from the server's answer, or from the client's FINISH. */
  readonly id: string;
  readonly stepNumber: number;
  readonly credits: number;
  readonly childRunIds: readonly string[];
  readonly messageId: string | null;
  readonly status: "running" | "completed" | "skipped";
  /** ISO 8601. */
  readonly startTime: string;
  readonly errorMessage: string | undefined;
}

/** A client mistake. The server answers as the real server does, and records the mistake. */
export interface BackendViolation {
  readonly request: BackendRequest;
  readonly kind: BackendViolationKind;
  /** A readable detail, such as a field or an id. */
  readonly detail: string;
}

/** The kinds of client mistakes. */
export type BackendViolationKind =
  | "unknown-route" // an unknown path or method
  | "content-type" // a body without `content-type: application/json`
  | "invalid-json"
  | "key-outside-headers" // the API key in the path or in the body
  | "bad-field" // an unknown value, a wrong type, or a missing field
  | "missing-run-id" // a chat call without `codebuff_metadata.run_id`
  | "unknown-run" // also a run of another user
  | "run-not-running" // a chat call or a step for an ended run
  | "finished-twice"
  | "client-id-changed" // within one run
  | "orphan-tool-message" // without a preceding call
  | "unanswered-tool-call" // without its tool message
  | "repeated-tool-call-id"
  | "repeated-tool-message"
  | "bad-arguments" // the arguments of a tool call are not a JSON object
  | "unmerged-assistant-messages" // one after another
  | "metadata-to-provider"; // `codebuff_metadata` or `provider` in a request to a direct provider
