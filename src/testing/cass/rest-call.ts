// One REST call: its fields, its answer, its refusal.
import { type Dict, isDict } from "../server/dict.ts";
import type { CassBackend } from "./backend.ts";
import { accepted } from "./identity.ts";
import type { Settings } from "./profiles.ts";
import type { CassRoute } from "./routes.ts";
import type { TokenReading } from "./tokens.ts";

/** A REST call whose route is known. */
export interface RestCall {
  readonly route: CassRoute;
  /** The `{id}` of its path; empty where there is none. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** The JSON object in its body; an empty one for anything else. */
  readonly body: Dict;
  readonly token: TokenReading;
  readonly backend: CassBackend;
  readonly settings: Settings;
}

/** What is answered: JSON, or bytes with their type. */
export interface RestReply {
  readonly status: number;
  readonly body: unknown;
  readonly bytes?: { readonly type: string; readonly data: Uint8Array<ArrayBuffer> };
}

export type RestHandler = (call: RestCall) => RestReply;

/** A call that is refused. */
export class Refusal extends Error {
  readonly reply: RestReply;

  constructor(status: number, detail: unknown) {
    super(`${status}`);
    this.reply = { status, body: { detail } };
  }
}

export function ok(body: object): RestReply {
  return { status: 200, body };
}

/** The user of a call, with the trust in this machine. @throws Refusal for nobody */
export function userOf({ token, settings }: RestCall): string {
  const userId = accepted(token, settings);
  if (userId !== undefined) return userId;
  const { localhostBypass, localhostUser } = settings;
  if (!localhostBypass) throw new Refusal(401, "Not authenticated");
  if (localhostUser !== null) return localhostUser;
  throw new Refusal(401, "No DEFAULT_LOCALHOST_USER_ID configured for localhost bypass");
}

/** Texts that must be in the body. @throws Refusal that names all those that are not */
export function texts<Name extends string>(body: Dict, ...names: readonly Name[]): Record<Name, string> {
  const found: Partial<Record<Name, string>> = {};
  const problems: object[] = [];
  for (const name of names) {
    const value = body[name];
    if (typeof value === "string") found[name] = value;
    else if (value === undefined)
      problems.push({ type: "missing", loc: ["body", name], msg: "Field required", input: body });
    else
      problems.push({
        type: "string_type",
        loc: ["body", name],
        msg: "Input should be a valid string",
        input: value,
      });
  }
  if (isComplete(found, names)) return found;
  throw new Refusal(422, problems);
}

function isComplete<Name extends string>(
  found: Partial<Record<Name, string>>,
  names: readonly Name[],
): found is Record<Name, string> {
  return names.every((name) => found[name] !== undefined);
}

/** A text of the body that may be missing. */
export function optionalText(body: Dict, name: string): string | undefined {
  const value = body[name];
  return typeof value === "string" ? value : undefined;
}

/** A whole number of the query that may be missing. @throws Refusal for one that is no number */
export function optionalNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const msg = "Input should be a valid integer, unable to parse string as an integer";
  throw new Refusal(422, [{ type: "int_parsing", loc: ["query", name], msg, input: text }]);
}

/** The JSON object that a text is; undefined for anything else. */
export function jsonObject(text: string): Dict | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isDict(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
