import {
  type AgentwireErrorOptions,
  HandshakeError,
  type HandshakeReason,
  RequestError,
} from "../core/errors.ts";

/** Why nobody vouches for who the user is. */
export type CassAuthReason = Extract<
  HandshakeReason,
  "rejected" | "identity-mismatch" | "anonymous" | "timeout" | "refresh-failed"
>;

/**
 * The server does not take the client for who it is: it refuses the token (`rejected`), takes it for somebody else
 * (`identity-mismatch`) or for nobody (`anonymous`), or never answers `auth` (`timeout`); or there is no token to be had
 * (`refresh-failed`), which alone may be `retryable`.
 */
export class CassAuthError extends HandshakeError {
  protected static override readonly className: string = "CassAuthError";
  declare readonly reason: CassAuthReason;

  constructor(
    reason: CassAuthReason,
    message: string,
    options: AgentwireErrorOptions & {
      readonly closeCode?: number | undefined;
      readonly expected?: string | undefined;
      readonly got?: string | null | undefined;
    } = {},
  ) {
    const { expected, got } = options;
    super(reason, message, options, { expected, got });
  }
}

/** What a {@link CassApiError} is made of. */
export interface CassApiErrorOptions extends AgentwireErrorOptions {
  readonly status: number;
  readonly detail: string;
  readonly retryAfter?: number | undefined;
}

/** A REST call was answered, and not with what was asked for. Retryable for 429 and 5xx. */
export class CassApiError extends RequestError {
  protected static override readonly className: string = "CassApiError";
  /** The HTTP status. Also 200: there are errors that the server answers so. 0 for a redirect whose status a browser hides. */
  declare readonly status: number;
  /** What the server says of it, without credentials; where it lists what is wrong with the input, all of that in one line. */
  declare readonly detail: string;
  /** How long the server asks to wait, in ms. */
  declare readonly retryAfter?: number;

  /** `call` is the method and the path, without what may be secret. */
  constructor(call: string, options: CassApiErrorOptions) {
    const { status, detail, retryAfter } = options;
    const retryable = options.retryable ?? (status === 429 || status >= 500);
    const message = `${call} was answered with HTTP ${status}: ${detail}`;
    super(message, { ...options, retryable, serverMessage: detail }, { status, detail, retryAfter });
  }
}
