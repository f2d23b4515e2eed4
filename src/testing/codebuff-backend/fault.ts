// The options of a fault.

/** How requests to an endpoint fail, before anything else is looked at. */
export interface BackendFaultOptions {
  /** The HTTP status. @default 200 with a `body` or `raw` */
  readonly status?: number;
  /** The JSON of the answer. @default what the real server says with this status */
  readonly body?: unknown;
  /** The body of the answer as it is, in place of JSON. */
  readonly raw?: string | Uint8Array;
  /** Names and values. Those of the answer have `content-type: application/json` unless `raw` is given. */
  readonly headers?: Readonly<Record<string, string>>;
  /** ms of the server's clock before the fault; alone: before the usual answer. @default 0 */
  readonly delayMs?: number;
  /** No answer, ever. @default false */
  readonly hang?: boolean;
  /** The connection is reset without an answer. @default false */
  readonly reset?: boolean;
  /** How many requests fail. @default all from now on */
  readonly times?: number;
  /** The first request that fails, counted since the fault was set. @default 1 */
  readonly call?: number;
  /** Of `agent-runs`: only requests with this action. @default both */
  readonly when?: "START" | "FINISH";
}
