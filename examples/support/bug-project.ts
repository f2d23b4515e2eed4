import { rmSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type BackendReply, type BackendScript, MockCodebuffBackend } from "agentwire/testing";
import type { RunServer } from "./run-agent.ts";

/** A small project with a bug, and a test that finds the bug. */
const FILES: Readonly<Record<string, string>> = {
  "AGENTS.md": "Run the tests with `node --test`. Keep each change as small as it can be.\n",
  "package.json": '{\n  "name": "median",\n  "type": "module"\n}\n',
  "src/median.js": `/** The middle number, or the mean of the two in the middle. */
export function median(numbers) {
  const sorted = [...numbers].sort();
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length % 2 === 1) return sorted[middle];
  return (sorted[middle - 1] + sorted[middle]) / 2;
}
`,
  "test/median.test.js": `import assert from "node:assert/strict";
import test from "node:test";
import { median } from "../src/median.js";

test("of an odd count", () => assert.equal(median([3, 1, 2]), 2));
test("of numbers with more digits than one", () => assert.equal(median([1, 10, 9]), 9));
test("of an even count", () => assert.equal(median([4, 1, 3, 2]), 2.5));
`,
};

export const TESTS = "node --test";

export const PROMPT = `A test fails. Find the bug, mend it, and run the tests again: ${TESTS}`;

export interface BugProject extends AsyncDisposable {
  readonly root: string;
}

/** The project in a temporary folder. */
export async function bugProject(): Promise<BugProject> {
  const root = await mkdtemp(join(tmpdir(), "agentwire-bug-"));
  for (const [path, text] of Object.entries(FILES)) {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  // For a second Ctrl-C, which leaves without disposal.
  const removeNow = (): void => rmSync(root, { recursive: true, force: true });
  process.once("exit", removeNow);
  return {
    root,
    [Symbol.asyncDispose]: async () => {
      process.off("exit", removeNow);
      await rm(root, { recursive: true });
    },
  };
}

const runTests = { name: "run_terminal_command", arguments: { command: TESTS } };

function plan(...tasks: readonly string[]) {
  return {
    name: "write_todos",
    arguments: { todos: tasks.map((task) => ({ task, completed: false })) },
  };
}

/** What a model would do, answer by answer. Each answer follows the results of the one before. */
const STEPS: readonly BackendReply[] = [
  { text: "I run the tests first. ", toolCalls: [runTests] },
  { text: "The plan: ", toolCalls: [plan("Find the bug", "Mend it", "Run the tests again")] },
  {
    text: "`median([1, 10, 9])` is wrong. I read the code. ",
    toolCalls: [{ name: "read_files", arguments: { paths: ["src/median.js"] } }],
  },
  {
    text: "`sort()` compares texts: it puts 10 before 9. ",
    toolCalls: [
      {
        name: "str_replace",
        arguments: {
          path: "src/median.js",
          replacements: [{ old: "[...numbers].sort()", new: "[...numbers].sort((a, b) => a - b)" }],
        },
      },
    ],
  },
  { text: "And the tests again. ", toolCalls: [runTests] },
];

const script: BackendScript = ({ request: { messages } }) => {
  const results = messages.filter(({ role }) => role === "tool");
  const step = STEPS[results.length];
  const pace = { gapMs: 20, usage: { cost: 0.02 } };
  const last = results.at(-1)?.text ?? "";
  if (last.includes("denied by the user"))
    return { text: "Then I stop here: without that I cannot go on.", ...pace };
  if (step === undefined || typeof step === "string")
    return {
      text: /"exitCode":0/.test(last) ? "All tests pass now." : "The tests still fail: look at their output.",
      ...pace,
    };
  return { ...step, ...pace };
};

/** A backend inside this process, whose model knows how to mend the project. */
export async function mendingServer(): Promise<RunServer> {
  const backend = await MockCodebuffBackend.start({ answer: script });
  const { apiKey, url: baseUrl } = backend;
  return { options: { apiKey, baseUrl }, stop: () => backend.stop() };
}
