// Reads a request and its body.
import type { IncomingMessage } from "node:http";
import { isDict } from "../server/dict.ts";
import type { Backend } from "./backend.ts";
import { actionOf, type Call, type ParsedBody, parseBody } from "./call.ts";
import { runIdOf } from "./chat-request.ts";
import type { OpenCall } from "./journal.ts";
import { maskedHeaders, maskedText } from "./mask.ts";
import { type Route, routeOf } from "./routes.ts";

/** The body of a request; undefined if the client left before its end. */
export async function readBodyText(message: IncomingMessage): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of message) pieces.push(piece);
  } catch {
    return undefined;
  }
  return Buffer.concat(pieces).toString();
}

export function readCall(message: IncomingMessage, text: string, backend: Backend): Call {
  const { method = "GET", url: path = "/" } = message;
  const url = new URL(path, "http://127.0.0.1");
  const headers = headersOf(message);
  const key = keyOf(headers);
  const user = backend.users.get(key);
  const route = routeOf(method, url.pathname, backend.settings.openAiCompatible);
  const json = parseBody(text);
  const shown = maskedText(text, key);
  const shownJson = shown === text ? json : parseBody(shown);
  const record: OpenCall = {
    id: backend.journal.requests.length + 1,
    at: backend.clock.now(),
    endpoint: route.endpoint,
    action: route.endpoint === "agent-runs" ? actionOf(json) : undefined,
    method,
    path: maskedText(path, key),
    headers: maskedHeaders(headers),
    body: shownJson.valid ? shownJson.value : undefined,
    text: shown,
    userId: user?.id ?? null,
    runId: namedRun(route, json),
    state: "open",
    response: undefined,
  };
  return { record, route, path, query: url.searchParams, text, json, key, user };
}

function namedRun({ endpoint, parameters }: Route, json: ParsedBody): string | null {
  if (endpoint === "steps") return parameters[0] ?? null;
  if (!json.valid || !isDict(json.value)) return null;
  if (endpoint === "chat") return runIdOf(json.value) ?? null;
  const { runId } = json.value;
  return endpoint === "agent-runs" && typeof runId === "string" ? runId : null;
}

function headersOf(message: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers))
    if (value !== undefined) headers.set(name, [value].flat().join(", "));
  return headers;
}

/** The API key. `x-codebuff-api-key` takes precedence. */
function keyOf(headers: Headers): string | undefined {
  const bearer = /^Bearer\s+(\S.*)$/i.exec(headers.get("authorization") ?? "")?.[1];
  return headers.get("x-codebuff-api-key") || bearer;
}
