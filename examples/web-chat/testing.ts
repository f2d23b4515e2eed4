// What stands for `agentwire/testing` in the page: the agent without a wire. The rest of that entry is servers, and needs Node.

export { MockAgent } from "../../src/testing/agent/agent.ts";
export { agentStep, type MockAgentScript, type MockAgentStep } from "../../src/testing/agent/script.ts";
