// The entry `agentwire/acp/agent`: any source as an agent for clients of the Agent Client Protocol.
export { type AcpAgentServer, acpAgent } from "./agent.ts";
export type { AcpAgentConnection, AcpAgentStream } from "./connection.ts";
export type {
  AcpAgentClient,
  AcpAgentMcpServer,
  AcpAgentOptions,
  AcpAgentSession,
  AcpAgentSourceOf,
} from "./options.ts";
