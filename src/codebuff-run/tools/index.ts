// The entry `agentwire/codebuff-run/tools`, for Node: `nodeTools`, `mcpServers`, `loadAgents`.

export type { Change } from "./changes/segment.ts";
export { type LoadAgentsOptions, type LoadedAgents, loadAgents } from "./load-agents.ts";
export type { McpAddress, McpProgram, McpServerConfig } from "./mcp/config.ts";
export { type McpOptions, mcpServers } from "./mcp/mcp-servers.ts";
export { type NodeToolChanges, type NodeToolHandler, type NodeTools, nodeTools } from "./node-tools.ts";
export type { NodeProjectOptions, NodeTerminalOptions, NodeToolsOptions } from "./options.ts";
