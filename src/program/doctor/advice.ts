// What to do about a handshake that failed.
import { failureWords } from "../failure.ts";
import { type Found, stepFailed } from "./steps.ts";

/** The path of the endpoint, where a server has one. */
const PATHS: Readonly<Record<string, string>> = { codebuff: "/ws", cass: "/ws", remote: "/chats" };

/** What to do about a code of the system. */
export const SYSTEM_ADVICE = {
  ECONNREFUSED: "Start the server, or check the port.",
  ENOTFOUND: "Check the host name in --url, and the network.",
} as const;

/** The words for an error of `connect()`. */
export function handshakeFailure(backend: string, error: unknown): Found {
  const { title, next = "Look into the log of the server." } = failureWords(error);
  return stepFailed(title, connectAdvice(backend, error) ?? next);
}

/** What to do about an error of `connect()`, where more is known than its words say. */
export function connectAdvice(backend: string, error: unknown): string | undefined {
  const { status, reason, code } = error as {
    readonly status?: unknown;
    readonly reason?: unknown;
    readonly code?: unknown;
  };
  if (typeof status === "number") return statusAdvice(backend, status);
  return code === "connect-timeout" ? silenceAdvice(backend) : REASONS[String(reason)];
}

function statusAdvice(backend: string, status: number): string | undefined {
  const path = PATHS[backend];
  if (status === 404 && backend === "codebuff")
    return "Check the path: it is /ws. If it is right, this release has no such endpoint: the published proxy, LLM Interactive Proxy, dropped it in June 2026, and needs an older release. Codebuff itself is called Freebuff now; its backend is `agentwire doctor run`.";
  if (status === 404 || status === 405 || status === 426 || (status >= 200 && status < 300))
    return path === undefined
      ? "Another server listens there: check the port and the path."
      : `Another server listens there, or the path is wrong: it is usually ${path}.`;
  if (status === 401 || status === 403)
    return path === undefined
      ? "The server, or a proxy before it, wants a login."
      : `The token is missing or refused, or the path is not ${path}.`;
  if (status >= 500)
    return "The server, or a proxy before it, is in trouble: look into its log, and try again.";
  return undefined;
}

const TIMEOUTS: Readonly<Record<string, string>> = {
  codey:
    "The real codey-server answers nobody once it has as many sessions as cores, and each link that was cut leaves one: restart it. As published (tokio 1.49.0) it greets nobody on a machine of few cores.",
  codebuff:
    "A proxy that works on a prompt reads nothing else. Otherwise another server may listen there: check the path.",
};

/** What to do about a server that accepts the connection, and says nothing. */
export function silenceAdvice(backend: string): string {
  const usual = "It has accepted the connection, and says nothing: look into its log, or restart it.";
  return Object.hasOwn(TIMEOUTS, backend) ? (TIMEOUTS[backend] ?? usual) : usual;
}

/** By `HandshakeError.reason`. */
const REASONS: Readonly<Record<string, string>> = {
  full: "The server takes no more connections: close some, or raise its limit.",
  duplicate:
    "A session of this id is connected. The proxy frees it about a minute after a cut: try again then.",
  rejected: "The key or token is bad, or has expired: get a new one.",
  anonymous:
    "The server took the token for nobody's: it is bad, or has expired. Get a new one, or pass --anonymous.",
  "identity-mismatch":
    "The server takes this client for another user: get a new token of the user whom you mean.",
  initializing: "The server is starting: try again in a moment.",
  version: "The agent speaks another version of ACP: update it, or agentwire.",
};
