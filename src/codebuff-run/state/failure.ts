// The kinds of failures, and a failure as it stands in the state of a run.

/**
 * Why a run has failed. The server's own word, where it sends one, is `serverCode`.
 *
 * - `bad_request`: the server cannot read the request, or does not know the run
 * - `auth`: the API key is missing or unknown
 * - `payment_required`: out of credits
 * - `account_suspended`, `free_mode_unavailable`, `forbidden`: the account may not do this
 * - `session_gate`: free mode waits, or its session is over
 * - `quota_exceeded`: a limit that resets in hours
 * - `rate_limited`: too many requests; later tries can succeed
 * - `server`: the server has failed; `network`: it was not reached
 * - `upstream_error`: the model's provider has failed; `protocol_error`: an answer that cannot be read
 * - `stream_interrupted`, `timeout`: the answer broke off, or nothing came
 * - `start_failed`: the server gave the run no id
 * - `agent_not_found`, `invalid_agent`: the agent is unknown, or its definition is wrong
 * - `no_response`: the agent has said nothing; `no_progress`: it repeats a mistake
 * - `context_limit`: the history is longer than `maxContextTokens`
 */
export type CodebuffRunFailureKind =
  | "bad_request"
  | "auth"
  | "payment_required"
  | "account_suspended"
  | "free_mode_unavailable"
  | "forbidden"
  | "session_gate"
  | "quota_exceeded"
  | "rate_limited"
  | "server"
  | "network"
  | "upstream_error"
  | "protocol_error"
  | "stream_interrupted"
  | "timeout"
  | "start_failed"
  | "agent_not_found"
  | "invalid_agent"
  | "no_response"
  | "no_progress"
  | "context_limit";

/** Why a run has failed, in the state that it leaves. */
export interface RunFailure {
  /** `aborted`: the run was stopped. */
  readonly kind: CodebuffRunFailureKind | "aborted";
  /** The HTTP status. */
  readonly status?: number;
  /** The server's code. */
  readonly code?: string;
  readonly message: string;
  readonly retryable: boolean;
  /** The wait that the server asks for, in ms. */
  readonly retryAfterMs?: number;
}
