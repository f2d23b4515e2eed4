export { ManualClock } from "../manual-clock.ts";
export { MockAgent } from "./agent.ts";
export type { MockAgentClient, MockAgentClientEvents } from "./client.ts";
export type { MockConversation, MockConversationState } from "./conversation.ts";
export type { MockFailure } from "./errors.ts";
export type { MockAgentEvent, MockAgentResult, MockFileEvent, MockSubagentEvent } from "./events.ts";
export type { MockAgentOptions, MockAgentSwitches, MockReconnect } from "./options.ts";
export type { MockAgentAnswer, MockAgentCancel, MockAgentDecision, MockAgentPrompt } from "./record.ts";
export {
  agentStep,
  type MockAgentAnswers,
  type MockAgentReply,
  type MockAgentScript,
  type MockAgentStep,
  type MockAgentSteps,
  type MockDeltas,
  type MockLoss,
  type MockPromptContext,
  type MockQuestion,
  type MockQuestionDetails,
  type MockQuestionStep,
  type MockStepValue,
  type MockSubagent,
  type MockTool,
  type MockToolOutcome,
  type MockToolStep,
} from "./script.ts";
export type { MockTurn, MockTurnEvents } from "./turn.ts";
