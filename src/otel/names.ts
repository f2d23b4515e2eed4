// The names in telemetry. Those that begin with `gen_ai.` and `error.` are names of the OpenTelemetry conventions.

/**
 * Spans and attributes:
 * https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/gen-ai-agent-spans.md
 */
export const GEN_AI = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  agent: "gen_ai.agent.name",
  conversation: "gen_ai.conversation.id",
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  finishReasons: "gen_ai.response.finish_reasons",
  firstChunk: "gen_ai.response.time_to_first_chunk",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheRead: "gen_ai.usage.cache_read.input_tokens",
  cacheCreation: "gen_ai.usage.cache_creation.input_tokens",
  toolName: "gen_ai.tool.name",
  callId: "gen_ai.tool.call.id",
  tokenType: "gen_ai.token.type",
  errorType: "error.type",
} as const;

/** Attributes with the texts of users, models and tools. Only with the option `content`. */
export const CONTENT = {
  input: "gen_ai.input.messages",
  output: "gen_ai.output.messages",
  arguments: "gen_ai.tool.call.arguments",
  result: "gen_ai.tool.call.result",
} as const;

/**
 * Metrics:
 * https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/gen-ai-metrics.md
 */
export const METRICS = {
  duration: "gen_ai.client.operation.duration",
  firstChunk: "gen_ai.client.operation.time_to_first_chunk",
  tokens: "gen_ai.client.token.usage",
} as const;

/** The prefix of the names that the conventions lack. */
export const OURS = "agentwire.";

/** The values of `gen_ai.operation.name`. Spans are named `<operation> <agent or tool>`. */
export const INVOKE_AGENT = "invoke_agent";
export const EXECUTE_TOOL = "execute_tool";
