// agentwire/testing/agent

export {
  ManualClock,
  MockAgent,
  MockAgentAnswer,
  MockAgentClient,
  MockAgentClientEvents,
  MockAgentEvent,
  MockAgentOptions,
  MockAgentPrompt,
  MockAgentReply,
  MockAgentResult,
  MockAgentScript,
  MockAgentStep,
  MockAgentSteps,
  MockAgentSwitches,
  MockTool,
  MockTurn,
  agentStep,
} from "agentwire/testing";
