// The entry `agentwire/codebuff-run`: the client, model providers, the source for chats.
export type { PrintModeEvent, ToolOutput } from "../codebuff-events/print-mode.ts";
export type { FetchInit, FetchLike, FetchResponse } from "../core/http/fetch.ts";
export * from "../core/index.ts";
export type { AgentDefinition } from "./agents/agents.ts";
export type { AgentProgram, ProgramNews, ProgramStep } from "./agents/program.ts";
export type { JsonSchema, StandardSchema, ToolParameters } from "./calls/tool-schema.ts";
export type { SourceTool, ToolSource } from "./calls/tool-sources.ts";
export type {
  CodebuffRunTool,
  CodebuffRunToolCall,
  CodebuffRunToolContext,
  CodebuffRunToolHandler,
  ToolParametersByName,
} from "./calls/toolbox.ts";
export { CodebuffRun } from "./client.ts";
export type { CodebuffRunConversation } from "./conversation.ts";
export { CodebuffRunError } from "./errors.ts";
export type { CodebuffRunClientEvents, CodebuffRunCompaction, CodebuffRunStep } from "./events.ts";
export type { CodebuffRunContent, CodebuffRunPromptInput } from "./input.ts";
export type {
  ChatChunk,
  ChatRequest,
  CodebuffRunChunk,
  CodebuffRunEvent,
  CodebuffRunInputDelta,
  ModelMessage as ChatMessage,
  ModelPart as ChatPart,
  RunMessage,
  RunOutput,
  RunState,
  RunStopReason,
  RunUnderWay,
} from "./messages.ts";
export { type AiSdkModel, aiSdkModel } from "./model/ai-sdk.ts";
export type { ModelOptions, ResponseFormat } from "./model/model-options.ts";
export { type OpenAiCompatibleOptions, openAiCompatible } from "./model/open-ai.ts";
export type { ModelProvider } from "./model/providers.ts";
export type {
  CodebuffRunDefaults,
  CodebuffRunOptions,
  CodebuffRunPromptOptions,
  OnRunState,
} from "./options.ts";
export type { CodebuffRunFailureKind } from "./state/failure.ts";
export type { CodebuffRunConversationState } from "./state/run-state.ts";
export type { CodebuffRunResult } from "./turn.ts";
export { codebuffRun, toUniversal } from "./universal.ts";
