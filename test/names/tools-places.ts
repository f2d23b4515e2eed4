import {
  type McpOptions,
  type McpServerConfig,
  mcpServers,
  type NodeProjectOptions,
  type NodeTerminalOptions,
  type NodeToolsOptions,
  nodeTools,
} from "agentwire/codebuff-run/tools";
import type { Place } from "./places.ts";

const never = (): Promise<never> => new Promise(() => {});

/** What the tools of a folder and MCP servers take. The names of `loadAgents`, which rejects, are in its own test. */
export const ofTools: readonly Place[] = [
  {
    place: "nodeTools",
    all: {
      root: ".",
      write: true,
      terminal: false,
      searchFlags: false,
      ripgrepPath: "rg",
      fileFilter: () => ({ status: "allow" }),
      ignoreFiles: true,
      project: {},
      allowEnvFiles: false,
    },
    give: (it: NodeToolsOptions) => nodeTools(it),
  },
  {
    place: "nodeTools, terminal",
    all: { env: {}, inheritEnv: true, keepEnv: [], shell: "sh", maxTimeoutSeconds: 1 },
    give: (it: NodeTerminalOptions) => nodeTools({ root: ".", terminal: it }),
  },
  {
    place: "nodeTools, project",
    all: { tree: true, knowledge: true, system: true, git: false },
    give: (it: NodeProjectOptions) => nodeTools({ root: ".", project: it }),
  },
  {
    place: "mcpServers, options",
    all: {
      startTimeout: 1,
      listTimeout: 1,
      callTimeout: 1,
      cwd: ".",
      environment: () => ({}),
      allowInsecure: false,
      fetch: never,
    },
    give: (it: McpOptions) => mcpServers({}, it),
  },
  {
    place: "mcpServers, a program",
    all: { type: "stdio", command: "c", args: [], env: {}, cwd: "." },
    give: (it: McpServerConfig) => mcpServers({ s: it }),
  },
  {
    place: "mcpServers, an address",
    all: { type: "http", url: "https://h.example/mcp", params: {}, headers: {} },
    give: (it: McpServerConfig) => mcpServers({ s: it }),
  },
];
