// `CodebuffRunError`, and how the backend's error responses become one.
import type { TurnPartial } from "../core/agentwire-error.ts";
import { defined, fieldsOf, isObject } from "../core/checks.ts";
import { TurnError } from "../core/errors.ts";
import { type ChatMessageRead, codeIn, type RunState } from "./messages.ts";
import type { CodebuffRunFailureKind, RunFailure } from "./state/failure.ts";

/** Why the server refuses free mode in a country. */
interface CountryRefusal {
  readonly countryCode?: string;
  readonly countryBlockReason?: string;
  readonly ipPrivacySignals?: readonly unknown[];
}

export interface CodebuffRunErrorOptions {
  readonly kind: CodebuffRunFailureKind;
  /** The server's message without credentials, or this library's message. */
  readonly message: string;
  readonly status?: number | undefined;
  readonly serverCode?: string | undefined;
  /** ms. */
  readonly retryAfter?: number | undefined;
  /** The response body without credentials, cut at 4 KiB. */
  readonly body?: string | undefined;
  readonly country?: CountryRefusal | undefined;
  /** The provider that failed, for the advice. @default none: the backend */
  readonly provider?: string | undefined;
  readonly cause?: unknown;
}

/** Kinds for which a retry can succeed. Tools may have run: see `delivery`. */
const RETRYABLE: ReadonlySet<CodebuffRunFailureKind> = new Set([
  "rate_limited",
  "free_mode_capacity_deferred",
  "server",
  "network",
  "stream_interrupted",
  "timeout",
]);

type Advice = { readonly [Kind in CodebuffRunFailureKind]?: string };

const ADVICE: Advice = {
  bad_request: "change the prompt, the tools or the model: the same request is refused again",
  auth: "check `apiKey`, or CODEBUFF_API_KEY in the environment",
  payment_required: "add credits to the account, or give a provider of your own",
  account_suspended: "write to the support of the service",
  free_mode_unavailable: "choose another `costMode`",
  forbidden: "the account may not do this: choose another model, agent or `costMode`",
  session_gate: "wait until free mode has a place, or choose another `costMode`",
  free_mode_capacity_deferred: "wait, then send the prompt again, or choose another `costMode`",
  update_required:
    "choose another `costMode`: free mode is kept for new versions of the service's own program",
  consent_required: "agree to the terms on the service's web site, then send the prompt again",
  provider_usage_exhausted: "choose another model, or try again later: your own credits are not the cause",
  quota_exceeded: "wait until the limit resets, or pay by use",
  rate_limited: "wait, then send the prompt again",
  server: "try again later",
  network: "check the address and the network",
  upstream_error: "try again, or choose another model",
  protocol_error:
    "check that `baseUrl` leads to the API and not to a web site: for providers it often ends in /v1",
  stream_interrupted: "go on from `partial.state`",
  timeout: "go on from `partial.state`, or raise the limit if its option is named",
  start_failed: "check the API key and the address",
  agent_not_found: "define it in `agentDefinitions`, or check its id",
  invalid_agent: "correct the definition",
  no_response: "check the agent's prompts",
  no_progress: "check the agent's tools and prompts",
  context_limit: "raise `maxContextTokens`, allow `compact`, or begin a new conversation",
  state_not_saved: "check `onState`, then go on from `partial.state`",
};

/** Advice about a provider. The provider's name follows. */
const ADVICE_ON_PROVIDER: Advice = {
  auth: "check the key of",
  payment_required: "add credits to your account at",
  forbidden: "choose another model, or check your account at",
  rate_limited: "wait, then send the prompt again: the limit belongs to",
};

function adviceOn({ kind, status, provider }: CodebuffRunErrorOptions): string | undefined {
  if (provider === undefined) return ADVICE[kind];
  const advice =
    status === 404 ? "check `baseUrl` (it often ends in /v1) and `model` of" : ADVICE_ON_PROVIDER[kind];
  return advice === undefined ? ADVICE[kind] : `${advice} the provider \`${provider}\``;
}

/**
 * A failed run. The next run can continue from `partial.state`. `delivery` is `not-sent` if the backend had given the run
 * no id; otherwise tools may have run. No field has a credential.
 */
export class CodebuffRunError extends TurnError {
  protected static override readonly className: string = "CodebuffRunError";
  declare readonly kind: CodebuffRunFailureKind;
  /** `state`: pass it to the next run, as `previousRun` or `from`. */
  declare partial?: TurnPartial & { readonly state?: RunState };
  /** The server's most specific code, such as `rate_limit_exceeded` or `run_not_found`: its `code`, else its `type`. */
  declare readonly serverCode?: string;
  /** The response body without credentials, cut at 4 KiB. */
  declare readonly body?: string;
  /** Only for `free_mode_unavailable`. */
  declare readonly country?: CountryRefusal;

  constructor(options: CodebuffRunErrorOptions) {
    const { kind, message, status, serverCode, retryAfter, body, country, cause } = options;
    super(
      {
        origin: status === undefined ? "run" : "http",
        kind,
        serverMessage: message,
        advice: adviceOn(options),
        status,
        retryAfter,
        cause,
        retryable: RETRYABLE.has(kind),
      },
      { serverCode, body, country },
    );
  }
}

/** The same failure for another turn: each turn writes its own input and partial result into its error. */
export function again(error: CodebuffRunError): CodebuffRunError {
  const { kind, serverMessage: message, status, serverCode, retryAfter, body, country, cause } = error;
  return new CodebuffRunError({ kind, message, status, serverCode, retryAfter, body, country, cause });
}

