// One REST call: its fields, its answer, its refusal.
import { type Dict, isDict } from "../server/dict.ts";
import { accepted, type CassBackend } from "./backend.ts";
import type { CassMockSettings } from "./profiles.ts";
import type { TokenReading } from "./tokens.ts";

/** A REST call to a known route. */
export interface RestCall {
  /** The `{id}` of the path; empty if the route has none. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** The JSON object of the body; empty for any other body. */
  readonly body: Dict;
  readonly token: TokenReading;
  readonly backend: CassBackend;
  readonly settings: CassMockSettings;
}

/** Answers a call with JSON or an audio file. @throws RestRefusal */
export type RestHandler = (call: RestCall) => object | Uint8Array<ArrayBuffer>;

export class RestRefusal extends Error {
  readonly status: number;
  readonly detail: unknown;

  constructor(status: number, detail: unknown) {
    super(`${status}`);
    this.status = status;
    this.detail = detail;
  }
}

/** Returns the user of a call, with the trust in local clients. @throws RestRefusal without a user */
export function userOf({ token, settings }: RestCall): string {
  const { localhostBypass, localhostUser } = settings;
  const userId = accepted(token, settings) ?? (localhostBypass ? localhostUser : undefined);
  if (userId === undefined) throw new RestRefusal(401, "Not authenticated");
  if (userId === null)
    throw new RestRefusal(401, "No DEFAULT_LOCALHOST_USER_ID configured for localhost bypass");
  return userId;
}

/** Returns required texts of the body. @throws RestRefusal that names all missing texts */
export function texts<Name extends string>(body: Dict, ...names: readonly Name[]): Record<Name, string> {
  if (hasTexts(body, names)) return body;
  const problems = names.flatMap((name) => {
    const [input, loc] = [body[name], ["body", name]];
    if (typeof input === "string") return [];
    if (input === undefined) return { type: "missing", loc, msg: "Field required", input: body };
    return { type: "string_type", loc, msg: "Input should be a valid string", input };
  });
  throw new RestRefusal(422, problems);
}

function hasTexts<Name extends string>(
  body: Dict,
  names: readonly Name[],
): body is Dict & Record<Name, string> {
  return names.every((name) => typeof body[name] === "string");
}

/** Returns an optional text of the body. */
export function optionalText(body: Dict, name: string): string | undefined {
  const value = body[name];
  return typeof value === "string" ? value : undefined;
}

/** Returns an optional whole number of the query. @throws RestRefusal if it is not a number */
export function optionalNumber(query: URLSearchParams, name: string): number | undefined {
  const input = query.get(name);
  if (input === null) return undefined;
  if (/^\d+$/.test(input)) return Number(input);
  const msg = "Input should be a valid integer, unable to parse string as an integer";
  throw new RestRefusal(422, [{ type: "int_parsing", loc: ["query", name], msg, input }]);
}

/** Parses a JSON object; undefined for anything else. */
export function jsonObject(text: string): Dict | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isDict(value) ? value : undefined;
  } catch {
    return undefined; // the server treats it as an empty body
  }
}
