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
 * @throws InvalidInputError for a wrong or unknown option
 */
export function remote(options: RemoteOptions): AgentSource<RemoteClient> {
  const settings = resolveRemote(options);
  return sourceOf({ name: "remote", hasInbox: true, connect: () => new RemoteClient(settings) });
}
