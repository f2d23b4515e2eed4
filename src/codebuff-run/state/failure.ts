// The kinds of run failures, and the failure in a run's state.

/**
 * Why a run failed. The server's own code, if any, is `serverCode`.
 *
 * - `bad_request` (400, other 4xx): the server cannot read the request, or does not know the run. 404 of a provider: the
 *   path or the model. Change tools, model, `headers`, `params`; of a provider `baseUrl` and `model`
 * - `auth` (401, 404 of an account route): the API key is missing or unknown. The next run checks it again
 * - `payment_required` (402; 429 `insufficient_quota` of a provider): the account has no credits
 * - `account_suspended` (403): write to the service
 * - `free_mode_unavailable` (403): no free mode in this country. Choose another `costMode`
 * - `forbidden` (another 403; no provider supports the model, without a backend): another model, agent or `costMode`
 * - `session_gate` (409, 410, 428): free mode has no free place, or its session is over
 * - `free_mode_capacity_deferred` (429): free mode is full, and takes the prompt after `retryAfter`. A wait of up to a
 *   minute was tried three times
 * - `update_required` (426): free mode demands a newer program of the service. Choose another `costMode`
 * - `consent_required` (409): the user must first agree to terms on the service's web site
 * - `provider_usage_exhausted` (402): the service's own budget at the model's provider is used up, not your credits
 * - `quota_exceeded` (429 `rate_limit_exceeded`): the account reached a limit that resets in hours. Not tried again
 * - `rate_limited` (another 429): too many requests, also after three more tries. Wait `retryAfter`
 * - `server` (408, 5xx): the server failed, also after three more tries; a provider has them after 408, 500, 502, 503, 504
 * - `network`: the server was not reached. The backend is tried three times more, a provider is not
 * - `upstream_error`: the model's provider failed in its answer. Try again, or another model
 * - `protocol_error`: the answer cannot be read: a web page, a redirect, or over a limit. Check `baseUrl`
 * - `stream_interrupted`: answers broke off three times in a row. Go on from `partial.state`
 * - `timeout`: no data arrived in time. Go on from `partial.state`, or raise the limit that the message names
 * - `start_failed`: the backend sent no run id. Check the key and the address
 * - `agent_not_found`: there is no such id, here or in the registry
 * - `invalid_agent`: the registry's definition is invalid, or a program threw (`cause`)
 * - `no_response`: the agent said nothing. Check its prompts
 * - `no_progress`: it repeats a mistake: five answers with bad calls alone, or three with thoughts alone
 * - `context_limit`: the history is longer than `maxContextTokens`, and cannot be compacted
 * - `state_not_saved`: `onState` threw. Go on from `partial.state`
 *
 * `rate_limited`, `free_mode_capacity_deferred`, `server`, `network`, `stream_interrupted` and `timeout` are retryable.
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
