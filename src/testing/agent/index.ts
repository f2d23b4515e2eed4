// The entry `agentwire/testing/agent`: the mock agent, also for browsers.
export { ManualClock } from "../manual-clock.ts";
export { MockAgent } from "./agent.ts";
export { agentStep } from "./agent-step.ts";
export type { MockAgentClient } from "./client.ts";
export type { MockConversation, MockConversationState } from "./conversation.ts";
export type {
  MockAgentEvent,
  MockAgentResult,
  MockFileEvent,
  MockSubagentEvent,
  MockTurn,
  MockTurnEvents,
} from "./events.ts";
export type { MockAgentClientEvents } from "./link.ts";
export type { MockAgentOptions, MockAgentSwitches, MockReconnect } from "./options.ts";
export type { MockAgentAnswer, MockAgentCancel, MockAgentDecision, MockAgentPrompt } from "./record.ts";
export type {
  MockAgentAnswers,
  MockAgentReply,
  MockAgentScript,
  MockAgentStep,
  MockAgentSteps,
  MockDeltas,
  MockFailure,
  MockLoss,
  MockPromptContext,
  MockQuestion,
  MockQuestionDetails,
  MockQuestionStep,
  MockStepValue,
  MockSubagent,
  MockTool,
  MockToolOutcome,
  MockToolStep,
} from "./script.ts";
