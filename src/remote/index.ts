// The entry `agentwire/remote`: a chat on a relay as a source like any other.
import { type AgentSource, sourceOf } from "../universal/stream.ts";
import { RemoteClient } from "./client.ts";
import { type RemoteOptions, resolveRemote } from "./options.ts";

export { RemoteClient, type RemoteConversation, type RemoteState } from "./client.ts";
export type { RemoteClientEvents } from "./core.ts";
export type { RemoteHeaders, RemoteOptions } from "./options.ts";
export type { RemoteTurn } from "./turns.ts";

/**
 * A chat on a relay (`agentwire/server`), for `createChat` and everything else that takes a source:
 * `createChat(remote({ url: "/chats", chat: "first" }))`.
 *
 * The chat connects at once. `loading` is true until it has told all that the relay has; what has come is shown meanwhile, and
 * prompts can be sent. It then shows what the agent and the other viewers do. A lost link is repaired without an end, with
 * growing waits (0.5 to 30 s). HTTP 401, 403 and 404, and the removal of the chat, close it: `connection.reason` says why, and the
 * messages stay.
 *
 * A prompt is sent until the relay has answered, with the same key, so that it runs once. Its `delivery` is `accepted` once
 * the relay has it. Closing the chat leaves the agent and all accepted prompts alone. `store` and `from` of the chat are
 * not needed.
 *
 * Over HTTP/1.1, a browser opens 6 connections to a host, for all of its tabs. So a hidden page stops reading (status
 * `idle`) once 4 other pages of its origin have read from the relay since the user looked at it. It continues when the
 * user looks at it, or when it sends. Visible pages read always: with 6 of them, nothing else gets through until one is
 * hidden or closed. HTTP/2 has no such limit.
 *
 * @throws InvalidInputError for a wrong or unknown option
 */
export function remote(options: RemoteOptions): AgentSource<RemoteClient> {
  const settings = resolveRemote(options);
  return sourceOf({ name: "remote", hasInbox: true, connect: () => new RemoteClient(settings) });
}
