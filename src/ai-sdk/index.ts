// The entry `agentwire/ai-sdk`: a chat as a transport of the Vercel AI SDK, and universal events as its UI message stream.
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
