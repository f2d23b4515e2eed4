// The entry `agentwire/ai-sdk`: a chat as a transport of the AI SDK, and its events as UI message chunks.
export type {
  AgentwireApproval,
  AgentwireData,
  AgentwireMetadata,
  AgentwireUIMessage,
  AskUserInput,
} from "./message.ts";
export { lastMessageIsDecided } from "./replies.ts";
export { toUIMessageStream } from "./stream.ts";
export { AgentwireChatTransport } from "./transport.ts";
