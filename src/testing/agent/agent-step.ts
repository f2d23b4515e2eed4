// Makes the steps of a scripted answer of `MockAgent`.
import type { QuestionItem, Usage } from "../../core/values.ts";
import type { StatusWords } from "../../universal/engine/status-words.ts";
import type { NoticeSeverity } from "../../universal/transcript/message.ts";
import type {
  PlanEntry,
  TranscriptChoice,
  TranscriptCommand,
} from "../../universal/transcript/transcript.ts";
import type {
  MockAgentAnswers,
  MockAgentStep,
  MockAgentSteps,
  MockDeltas,
  MockFailure,
  MockLoss,
  MockQuestion,
  MockQuestionStep,
  MockSubagent,
  MockTool,
  MockToolStep,
} from "./script.ts";
import {
  CHOICE,
  CONTEXT,
  checkArguments,
  checkedLoss,
  checkedStep,
  DELTAS,
  FAILURE,
  FILE,
  ITEM,
  QUESTION,
  SUBAGENT,
  TOOL,
  USAGE,
} from "./step-checks.ts";

/** Makes the steps of an answer. */
export const agentStep = {
  /** A text. @param options.deltas overrides the agent's switch `deltas` */
  text: (text: string, options: { readonly deltas?: MockDeltas } = {}): MockAgentStep =>
    spoken("text", text, options),
  reasoning: (text: string, options: { readonly deltas?: MockDeltas } = {}): MockAgentStep =>
    spoken("reasoning", text, options),
  /** Progress, such as `thinking`. */
  status: (label: string, detail: string | null = null): MockAgentStep => {
    checkArguments("status", { label, detail });
    return event({ type: "status", label, detail });
  },
  /** The agent's plan. It replaces the previous plan. */
  plan: (entries: readonly PlanEntry[]): MockAgentStep => {
    checkArguments("plan", { entries });
    return word("plan", { entries });
  },
  /** How many tokens of the model's context are used. */
  context: (context: StatusWords["context"]): MockAgentStep =>
    word("context", checkedStep("context", context, CONTEXT, "used")),
  /** A message from the backend to the user. It is not part of the agent's answer. */
  notice: (text: string, severity: NoticeSeverity = "info"): MockAgentStep => {
    checkArguments("notice", { text, severity });
    return word("notice", { severity }, text);
  },
  /** The backend shortens the history (`started`), or has shortened it. @param summary replaces the old history */
  compaction: (state: "started" | "completed", summary?: string): MockAgentStep => {
    checkArguments("compaction", { state, ...(summary === undefined ? {} : { summary }) });
    return word("compaction", summary === undefined ? { state } : { state, summary });
  },
  /** The modes that the user can choose from. */
  mode: (choice: TranscriptChoice): MockAgentStep =>
    word("mode", checkedStep("mode", choice, CHOICE, "available")),
  /** The models that the user can choose from. */
  model: (choice: TranscriptChoice): MockAgentStep =>
    word("model", checkedStep("model", choice, CHOICE, "available")),
  /** The commands that the agent knows. */
  commands: (available: readonly TranscriptCommand[]): MockAgentStep => {
    checkArguments("commands", { available });
    return word("commands", { available });
  },
  /** A tool call. `const { state } = yield* agentStep.tool({ ... })` gives its outcome. */
  tool: (tool: MockTool): MockToolStep => {
    checkedStep("tool", tool, TOOL, "name");
    const step: MockToolStep = {
      kind: "tool",
      tool,
      *[Symbol.iterator]() {
        const outcome = yield step;
        return outcome && "state" in outcome ? outcome : { state: "done" };
      },
    };
    return step;
  },
  /**
   * A question to the user. `then` returns the steps that follow the answer. In a generator, `yield*
   * agentStep.question("Which one?")` returns the answers.
   */
  question: (
    question: string | MockQuestion,
    then?: (answers: MockAgentAnswers) => MockAgentSteps,
  ): MockQuestionStep => {
    const { questions, id } =
      typeof question === "string"
        ? { questions: [question] }
        : checkedStep<MockQuestion>("question", question, QUESTION, "questions");
    if (then !== undefined) checkArguments("question", { then });
    const step: MockQuestionStep = {
      kind: "question",
      items: questions.map(readItem),
      id,
      then,
      *[Symbol.iterator]() {
        const answers = yield step;
        return answers && !("state" in answers) ? answers : undefined;
      },
    };
    return step;
  },
  subagent: (subagent: MockSubagent): MockAgentStep => ({
    kind: "subagent",
    subagent: checkedStep("subagent", subagent, SUBAGENT, "type", "steps"),
  }),
  /** The tokens of the turn. */
  usage: (usage: Usage): MockAgentStep => ({ kind: "usage", usage: checkedStep("usage", usage, USAGE) }),
  /** The cost of the turn. @param unit such as `credits` or `USD` */
  cost: (amount: number, unit = "credits"): MockAgentStep => {
    checkArguments("cost", { amount, unit });
    return { kind: "usage", cost: { amount, unit } };
  },
  /** An error that does not end the turn. */
  error: (message: string, code = "mock.error"): MockAgentStep => {
    checkArguments("error", { message, code });
    return event({ type: "problem", message, code });
  },
  /** An error that ends the turn: `turn-failed`. */
  fail: (message: string, failure: MockFailure = {}): MockAgentStep => {
    checkArguments("fail", { message });
    return { kind: "fail", message, failure: checkedStep("fail", failure, FAILURE) };
  },
  /** A file of the answer. @param options.diff a unified diff */
  file: (
    path: string,
    options: { readonly action?: "read" | "write" | "patch"; readonly diff?: string } = {},
  ): MockAgentStep => {
    checkArguments("file", { path });
    const { action = "write", diff = null } = checkedStep("file", options, FILE);
    return event({ type: "file", path, action, diff });
  },
  /** An image of the answer. @param path a path, a URL or a `data:` URL */
  image: (path: string, mime: string | null = null): MockAgentStep => {
    checkArguments("image", { path, mime });
    return event({ type: "image", path, mime });
  },
  /** An event of a type that no client knows. */
  data: (data: unknown): MockAgentStep => event({ type: "data", data }),
  /** Waits until the test calls `agent.release(gate)`. A released gate stays open. */
  wait: (gate: string): MockAgentStep => {
    checkArguments("wait", { gate });
    return { kind: "wait", gate };
  },
  /** Waits for a number of ms on the agent's clock. */
  delay: (ms: number): MockAgentStep => {
    checkArguments("delay", { ms });
    return { kind: "delay", ms };
  },
  /** Cuts the connection at this point. */
  lose: (loss: MockLoss = {}): MockAgentStep => ({ kind: "lose", loss: checkedLoss(loss) }),
  /** Cuts the connection at this point. The backend loses its memory. */
  forget: (message = "the backend has forgotten the conversation"): MockAgentStep => ({
    kind: "lose",
    loss: checkedLoss({ message, forgets: true }),
  }),
  /** The backend closes the connection at this point. The client does not reconnect. */
  close: (message = "the backend has closed the link for good"): MockAgentStep => ({
    kind: "lose",
    loss: checkedLoss({ message, forGood: true }),
  }),
  /** Never ends: the turn runs until it is stopped. */
  hang: (): MockAgentStep => ({ kind: "hang" }),
};

function word<Word extends keyof StatusWords>(
  label: Word,
  json: StatusWords[Word],
  detail: string | null = null,
): MockAgentStep {
  return event({ type: "status", label, detail, json });
}

function event(event: Extract<MockAgentStep, { readonly kind: "event" }>["event"]): MockAgentStep {
  return { kind: "event", event };
}

function spoken(
  kind: "text" | "reasoning",
  text: string,
  options: { readonly deltas?: MockDeltas },
): MockAgentStep {
  checkArguments(kind, { text });
  return { kind, text, deltas: checkedStep(kind, options, DELTAS).deltas };
}

function readItem(item: MockQuestion["questions"][number]): QuestionItem {
  if (typeof item === "string") return { question: item, options: [], multiSelect: false };
  const {
    question,
    header,
    options = [],
    multiSelect = false,
  } = checkedStep("question", item, ITEM, "question");
  return {
    question,
    ...(header === undefined ? {} : { header }),
    options: options.map((option) => (typeof option === "string" ? { label: option } : option)),
    multiSelect,
  };
}
