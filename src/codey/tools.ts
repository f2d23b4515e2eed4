import type { KnownTool } from "../universal/engine/known-tools.ts";

/** The tools of codey-server, as the program names them. The published document has other names. */
export const CODEY_TOOLS: Readonly<Record<string, KnownTool>> = {
  mcp_read_file: { kind: "read", verb: "Read", path: "path", line: "start_line" },
  mcp_write_file: { kind: "edit", verb: "Write", path: "path" },
  mcp_edit_file: { kind: "edit", verb: "Edit", path: "path" },
  mcp_open_file: { kind: "other", verb: "Open", path: "path" },
  mcp_shell: { kind: "execute", verb: "Run", path: "working_dir", subject: "command" },
  mcp_fetch_url: { kind: "fetch", verb: "Fetch", subject: "url" },
  mcp_fetch_html: { kind: "fetch", verb: "Fetch", subject: "url" },
  mcp_web_search: { kind: "fetch", verb: "Search the web for", subject: "query" },
  mcp_spawn_agent: { kind: "other", verb: "Start" },
  mcp_list_background_tasks: { kind: "other", verb: "List" },
  mcp_get_background_task: { kind: "other", verb: "Look at" },
};
