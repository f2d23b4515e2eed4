// What the calls of codey-server's tools are about, for grants.
import type { SubjectRules } from "../core/gate/subject.ts";

/** What the calls of codey-server's tools are about, if the server asks about them. */
export const CODEY_SUBJECTS: SubjectRules = {
  mcp_shell: { about: "command", command: "command", folder: "working_dir" },
  mcp_read_file: { about: "read", paths: "path", free: ["start_line", "end_line"] },
  mcp_fetch_url: { about: "fetch", url: "url" },
  mcp_fetch_html: { about: "fetch", url: "url" },
};