export function errorIn(
  read: Exclude<ChatMessageRead, { readonly type: "chunk" }>,
  redact: (text: string) => string,
): CodebuffRunError {
  if (read.type === "malformed")
    return new CodebuffRunError({
      kind: "protocol_error",
      message: `the model's answer has ${read.problem}`,
    });
  const { message, status, code } = read;
  const serverCode = code === undefined ? undefined : redact(code);
  return new CodebuffRunError({ kind: "upstream_error", message: redact(message), status, serverCode });
}

/** Characters of a response body in an error. */
const MAX_BODY = 4_096;

const CODE = /^[a-z0-9_]+$/;

interface Refusal {
  readonly code?: string;
  readonly message?: string;
}

export function readRefusal(body: unknown): Refusal {
  if (!isObject(body)) return {};
  const { error, message } = body;
  if (isObject(error)) {
    const { message: words } = error;
    return defined({ code: codeIn(error), message: typeof words === "string" ? words : undefined });
  }
  const told = typeof message === "string" ? { message } : {};
  if (typeof error !== "string") return told;
  if (typeof message === "string") return { code: error, message };
  return CODE.test(error) ? { code: error } : { message: error };
}

/** Error messages that the server sends without a code. */
const CODES: readonly (readonly [text: RegExp, code: string])[] = [
  [/^Invalid JSON in request body$/, "invalid_json"],
  [/^No runId found in request body$/, "run_missing"],
  [/^runId Not Found: /, "run_not_found"],
  [/^runId Not Running: /, "run_not_running"],
];

export interface RefusalFacts {
  readonly status: number;
  /** The unparsed body, redacted. */
  readonly text: string;
  readonly body: unknown;
  readonly retryAfter: number | undefined;
  readonly isAccount: boolean;
  /** The request line, for a response without a message. */
  readonly what: string;
  /** A message from outside of the body. */
  readonly words?: string;
  /** Undefined for the backend. */
  readonly provider: string | undefined;
}

export function refused(facts: RefusalFacts): CodebuffRunError {
  const { status, text, body, retryAfter, what, words, provider } = facts;
  const { code, message } = readRefusal(body);
  const where = provider === undefined ? "the server" : `${what}: the server`;
  const serverCode =
    code ?? (status === 400 ? CODES.find(([known]) => known.test(message ?? ""))?.[1] : undefined);
  const kind = kindOf(facts, code);
  return new CodebuffRunError({
    kind,
    message: message ?? (words || code) ?? `${where} answered with status ${status}`,
    status,
    serverCode,
    retryAfter,
    body: text === "" ? undefined : text.slice(0, MAX_BODY),
    country: countryIn(body),
    provider,
  });
}

function countryIn(body: unknown): CountryRefusal | undefined {
  const { countryCode, countryBlockReason, ipPrivacySignals } = fieldsOf(body);
  const country = {
    ...(typeof countryCode === "string" ? { countryCode } : {}),
    ...(typeof countryBlockReason === "string" ? { countryBlockReason } : {}),
    ...(Array.isArray(ipPrivacySignals) ? { ipPrivacySignals } : {}),
  };
  return Object.keys(country).length === 0 ? undefined : country;
}

/** Refusals of the backend whose code says more than the status. */
const KINDS_BY_CODE: Readonly<Record<string, CodebuffRunFailureKind>> = {
  "402 provider_usage_exhausted": "provider_usage_exhausted",
  "403 account_suspended": "account_suspended",
  "403 free_mode_unavailable": "free_mode_unavailable",
  "409 consent_required": "consent_required",
  "426 freebuff_update_required": "update_required",
  "429 free_mode_capacity_deferred": "free_mode_capacity_deferred",
  "429 waiting_room_queued": "session_gate",
};

function kindOf(
  { status, retryAfter, isAccount, provider }: RefusalFacts,
  code: string | undefined,
): CodebuffRunFailureKind {
  const known = provider === undefined ? KINDS_BY_CODE[`${status} ${code}`] : undefined;
  if (known !== undefined) return known;
  switch (status) {
    case 401:
      return "auth";
    case 402:
      return "payment_required";
    case 403:
      return "forbidden";
    case 404:
      return isAccount ? "auth" : "bad_request";
    case 409:
    case 410:
    case 428:
      return provider === undefined ? "session_gate" : "bad_request";
    case 429:
      if (provider !== undefined) return code === "insufficient_quota" ? "payment_required" : "rate_limited"; // OpenAI's code for missing credits
      return code === "rate_limit_exceeded" && retryAfter === undefined ? "quota_exceeded" : "rate_limited";
    case 408:
      return "server";
    default:
      return status >= 500 ? "server" : "bad_request";
  }
}

export function failureOutput({ serverMessage, status, serverCode, country }: CodebuffRunError) {
  return {
    type: "error",
    message: serverMessage,
    ...(status === undefined ? {} : { statusCode: status }),
    ...(serverCode === undefined ? {} : { error: serverCode }),
    ...country,
  } as const;
}

export function runFailureOf(error: CodebuffRunError): RunFailure {
  const { kind, serverMessage: message, retryable, status, serverCode: code, retryAfter } = error;
  return { kind, message, retryable, ...defined({ status, code, retryAfterMs: retryAfter }) };
}
