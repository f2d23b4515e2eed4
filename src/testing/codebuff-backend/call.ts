// One request, and answers that are not streamed.
import { STATUS_CODES } from "node:http";
import { isDict } from "../server/dict.ts";
import type { Issue } from "../shape.ts";
import type { OpenCall } from "./journal.ts";
import type { BackendUser } from "./options.ts";
import type { Route } from "./routes.ts";

export interface Call {
  readonly record: OpenCall;
  readonly route: Route;
  /** Path and query, unchanged. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The body, unchanged. */
  readonly text: string;
  readonly json: ParsedBody;
  /** The API key; undefined without one. */
  readonly key: string | undefined;
  /** The user of the key; undefined for an unknown key. */
  readonly user: BackendUser | undefined;
}

export type ParsedBody = { readonly valid: true; readonly value: unknown } | { readonly valid: false };

/** An answer that is not streamed. */
export interface HttpReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export function ok(body: object): HttpReply {
  return { status: 200, body };
}

export function failed(status: number, error = STATUS_CODES[status] ?? "Failed"): HttpReply {
  return { status, body: { error } };
}

/** A provider's refusal of a chat call. */
export function providerError(
  status: number,
  message = "Provider returned error",
  type = "invalid_request_error",
): HttpReply {
  return { status, body: { error: { message, code: status, type, param: null, metadata: {} } } };
}

export const NOT_FOUND = failed(404, "Not found");

export function parseBody(text: string): ParsedBody {
  try {
    return { valid: true, value: JSON.parse(text) };
  } catch {
    return { valid: false };
  }
}

/** The action of a request to `agent-runs`. */
export function actionOf(json: ParsedBody): "START" | "FINISH" | undefined {
  const action = json.valid && isDict(json.value) ? json.value["action"] : undefined;
  return action === "START" || action === "FINISH" ? action : undefined;
}

const WANTED: Readonly<Record<string, string>> = {
  filled: "a string that is not empty",
  amount: "a number of 0 or more",
  whole: "a whole number of 0 or more",
  moment: "a time in ISO 8601",
};

/** Describes the valid values of a field. */
export function problemOf({ expected, input }: Issue): string {
  if (input === undefined) return "must be there";
  if (expected.includes("|")) return `must be one of ${expected.split("|").join(", ")}`;
  return `must be ${WANTED[expected] ?? `of type ${expected}`}`;
}
