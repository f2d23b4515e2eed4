// The entry `agentwire/react`: the hooks for a chat.
export { ChatProvider, useChat } from "./context.ts";
export { useAgentChat, useConnection, useOwnChat, usePending, useSeconds } from "./hooks.ts";
