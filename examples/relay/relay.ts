import { type AcpOptions, acp } from "agentwire/acp";
import { createRelay, type EventLog, type Relay } from "agentwire/server";
import type { AgentSource } from "agentwire/universal";
import { cassAt, codebuffAt, codeyAt, mockSource } from "../web-chat/sources.ts";
import { isLetIn } from "./access.ts";

/** Where the backends are. */
export interface Backends {
  readonly codebuff: string;
  readonly codey: string;
  readonly cass: string;
  /** The program of an agent that speaks ACP. Each chat starts one. */
  readonly acp: AcpOptions;
}

/** The id of a chat begins with its backend: `codey/123`. */
const backendOf = (chat: string): string => chat.split("/", 1)[0] ?? "";

/** A relay over the backends of the web chat. The agents run behind it, so a page can leave at any time. */
export function openRelay(log: EventLog, token: string, at: Backends): Relay {
  const sources = new Map<string, () => AgentSource>([
    ["mock", mockSource],
    ["codebuff", () => codebuffAt(at.codebuff)],
    ["codey", () => codeyAt(at.codey)],
    ["cass", () => cassAt(at.cass, { allowAnonymous: true })],
    ["acp", () => acp({ ...at.acp, onToolApproval: "manual", onQuestion: "manual" })],
  ]);
  return createRelay({
    log,
    source: (chat) => (sources.get(backendOf(chat)) ?? mockSource)(),
    // An app with accounts finds its user by the cookie here, and looks up whether the chat is theirs.
    authorize: (request, { chat }) => {
      if (!isLetIn(request.headers.get("cookie"), token)) return false;
      if (!sources.has(backendOf(chat))) return new Response("No such backend.", { status: 404 });
      return { user: "guest" };
    },
    logger: console,
  });
}
