// The tools of codey-server, with usual results.
import type { CodeyCallResult } from "./calls.ts";
import type { ProfileName } from "./profiles.ts";

const DELEGATION = "Delegation not supported over WebSocket";

/** What the tools of the real server give when a script does not say. */
const REAL_TOOLS: ReadonlyMap<string, CodeyCallResult> = new Map<string, CodeyCallResult>([
  ["mcp_read_file", ""],
  ["mcp_shell", "(no output)"],
  ["mcp_fetch_url", ""],
  ["mcp_fetch_html", ""],
  ["mcp_web_search", ""],
  ["mcp_write_file", { invalid: DELEGATION }],
  ["mcp_edit_file", { invalid: DELEGATION }],
  ["mcp_open_file", { error: DELEGATION }],
  ["mcp_list_background_tasks", { error: DELEGATION }],
  ["mcp_get_background_task", { error: DELEGATION }],
  ["mcp_spawn_agent", { error: "Agent context not initialized" }],
]);

/** The names of the document, which the real server does not have. */
const DOCUMENTED_NAMES = ["Read", "Bash"];

export const SHELL = "mcp_shell";

export function toolsOf(profile: ProfileName): readonly string[] {
  return profile === "real" ? [...REAL_TOOLS.keys()] : [...REAL_TOOLS.keys(), ...DOCUMENTED_NAMES];
}

/** The document knows of no tool that cannot work. */
export function usualResult(name: string, profile: ProfileName): CodeyCallResult {
  return (profile === "real" && REAL_TOOLS.get(name)) || "";
}
