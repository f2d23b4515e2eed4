import { createRelay, type EventLog, type Relay } from "agentwire/server";
import type { AgentSource } from "agentwire/universal";
import { cassAt, codebuffAt, codeyAt, mockSource } from "../web-chat/sources.ts";
import { isLetIn } from "./access.ts";

/** The addresses of the backends. */
export interface Addresses {
  readonly codebuff: string;
  readonly codey: string;
  readonly cass: string;
}

/** The id of a chat begins with its backend: `codey/123`. */
const backendOf = (chat: string): string => chat.split("/", 1)[0] ?? "";

/** A relay over the backends of the web chat. The agents run behind it, so a page can leave at any time. */
export function openRelay(log: EventLog, token: string, addresses: Addresses): Relay {
  const sources = new Map<string, () => AgentSource>([
    ["mock", mockSource],
    ["codebuff", () => codebuffAt(addresses.codebuff)],
    ["codey", () => codeyAt(addresses.codey)],
    ["cass", () => cassAt(addresses.cass, { allowAnonymous: true })],
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
