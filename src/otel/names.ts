// The names in telemetry. Those that begin with `gen_ai.` and `error.` are names of the OpenTelemetry conventions.

// Spans and their attributes:
// https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/gen-ai-agent-spans.md
/** The values of `gen_ai.operation.name`. Spans are named `<operation> <agent or tool>`. */
export const INVOKE_AGENT = "invoke_agent";
export const EXECUTE_TOOL = "execute_tool";
export const GEN_AI_OPERATION_NAME = "gen_ai.operation.name";
export const GEN_AI_PROVIDER_NAME = "gen_ai.provider.name";
export const GEN_AI_AGENT_NAME = "gen_ai.agent.name";
export const GEN_AI_CONVERSATION_ID = "gen_ai.conversation.id";
export const GEN_AI_REQUEST_MODEL = "gen_ai.request.model";
export const GEN_AI_RESPONSE_MODEL = "gen_ai.response.model";
export const GEN_AI_FINISH_REASONS = "gen_ai.response.finish_reasons";
export const GEN_AI_TIME_TO_FIRST_CHUNK = "gen_ai.response.time_to_first_chunk";
export const GEN_AI_INPUT_TOKENS = "gen_ai.usage.input_tokens";
export const GEN_AI_OUTPUT_TOKENS = "gen_ai.usage.output_tokens";
export const GEN_AI_CACHE_READ_TOKENS = "gen_ai.usage.cache_read.input_tokens";
export const GEN_AI_CACHE_CREATION_TOKENS = "gen_ai.usage.cache_creation.input_tokens";
export const GEN_AI_TOOL_NAME = "gen_ai.tool.name";
export const GEN_AI_TOOL_CALL_ID = "gen_ai.tool.call.id";
export const ERROR_TYPE = "error.type";
/** The value of `error.type` for an error without a code. */
export const OTHER_ERROR = "_OTHER";

// The texts of users, models and tools. Only with the option `content`.
export const GEN_AI_INPUT_MESSAGES = "gen_ai.input.messages";
export const GEN_AI_OUTPUT_MESSAGES = "gen_ai.output.messages";
export const GEN_AI_TOOL_CALL_ARGUMENTS = "gen_ai.tool.call.arguments";
export const GEN_AI_TOOL_CALL_RESULT = "gen_ai.tool.call.result";

// Metrics and their attributes:
// https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/gen-ai-metrics.md
export const METRIC_DURATION = "gen_ai.client.operation.duration";
export const METRIC_TIME_TO_FIRST_CHUNK = "gen_ai.client.operation.time_to_first_chunk";
export const METRIC_TOKENS = "gen_ai.client.token.usage";
export const GEN_AI_TOKEN_TYPE = "gen_ai.token.type";

/** The prefix of the names that the conventions lack. */
export const OURS = "agentwire.";
/** How a turn, a sub-agent or a call has ended. */
export const AGENTWIRE_STATUS = "agentwire.status";
