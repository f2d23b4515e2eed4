// What the calls of the agents' tools are about, for grants.
import type { SubjectRules } from "../core/gate/subject.ts";

/**
 * What the calls of the tools that Codebuff's agents know are about. The flags of `code_search` are no free field: they can name other
 * files, and programs. A command in the background may outlive its turn, so a grant of one that is waited for does not cover it.
 */
export const CODEBUFF_SUBJECTS: SubjectRules = {
  run_terminal_command: {
    about: "command",
    command: "command",
    folder: "cwd",
    free: [["process_type", "SYNC"], "timeout_seconds", "mode"],
  },
  write_file: { about: "edit", path: "path", free: ["instructions", "content"] },
  str_replace: { about: "edit", path: "path", free: ["replacements"] },
  apply_patch: {
    within: "operation",
    about: "edit",
    path: "path",
    deletes: ["type", "delete_file"],
    free: ["diff"],
  },
  read_files: { about: "read", paths: "paths" },
  list_directory: { about: "list", folder: "path" },
  glob: { about: "search", folder: "cwd", glob: "pattern", free: ["max_results"] },
  code_search: { about: "search", folder: "cwd", free: ["pattern", "maxResults"] },
};
