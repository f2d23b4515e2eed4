// `createChat`: makes a chat over any backend.
import type { AgentSource } from "../universal/stream.ts";
import type { Chat } from "./chat.ts";
import { LiveChat } from "./live-chat.ts";
import { type ChatOptions, checkSource, resolveOptions } from "./options.ts";

/**
 * Creates a chat over any backend: `createChat(codey({ url }))`. The first prompt opens the connection. If the source
 * cannot make a client although its options are valid, the snapshot shows the problem and the next `send` tries again.
 *
 * @throws InvalidInputError for a wrong or unknown option of the chat or the source, and for a `from` that is not a
 * saved chat
 */
export function createChat(source: AgentSource, options: ChatOptions = {}): Chat {
  checkSource(source);
  return new LiveChat(source, resolveOptions(options));
}
