import type { BackendAnswer } from "agentwire/testing";
import type { Job } from "./both.ts";
import { usage } from "./job.ts";
import { LOCAL_TOOLS } from "./local-job.ts";
import { tester } from "./scenario.ts";

const call = (name: string, given: Readonly<Record<string, unknown>>) => ({ name, arguments: given });

/** @param replacement of `str_replace`, in the form of an SDK */
const script = (replacement: Readonly<Record<string, string>>): readonly BackendAnswer[] => [
  {
    text: ["I will ", "edit."],
    toolCalls: [
      call("write_file", { path: "new.txt", instructions: "x", content: "line1\n" }),
      call("str_replace", { path: "a.txt", replacements: [replacement] }),
      call("read_files", { paths: ["a.txt", "nope.txt"] }),
    ],
    usage,
  },
  {
    toolCalls: [
      call("list_directory", { path: "." }),
      call("glob", { pattern: "**/*.ts" }),
      call("run_terminal_command", { command: "echo hi; exit 3" }),
      call("code_search", { pattern: "export" }),
      call("write_todos", { todos: [{ task: "t", completed: true }] }),
    ],
    usage,
  },
  {
    toolCalls: [
      call("apply_patch", {
        operation: { type: "update_file", path: "a.txt", diff: "@@\n-hello\n+HELLO\n there\n" },
      }),
    ],
    usage,
  },
  { text: ["All ", "done."], usage },
];

/** One run with all of the original client's own tools, in a folder. */
export const GOLDEN: Job = {
  name: "golden run",
  scenario: {
    prompts: ["do stuff"],
    agents: [tester({ toolNames: [...LOCAL_TOOLS, "write_todos", "end_turn"] })],
    files: { "a.txt": "hello\nworld\n", "src/b.ts": "export const x = 1\n" },
  },
  server: () => ({ answer: script({ old: "world", new: "there" }) }),
};

/** The same run as a later build of the SDK was seen to do it. */
export const GOLDEN_OF_LATER_SDK: Job = {
  ...GOLDEN,
  server: () => ({ answer: script({ oldString: "world", newString: "there" }) }),
};
