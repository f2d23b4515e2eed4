// The routes for health and token counts, and refusals of unknown callers.
import { isDict } from "../server/dict.ts";
import type { Backend } from "./backend.ts";
import { type Call, failed, NOT_FOUND, ok, type Reply } from "./call.ts";

/** `GET /api/healthz`, for everybody. */
export function healthz(_call: Call, backend: Backend): Reply {
  const cached = Object.keys(backend.settings.agents).length;
  return ok({ status: "ok", cached_agents: cached, timestamp: backend.stamp() });
}

/** `POST /api/v1/token-count`. */
export function tokenCount(call: Call, backend: Backend): Reply {
  const { tokenCount: count } = backend.settings;
  if (count === "404") return NOT_FOUND;
  const refusal = strangerTo(call);
  if (refusal) return refusal;
  const { json } = call;
  if (!json.valid) return failed(400, "Invalid JSON in request body");
  if (!isDict(json.value) || !Array.isArray(json.value["messages"])) {
    backend.blame(call, "bad-field", "messages must be an array");
    return {
      status: 400,
      body: { error: "Invalid request body", details: { messages: "must be an array" } },
    };
  }
  return ok(count === "bad" ? { tokens: "many" } : { inputTokens: count });
}

/** Why a caller is refused whom the server does not know; undefined for a user. */
export function strangerTo({ key, user }: Call): Reply | undefined {
  if (key === undefined) return failed(401, "Missing or invalid Authorization header");
  return user ? undefined : failed(401, "Invalid API key or user not found");
}
