// Why a server cannot be reached, with its address, and what to do next.
import type { ErrorDescription } from "../../chat/index.ts";
import { isObject } from "../../core/checks.ts";
import type { AnyAgentwireError } from "../../core/errors.ts";
import type { BackendRow } from "../backend.ts";
import type { CommandCall } from "../command.ts";
import { connectAdvice, SYSTEM_ADVICE } from "../doctor/advice.ts";
import { MAX_CAUSES } from "../failure.ts";
import { doctorLine } from "../npx.ts";

/** In words: `what` is one clause, without a full stop. */
export interface ConnectFailure {
  readonly title: string;
  readonly what: string;
  readonly next: string;
}

/** Backends over HTTP: words of a status are about the request. */
const OVER_HTTP: ReadonlySet<string> = new Set(["run", "remote"]);

/** Undefined for errors of other kinds, and for backends without an address: their words have the reason. */
export function connectFailure(
  error: AnyAgentwireError,
  { title }: ErrorDescription,
  backend: BackendRow,
  call: CommandCall,
): ConnectFailure | undefined {
  const url = call.given.text("url");
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { code } = error;
  if (code !== "connect-failed" && code !== "connect-timeout" && code !== "handshake-refused")
    return undefined;
  const status = code === "connect-failed" ? error.status : undefined;
  if (status !== undefined && OVER_HTTP.has(backend.name)) return undefined;
  const where = placeOf(new URL(url));
  const cause = code === "connect-failed" ? systemCode(error) : undefined;
  const advice = connectAdvice(backend.name, error) ?? (cause === undefined ? undefined : NEXT[cause]);
  return {
    title: status === 403 ? "The server cannot be reached" : title, // it may be the path, and no matter of rights
    what: whatOf(error, where, status, cause),
    next: `${advice ?? USUAL} To look closer: ${doctorLine(backend, call)}`,
  };
}

/** The same in the words of a description. */
export function describedAs({
  title,
  what,
  next,
}: ConnectFailure): Pick<ErrorDescription, "title" | "detail"> {
  return { title, detail: `${what}. ${next}` };
}

const USUAL = "Check the address, your network, and whether the server is running.";

const NEXT: Readonly<Record<string, string>> = SYSTEM_ADVICE;

function whatOf(
  error: AnyAgentwireError,
  where: string,
  status: number | undefined,
  cause: string | undefined,
): string {
  if (status !== undefined) return `${where} refuses the connection with HTTP ${status}`;
  if (cause === "ECONNREFUSED") return `${where} refuses connections (${cause})`;
  if (cause === "ENOTFOUND") return `the host of ${where} is unknown (${cause})`;
  if (cause !== undefined) return `cannot connect to ${where} (${cause})`;
  const message = error.message.replace(/; is the server running\?$/, "");
  return message.includes(where) ? message : `${where}: ${message}`;
}

/** Without the query, which may have a secret. */
function placeOf({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname === "/" ? "" : pathname}`;
}

/** The code of the system or of TLS, such as `ECONNREFUSED`. */
function systemCode(error: unknown, depth = MAX_CAUSES): string | undefined {
  if (!isObject(error) || depth === 0) return undefined;
  const { code, cause, errors } = error;
  if (typeof code === "string" && /^[A-Z][A-Z\d_]+$/.test(code)) return code;
  return (
    systemCode(cause, depth - 1) ?? (Array.isArray(errors) ? systemCode(errors[0], depth - 1) : undefined)
  );
}
