// The subject of each tool call (command, path, search), for grants.
import type { SubjectRules } from "../core/gate/subject.ts";

/** `flags` is not free: flags can name programs. `BACKGROUND` is not free: it may outlive the turn. */
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
