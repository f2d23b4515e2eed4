// What the agent of `agentwire chat mock` answers.
import { agentStep, type MockAgentScript } from "../testing/agent/index.ts";

const README = "notes.md";
const DIFF = `--- a/${README}\n+++ b/${README}\n@@ -1 +1,2 @@\n # Notes\n+Written by the mock agent.\n`;

/** Does what it is told: `ask`, `count`, `fail`, `lose`, `forget`; otherwise it wants to run a command. Nothing of it is real. */
export const demoScript: MockAgentScript = function* ({ text: sent, n, messages }) {
  const text = sent.slice(sent.lastIndexOf("\n") + 1); // in front of it there may be the transcript
  const words = new Set(text.toLowerCase().match(/[a-z]+/g));
  const says = (word: string): boolean => words.has(word);
  if (text !== sent) yield agentStep.status("reading", "reads what was said before");
  yield agentStep.reasoning("The user wants something. I should look around first.");
  yield `You said: ${text}. `;
  if (says("fail")) yield agentStep.fail("the model is overloaded", { retryable: true });
  if (says("lose")) yield agentStep.lose();
  if (says("forget")) yield agentStep.forget();
  if (says("count"))
    for (let number = 1; number <= 100; number++) {
      yield `${number} `;
      yield agentStep.delay(100);
    }
  if (says("ask")) {
    const answers = yield* agentStep.question({
      questions: [{ question: "Which branch?", options: ["main", "next"] }],
    });
    yield answers ? `I take ${answers.flat().join()}. ` : "I take main, then. ";
  } else if (says("edit")) {
    const { state } = yield* agentStep.tool({
      name: "write_file",
      kind: "edit",
      input: { path: README },
      preview: [{ path: README, diff: DIFF, by: "tool" }],
      approval: true,
      output: "written",
    });
    yield state === "denied" ? "As you like: I wrote nothing." : "It is written, or would be: I am a mock.";
  } else {
    yield "Let me look. ";
    const { state } = yield* agentStep.tool({
      name: "shell",
      kind: "execute",
      input: { command: "find . -name '*.md' | xargs wc -l" },
      approval: true,
      output: "  120 ./README.md\n   40 ./docs/notes.md\n  160 total\n",
    });
    yield state === "denied" ? "As you like: I looked at nothing." : "Two pages, 160 lines.";
  }
  if (messages.length === 0)
    yield "\n\nI am a mock. I also know the words ask, edit, count, fail, lose and forget.";
  yield agentStep.usage({ inputTokens: 100 * n, outputTokens: 20 });
  yield agentStep.cost(3);
};
