// The entry `agentwire/remote`: a chat on a relay as a source like any other.
import { type AgentSource, sourceOf } from "../universal/stream.ts";
import { RemoteClient } from "./client.ts";
import { type RemoteOptions, resolveRemote } from "./options.ts";

export { RemoteClient, type RemoteConversation, type RemoteState } from "./client.ts";
export type { RemoteClientEvents } from "./core.ts";
export type { RemoteHeaders, RemoteOptions } from "./options.ts";
export type { RemoteTurn } from "./turns.ts";

/**
 * A chat on a relay (`agentwire/server`), for `createChat` and everything else that takes a source. It shows the whole
 * chat from its first event, and what the other viewers do. Closing it leaves the agent alone.
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
