// Errors of an agent: it does not start, wants a login, refuses a turn, ends by itself.

import { fieldsOf } from "../core/checks.ts";
import {
  type AgentwireError,
  ConnectError,
  ConnectionLostError,
  HandshakeError,
  isAgentwireError,
  said,
  TurnError,
} from "../core/errors.ts";
import { cleanCause } from "../core/tell/clean-cause.ts";

/** How a program ended: as `Exit` of `process/`, which browsers do not compile. */
interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A way to log in, from the agent. Pass its `id` as the option `auth`, or do what its description says. */
export interface AcpAuthMethod {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** `agent`: the agent does it, and may open a browser. `terminal`: run the program by hand. */
  readonly type: string;
}

/** The agent wants a login. */
export class AcpAuthError extends HandshakeError {
  protected static override readonly className: string = "AcpAuthError";
  /** What the agent offers. */
  declare readonly methods: readonly AcpAuthMethod[];
  /** The end of the agent's error output, without the keys that were passed. It may contain prompts and paths. */
  declare readonly stderr: string;
}

/** The agent refused a turn. */
export class AcpTurnError extends TurnError {
  protected static override readonly className: string = "AcpTurnError";
  /** The code of the JSON-RPC error. Some agents put an HTTP status there. Absent if the client ended the turn. */
  declare readonly rpcCode?: number;
  /** As in {@link AcpAuthError}. */
  declare readonly stderr: string;
}

/** The agent's program has ended, or its stream. A turn under way may have run tools. */
export class AcpLostError extends ConnectionLostError {
  protected static override readonly className: string = "AcpLostError";
  /** Null if a signal ended the program, or if there is none. */
  declare readonly exitCode: number | null;
  declare readonly signal: string | null;
  /** As in {@link AcpAuthError}. */
  declare readonly stderr: string;

  constructor(message: string, { code, signal }: Exit, stderr: string) {
    super(message, { delivery: "unknown" });
    Object.assign(this, { exitCode: code, signal, stderr });
  }
}

/** An error that the agent answered a request with. */
export class AgentRefusal extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** JSON-RPC codes that this client reads or sends. */
export const RPC = {
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  authRequired: -32000,
  notFound: -32002,
} as const;

const RETRYABLE_KINDS: ReadonlySet<unknown> = new Set(["rate_limit", "server_error", "overloaded"]);

/** What an agent says about its refusal. Many say the words that matter only in `data`. */
export function refusalWords({ message, data }: AgentRefusal): string {
  const { details, message: inner, error } = fieldsOf(data);
  const more = [details, inner, typeof data === "string" ? data : error].find(
    (text): text is string => typeof text === "string" && text.trim() !== "" && !message.includes(text),
  );
  return more === undefined ? message : `${message}: ${more}`;
}

export function turnError(
  refusal: AgentRefusal,
  { stderr, clean }: { readonly stderr: string; readonly clean: (text: string) => string },
): AcpTurnError {
  const { code, data } = refusal;
  const { errorKind, status: said } = fieldsOf(data);
  const isHttp = (value: unknown): value is number =>
    typeof value === "number" && Number.isInteger(value) && value >= 400 && value < 600;
  const status = isHttp(code) ? code : isHttp(said) ? said : undefined;
  const isBusy = status === 408 || status === 429 || (status !== undefined && status >= 500);
  return new AcpTurnError(
    {
      origin: "agent",
      kind: typeof errorKind === "string" ? errorKind : status === undefined ? `rpc_${code}` : "http",
      serverMessage: clean(refusalWords(refusal)),
      retryable: isBusy || RETRYABLE_KINDS.has(errorKind),
      status,
      advice: stderr === "" ? undefined : "`stderr` has the end of the agent's error output",
    },
    { rpcCode: code, stderr },
  );
}

export function authError(words: string, methods: readonly AcpAuthMethod[], stderr: string): AcpAuthError {
  const offers = methods.map(({ id, name }) => `\`${id}\` (${name})`).join(", ");
  const how =
    offers === ""
      ? "log in with its own program"
      : `pass \`auth\`, one of ${offers}, or log in with its own program`;
  return new AcpAuthError("auth", `the agent wants a login: ${words}; ${how}`, {}, { methods, stderr });
}

/** The program could not be started. `found`: it exists. */
export function agentNotStarted(
  command: string,
  cause: unknown,
  clean: (text: string) => string,
  found: boolean,
) {
  return new ConnectError(clean(startFailure(command, codeOf(cause), found)), {
    cause: cleanCause(cause, clean),
    retryable: false,
    delivery: "not-sent",
  });
}

function codeOf(cause: unknown): unknown {
  return fieldsOf(cause)["code"];
}

function startFailure(command: string, code: unknown, found: boolean): string {
  switch (code) {
    case "ENOENT":
      return found
        ? `\`${command}\` is there, but not what runs it (its interpreter): see the first line of the script`
        : /\s/.test(command)
          ? `\`${command}\` is not to be found: give the program alone, and its arguments separately`
          : `\`${command}\` is not to be found: install it, or give its whole path`;
    case "EACCES":
    case "EPERM":
      return `\`${command}\` is no file that may be executed; check its permissions, and that it is no folder`;
    case "EINVAL":
      return `\`${command}\` is no program that starts without a shell; on Windows start Node with the script as an argument`;
    default:
      return `\`${command}\` could not be started${typeof code === "string" ? ` (${code})` : ""}`;
  }
}

/** The program ended before it answered `initialize`. Its first line that is no message says why, else its errors. */
export function endedEarly(command: string, { code, signal }: Exit, said: string): ConnectError {
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
  const words = said === "" ? "it said nothing" : `it said: ${said}`;
  return new ConnectError(`\`${command}\` ended ${how} before it spoke ACP; ${words}; check its arguments`, {
    retryable: false,
    delivery: "not-sent",
  });
}

export function exitWords({ code, signal }: Exit): string {
  if (signal !== null) return `the agent's program was ended by ${signal}`;
  return code === null
    ? "the agent's stream has ended"
    : `the agent's program has ended with exit code ${code}`;
}

/** An error of this library as it is; any other as a failed connection. */
export function asAcpError(cause: unknown, clean: (text: string) => string): AgentwireError {
  if (isAgentwireError(cause)) return cause;
  return new ConnectError(clean(`the agent could not be used: ${said(cause)}`), {
    cause: cleanCause(cause, clean),
    delivery: "not-sent",
  });
}
