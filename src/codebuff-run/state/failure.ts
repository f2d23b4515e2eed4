// The kinds of run failures, and the failure in a run's state.

/**
 * Why a run failed. The server's own code, if any, is `serverCode`.
 *
 * - `bad_request`: the server cannot read the request, or does not know the run
 * - `auth`: the API key is missing or unknown
 * - `payment_required`: the account has no credits
 * - `account_suspended`, `free_mode_unavailable`, `forbidden`: the account lacks permission
 * - `session_gate`: free mode has no free place, or its session is over
 * - `free_mode_capacity_deferred`: free mode is full, and takes the prompt after `retryAfter`
 * - `update_required`: free mode demands a newer program; `consent_required`: the user must agree to terms first
 * - `provider_usage_exhausted`: the service's own budget at the model's provider is used up
 * - `quota_exceeded`: the account reached a limit that resets in hours
 * - `rate_limited`: too many requests; a later retry can succeed
 * - `server`: the server failed; `network`: the server was not reached
 * - `upstream_error`: the model's provider failed; `protocol_error`: the answer cannot be read
 * - `stream_interrupted`: the answer broke off; `timeout`: no data arrived in time
 * - `start_failed`: the server sent no run id
 * - `agent_not_found`: the agent is unknown; `invalid_agent`: its definition is invalid
 * - `no_response`: the agent said nothing; `no_progress`: it repeats a mistake
 * - `context_limit`: the history is longer than `maxContextTokens`
 * - `state_not_saved`: `onState` threw
 */
export type CodebuffRunFailureKind =
  | "bad_request"
  | "auth"
  | "payment_required"
  | "account_suspended"
  | "free_mode_unavailable"
  | "forbidden"
  | "session_gate"
  | "free_mode_capacity_deferred"
  | "update_required"
  | "consent_required"
  | "provider_usage_exhausted"
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
  | "context_limit"
  | "state_not_saved";

/** Why a run failed, as stored in its state. */
export interface RunFailure {
  /** `aborted`: the run was stopped. */
  readonly kind: CodebuffRunFailureKind | "aborted";
  /** The HTTP status. */
  readonly status?: number;
  /** The server's code. */
  readonly code?: string;
  readonly message: string;
  readonly retryable: boolean;
  /** The delay that the server requested, in ms. */
  readonly retryAfterMs?: number;
}
