import type { CodebuffRunOptions, CodebuffRunPromptInput, ToolOutput } from "agentwire/codebuff-run";
import type { MockCodebuffBackendOptions } from "agentwire/testing";

/** One golden file: what a run tells of a one-off prompt. */
export interface Script {
  /** The promise, and the name of the file. */
  readonly title: string;
  readonly file: string;
  readonly backend: MockCodebuffBackendOptions;
  readonly options?: CodebuffRunOptions;
  readonly input?: string | CodebuffRunPromptInput;
  readonly maxAgentSteps?: number;
}

const json = (value: unknown): ToolOutput => ({ type: "json", value });
const FILES = [json({ files: ["a.ts"] })];
const glob = (pattern = "*.ts") => ({ name: "glob", arguments: { pattern } });

/** Tools that run without asking. */
const CONSENT: CodebuffRunOptions = {
  overrideTools: { glob: () => FILES, read_files: () => [json([{ path: "a.ts", content: "x" }])] },
};

/** An answer with a call, then the last answer. */
const LOOK = [{ text: "I look.", toolCalls: [glob()] }, "Done."];

const QUESTIONS = [
  {
    question: "Which?",
    header: "Colour",
    options: [{ label: "Red" }, { label: "Blue", description: "calm" }],
    multiSelect: true,
  },
  { question: "Why?", options: [{ label: "A" }, { label: "B" }] },
];
const ASK = [{ toolCalls: [{ name: "ask_user", arguments: { questions: QUESTIONS } }] }, "Done."];

export const SCRIPTS: readonly Script[] = [
  {
    title: "`start` opens the session, and the result ends it with the turn's cost",
    file: "start-and-result",
    backend: { answer: [{ text: ["Hel", "lo"], usage: { cost: 0.05 } }] },
  },
  {
    title: "a blank chunk opens no text: a tool call drops it, and other text takes it along",
    file: "blank-chunks",
    backend: { answer: [{ text: "\n", toolCalls: [glob()] }, { text: ["\n\n", "Done", "\n"] }] },
    options: CONSENT,
  },
  {
    title: "reasoning and text are items of their own",
    file: "reasoning",
    backend: { answer: [{ reasoning: ["think ", "hard"], text: "Yes" }] },
  },
  {
    title: "the user's item has the prompt's text and its images",
    file: "images",
    backend: { answer: ["A dot."] },
    input: {
      content: [
        { type: "image", image: "AAAA", mediaType: "image/png" },
        { type: "text", text: "look" },
      ],
    },
  },
  {
    title: "a call that is asked about: asked, decided, run",
    file: "approval-accepted",
    backend: { answer: LOOK },
    options: { ...CONSENT, onToolApproval: () => true },
  },
  {
    title: "an `always` decides the next call of the tool, and both are told",
    file: "approval-always",
    backend: { answer: [LOOK[0] ?? "", { toolCalls: [glob("*.md")] }, "Done."] },
    options: { ...CONSENT, onToolApproval: () => "always" },
  },
  {
    title: "a denied call has failed, and says that it was denied",
    file: "approval-denied",
    backend: { answer: LOOK },
    options: { ...CONSENT, onToolApproval: () => ({ decision: "reject", reason: "not today" }) },
  },
  {
    title: "a rule denies at once, and that is told",
    file: "approval-denied-by-rule",
    backend: { answer: LOOK },
    options: { ...CONSENT, toolPolicy: [{ tool: "glob", then: "deny" }] },
  },
  {
    title: "the output of a tool grows on its result, which is whole at the end",
    file: "tool-output",
    backend: { answer: LOOK },
    options: {
      overrideTools: {
        glob: (_, { onProgress }) => {
          onProgress("a");
          onProgress(".ts");
          return [json("a.ts")];
        },
      },
    },
  },
  {
    title: "a handler that throws is a failed result, and no error of the turn",
    file: "tool-failed",
    backend: { answer: LOOK },
    options: {
      overrideTools: {
        glob: () => {
          throw new Error("boom");
        },
      },
    },
  },
  {
    title: "media of a result is an image of its own",
    file: "tool-media",
    backend: { answer: LOOK },
    options: {
      overrideTools: {
        glob: () => [json({ url: "/" }), { type: "media", data: "AAAA", mediaType: "image/png" }],
      },
    },
  },
  {
    title: "all calls of an answer are announced before the first runs",
    file: "several-calls",
    backend: {
      answer: [
        { text: "I look.", toolCalls: [glob(), { name: "read_files", arguments: { paths: ["a.ts"] } }] },
        "Done.",
      ],
    },
    options: CONSENT,
  },
  {
    title: "a tool of the library itself needs no permission",
    file: "control",
    backend: { answer: [{ toolCalls: [{ name: "write_todos", arguments: { todos: [] } }] }, "Done."] },
  },
  {
    title: "a question is told with its call, and answered before the result is told",
    file: "ask-user",
    backend: { answer: ASK },
    options: { onQuestion: () => [["Red", "Blue"], ["because"]] },
  },
  {
    title: "a skipped question is rejected by the user",
    file: "ask-user-skipped",
    backend: { answer: ASK },
    options: { onQuestion: () => null },
  },
  {
    title: "a sub-agent's text belongs to its item, and comes once",
    file: "subagents",
    backend: {
      answer: ({ agentId, call }) => {
        if (agentId === "picker") return { text: ["found ", "it"] };
        if (call > 1) return "Done.";
        const agents = [{ agent_type: "picker", prompt: "find" }];
        return { text: "I ask.", toolCalls: [{ name: "spawn_agents", arguments: { agents } }] };
      },
    },
  },
  {
    title: "a call that cannot run is an error, and the turn and its text go on",
    file: "error",
    backend: { answer: [{ text: "I search.", toolCalls: [{ name: "web_search" }] }, " I cannot."] },
  },
  {
    title: "an answer that breaks off is a retry, and closes the text",
    file: "error-with-source",
    backend: { answer: [{ text: ["I be", "gin."], sse: { endAfter: 2 } }, "gin."] },
  },
  {
    title: "the limit of steps is told, and the turn completes",
    file: "step-limit",
    backend: { answer: LOOK },
    options: CONSENT,
    maxAgentSteps: 1,
  },
  {
    title: "an error in the stream cuts the open text short",
    file: "error-in-the-stream",
    backend: { answer: [{ text: ["I be", "gin."], sse: { errorAfter: 2 } }] },
  },
];
