import { agentStep, type MockAgentScript, type MockAgentStep } from "agentwire/testing/agent";

const DIFF = "--- a/lamp.py\n+++ b/lamp.py\n@@ -1,2 +1,2 @@\n def lamp():\n-    pass\n+    flash()\n";
const PICTURE =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='160' height='60'%3E%3Crect width='160' height='60' rx='8' fill='%234d8f88'/%3E%3Ccircle cx='30' cy='30' r='16' fill='%23fffefb'/%3E%3C/svg%3E";
const LISTING = Array.from({ length: 60 }, (_, index) => `${index + 1} ./docs/page-${index + 1}.md`).join(
  "\n",
);

/** Does what the prompt names: shows everything, asks, counts, fails, loses its link, forgets. Otherwise it repeats the prompt. */
export const mockScript: MockAgentScript = function* ({ text: sent, n }) {
  const text = sent.slice(sent.lastIndexOf("\n") + 1); // in front of it there may be the transcript
  const isAbout = (word: string): boolean => text.toLowerCase().includes(word);
  yield agentStep.reasoning(`The user says: ${text}. What would help?`);
  if (text !== sent) yield agentStep.status("reading", "Reads what was said before");
  if (isAbout("everything")) yield* everything();
  else if (isAbout("ask")) yield* questions();
  else if (isAbout("count")) yield* counting();
  else if (isAbout("fail")) yield agentStep.fail("the model is overloaded", { retryable: true });
  else if (isAbout("recover")) yield* recovering();
  else if (isAbout("lose")) yield* losing();
  else if (isAbout("forget")) yield agentStep.forget();
  else if (isAbout("run")) yield* running();
  else if (isAbout("edit")) yield* editing();
  else yield `You said: ${text}. The page of this chat is at https://example.com/agentwire.`;
  yield agentStep.usage({ inputTokens: 100 * n, outputTokens: 20 });
  yield agentStep.cost(3);
};

/** A command that waits for approval. */
function* running(): Generator<MockAgentStep> {
  yield "I want to run a command. ";
  yield agentStep.tool({
    name: "shell",
    input: { command: "find . -name '*.md'", cwd: "./docs" },
    approval: true,
    streams: [LISTING],
    denied: (reason) => [`As you like: ${reason ?? "I run nothing"}.`],
  });
  yield "That was all.";
}

/** An edit whose approval shows the diff. */
function* editing(): Generator<MockAgentStep> {
  const added = Array.from({ length: 40 }, (_, index) => `+    flash(${index})\n`).join("");
  yield agentStep.plan([
    { content: "Mend the lamp", status: "in_progress" },
    { content: "Switch it on", status: "pending" },
  ]);
  yield agentStep.tool({
    name: "str_replace",
    input: { path: "lamp.py" },
    approval: true,
    preview: [{ path: "lamp.py", diff: `@@ -1,2 +1,41 @@\n def lamp():\n-    pass\n${added}`, by: "tool" }],
    output: "done",
  });
}

function* everything(): Generator<MockAgentStep> {
  yield agentStep.status("searching", "Searches the notes");
  yield "Here is some code:\n\n```python\ndef lamp():\n    flash()\n```\n\nAnd here is what I did.";
  yield agentStep.tool({ name: "read_file", input: { path: "lamp.py" }, output: "def lamp():\n    pass\n" });
  yield agentStep.tool({ name: "fetch", input: { url: "https://example.com/" }, error: "no answer" });
  yield agentStep.file("lamp.py", { action: "patch", diff: DIFF });
  yield agentStep.image(PICTURE);
  yield agentStep.data({ checked: 3, wrong: 0 });
  yield agentStep.subagent({
    type: "file-picker",
    name: "File picker",
    steps: [
      "Two files look right. ",
      agentStep.tool({ name: "glob", input: { pattern: "**/*.py" }, output: "lamp.py" }),
    ],
  });
  yield agentStep.error("The index is a day old.");
  yield* running();
}

function* questions(): Generator<MockAgentStep> {
  yield "Let me ask. ";
  yield agentStep.question(
    {
      questions: [
        {
          question: "Which branch?",
          options: [{ label: "main", description: "as it is" }, { label: "next" }],
        },
        { question: "Which tests?", options: ["unit", "browser", "soak"], multiSelect: true },
        "Anything else?",
      ],
    },
    (answers) => [
      answers ? `You chose: ${answers.map((chosen) => chosen.join(" and ")).join("; ")}.` : "Then I choose.",
    ],
  );
}

function* counting(): Generator<MockAgentStep> {
  for (let number = 1; number <= 100; number++) {
    yield `${number} `;
    yield agentStep.delay(150);
  }
}

function* losing(): Generator<MockAgentStep> {
  yield "The link breaks now. ";
  yield agentStep.lose();
}

function* recovering(): Generator<MockAgentStep> {
  yield "The link breaks, ";
  yield agentStep.lose({ recovers: true });
  yield "and the answer goes on.";
}
