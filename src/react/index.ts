// The entry `agentwire/react`: the hooks for a chat.
export { ChatProvider, type ChatProviderProps, useChat } from "./context.ts";
export { useAgentChat, useConnection, usePending } from "./use-agent-chat.ts";
export { useOwnChat } from "./use-own-chat.ts";
export { useSeconds } from "./use-seconds.ts";
