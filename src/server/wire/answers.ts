// The answers of the relay's handler, and its refusals.

/** The codes of refusals. */
export type RefusalCode =
  | "invalid-position"
  | "invalid-chat"
  | "invalid-json"
  | "invalid-input"
  | "unsupported"
  | "unauthorized"
  | "origin"
  | "no-route"
  | "unknown-chat"
  | "method"
  | "slow"
  | "ahead"
  | "settled"
  | "stale-request"
  | "busy"
  | "trimmed"
  | "other-log"
  | "too-large"
  | "content-type"
  | "key-reused"
  | "queue-full"
  | "rate"
  | "log-unavailable"
  | "log-damaged"
  | "authorize-failed"
  | "too-many-viewers"
  | "closing";

/** A request is refused. Thrown inside of the handler, which makes an answer of it. */
export class WireRefusal extends Error {
  readonly status: number;
  readonly code: RefusalCode;
  /** More fields of the answer. */
  readonly fields: object;
  readonly headers: Readonly<Record<string, string>>;

  /** @param message quotes nothing of the request */
  constructor(
    status: number,
    code: RefusalCode,
    message: string,
    fields: object = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.headers = headers;
  }
}

/** In seconds. Short: a log or a process that comes back does so soon. */
const RETRY_AFTER = "2";

/** A refusal after which the same request may work. */
export function unavailable(code: RefusalCode, message: string): WireRefusal {
  return new WireRefusal(503, code, message, {}, { "Retry-After": RETRY_AFTER });
}

const COMMON: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store, no-transform",
  "X-Content-Type-Options": "nosniff",
};

export type AnswerHeaders = Readonly<Record<string, string>>;

export function answer(
  status: number,
  body: string | ReadableStream<Uint8Array> | null,
  headers: AnswerHeaders = {},
): Response {
  return new Response(body, { status, headers: new Headers({ ...COMMON, ...headers }) });
}

export function jsonAnswer(status: number, value: object, headers: AnswerHeaders = {}): Response {
  return answer(status, JSON.stringify(value), { "Content-Type": "application/json", ...headers });
}

export function refusalAnswer({ status, code, message, fields, headers }: WireRefusal): Response {
  return jsonAnswer(status, { code, message, ...fields }, headers);
}
