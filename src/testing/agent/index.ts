// The entry `agentwire/testing/agent`: the mock agent, also for browsers.
export { ManualClock } from "../manual-clock.ts";
export { MockAgent } from "./agent.ts";
export { agentStep } from "./agent-step.ts";
export type { MockAgentClient } from "./client.ts";
export type { MockAgentEvent, MockAgentResult, MockTurn } from "./events.ts";
export type { MockAgentClientEvents } from "./link.ts";
export type { MockAgentOptions, MockAgentSwitches } from "./options.ts";
export type { MockAgentAnswer, MockAgentPrompt } from "./record.ts";
export type { MockAgentReply, MockAgentScript, MockAgentStep, MockAgentSteps, MockTool } from "./script.ts";
