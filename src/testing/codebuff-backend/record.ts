// What tests can read of requests, runs and violations, as types.

/** The endpoints of the backend, by short names. `chat` is also `POST /v1/chat/completions` with `openAiCompatible`. */
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

/** One request, and what became of it. API keys are masked. */
export interface BackendRequest {
  /** 1 for the first request since the start, or since `reset()`. */
  readonly id: number;
  /** `clock.now()` when the whole request had arrived, in ms. */
  readonly at: number;
  /** Undefined for a path or a method that does not exist. */
  readonly endpoint: BackendEndpoint | undefined;
  /** The `action` of a request to `agent-runs`. */
  readonly action: "START" | "FINISH" | undefined;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON of the body, whatever its content type; undefined for a body that is no JSON. */
  readonly body: unknown;
  /** The body as it was sent. */
  readonly text: string;
  /** The user of the API key; null for a key that is missing or unknown. */
  readonly userId: string | null;
  /** The run that the request names; null for none. The answer to START gives it to START. */
  readonly runId: string | null;
  /**
   * `open`: the answer is not complete. `answered`: it is. `cut`: the server has ended the connection in the middle, by a
   * fault or by `stop()`. `disconnected`: the client has.
   */
  readonly state: "open" | "answered" | "cut" | "disconnected";
  /** Undefined until the answer begins. */
  readonly response: BackendResponse | undefined;
}

/** The answer to a request, as far as it is written. */
export interface BackendResponse {
  /** `clock.now()` when it began, in ms. */
  readonly at: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON of the answer; undefined for a stream, and for what is no JSON. */
  readonly body: unknown;
  /** The pieces that were written, in order: of a stream, one for each comment and each `data:` block. */
  readonly frames: readonly string[];
}

/** Which requests to list. All that is given must fit. */
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

/** A run of an agent: begun by START, ended by FINISH. */
export interface BackendRun {
  readonly id: string;
  /** As START gave it: a bare id, or `publisher/id@version`. */
  readonly agentId: string;
  readonly userId: string;
  /** The root first; empty for the main run. */
  readonly ancestorRunIds: readonly string[];
  /** `clock.now()` at START, in ms. */
  readonly startedAt: number;
  readonly status: "running" | BackendFinish["status"];
  /** Chat calls that the model has answered, or is answering. */
  readonly chatCalls: number;
  /** From `POST .../steps`, and from `steps` of FINISH. */
  readonly steps: readonly BackendStep[];
  /** Undefined while the run is `running`. */
  readonly finish: BackendFinish | undefined;
}

/** What FINISH said. */
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
  /** The id that the server answered, or that the client chose in FINISH. */
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

/** A mistake of the client. The server answers as the real one does, and notes it. */
export interface BackendViolation {
  readonly request: BackendRequest;
  readonly kind: BackendViolationKind;
  /** What it was about, for people: a field, an id. */
  readonly detail: string;
}

/** What a client can do wrong. */
export type BackendViolationKind =
  | "unknown-route" // a path or a method that does not exist
  | "content-type" // a body without `content-type: application/json`
  | "invalid-json"
  | "key-outside-headers" // the API key in the path or in the body
  | "bad-field" // a type or a value that the protocol does not have, or a field that is missing
  | "missing-run-id" // a chat call without `codebuff_metadata.run_id`
  | "unknown-run" // or one of another user
  | "run-not-running" // a chat call or a step for a run that has ended
  | "finished-twice"
  | "client-id-changed" // within one run
  | "orphan-tool-message" // without a call before it
  | "unanswered-tool-call" // without its tool message
  | "repeated-tool-call-id"
  | "repeated-tool-message"
  | "bad-arguments" // of a tool call: no JSON object
  | "unmerged-assistant-messages" // in a row
  | "metadata-to-provider"; // `codebuff_metadata` or `provider` in a request to a direct provider
