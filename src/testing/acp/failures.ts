// How an agent tells that its model failed.
import type { Dict } from "../server/dict.ts";
import type { AcpAgentFacts } from "./agents.ts";
import type { AcpMockSettings } from "./profiles.ts";

/** What the client sees. Without an error, the turn ends with `end_turn`. */
interface ModelFailure {
  readonly text?: string;
  readonly error?: Dict;
  readonly hangs?: true;
}

export function modelFailure(
  how: AcpMockSettings["modelError"],
  status: number,
  message: string,
  { tells401 = false }: AcpAgentFacts,
): ModelFailure {
  const text = `API Error: ${status} ${message}`;
  if (how === "hang") return { hangs: true };
  if (how === "silentEndTurn") return {};
  if (status === 401 && tells401) {
    const error = { code: -32000, message: "Authentication required" };
    return how === "textAndError" ? { text, error } : { error };
  }
  if (how === "textEndTurn") return { text };
  if (how === "httpCode") return { error: { code: status, message } };
  const data = { details: text, errorKind: kindOf(status) };
  if (how === "rpcError") return { error: { code: -32603, message: "Internal error", data } };
  return { text, error: { code: -32603, message: `Internal error: ${text}`, data } };
}

function kindOf(status: number): string {
  if (status === 401) return "authentication_failed";
  if (status === 429) return "rate_limit";
  return status >= 500 ? "server_error" : "unknown";
}
