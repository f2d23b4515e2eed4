// `createChat`: makes a chat over any backend.
import type { AgentSource } from "../universal/stream.ts";
import type { Chat } from "./chat.ts";
import { LiveChat } from "./live-chat.ts";
import { type ChatOptions, checkSource, resolveOptions } from "./options.ts";

/**
 * Makes a chat over any backend: `createChat(codey({ url }))`. Opens no connection; the first prompt does. A source that cannot make a
 * client for another reason than its options is no error here: the snapshot shows it, and the next `send` tries again.
 *
 * @throws InvalidInputError for an option of the chat or of the source that does not exist or is wrong, and for a `from` that no chat has saved.
 */
export function createChat(source: AgentSource, options: ChatOptions = {}): Chat {
  checkSource(source);
  return new LiveChat(source, resolveOptions(options));
}
