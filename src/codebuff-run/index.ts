// The entry `agentwire/codebuff-run`: the client, model providers, the source for chats.
export type { PrintModeEvent, ToolOutput } from "../codebuff-events/print-mode.ts";
export type { FetchBody, FetchInit, FetchLike, FetchResponse } from "../core/http/fetch.ts";
export * from "../core/index.ts";
export type { AgentDefinition } from "./agents/agents.ts";
export type { AgentProgram, ProgramContext, ProgramNews, ProgramStep, Yielded } from "./agents/program.ts";
export type {
  JsonSchema,
  StandardResult,
  StandardSchema,
  ToolInputOf,
  ToolParameters,
} from "./calls/tool-schema.ts";
export type { SourceTool, ToolSource, ToolSourceContext } from "./calls/tool-sources.ts";
export type {
  CodebuffRunTool,
  CodebuffRunToolCall,
  CodebuffRunToolContext,
  CodebuffRunToolHandler,
  ToolParametersByName,
} from "./calls/toolbox.ts";
export { CodebuffRun } from "./client.ts";
export type { CodebuffRunConversation } from "./conversation.ts";
export {
  CodebuffRunError,
  type CodebuffRunErrorOptions,
  type CountryRefusal,
} from "./errors.ts";
export type { CodebuffRunClientEvents, CodebuffRunStep } from "./events.ts";
export type { CodebuffRunContent, CodebuffRunPromptInput } from "./input.ts";
export type {
  ChatChunk,
  ChatRequest,
  ChatTool,
  ChatUsage,
  CodebuffRunChunk,
  CodebuffRunEvent,
  ModelMessage as ChatMessage,
  ModelPart as ChatPart,
  ProviderCall,
  RunAgentState,
  RunMessage,
  RunOutput,
  RunPart,
  RunState,
  RunStopReason,
  RunToolMessage,
  ToolCallDelta,
} from "./messages.ts";
export { type AiSdkModel, aiSdkModel } from "./model/ai-sdk.ts";
export { type OpenAiCompatibleOptions, openAiCompatible } from "./model/open-ai.ts";
export type { ModelProvider, ModelQuery } from "./model/providers.ts";
export type { CodebuffRunDefaults, CodebuffRunOptions, CodebuffRunPromptOptions } from "./options.ts";
export type { CodebuffRunFailureKind, RunFailure } from "./state/failure.ts";
export type { CodebuffRunConversationState } from "./state/run-state.ts";
export type { CodebuffRunResult } from "./turn.ts";
export { codebuffRun, toUniversal } from "./universal.ts";
