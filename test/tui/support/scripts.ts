import { createHash } from "node:crypto";
import { once } from "node:events";
import { agentStep, type MockAgentScript, type MockAgentStep, type MockAgentSteps } from "agentwire/testing";
import { HOSTILE } from "./hostile.ts";

/** Chunks of the flood, in a second. */
const FLOOD_RATE = 1_000;
/** Words of a size of the window. */
export const WORDS_OF_SIZE = 300;
/** ms between two bursts of the flood. */
const BURST = 5;

const SHELL = { name: "shell", approval: true } as const;

/** What the agent does for a prompt, named by its first word. Any other prompt is repeated. */
const SCRIPTS: Readonly<Record<string, (rest: string) => MockAgentSteps>> = {
  /** Chunks until it is cancelled. */
  flood,
  /** So many words, and more whenever the window has another size. */
  sizes: async function* () {
    for (let sent = 0; ; sent++) {
      yield sent % 20 === 19 ? `word${sent}\n` : `word${sent} `;
      if (sent % WORDS_OF_SIZE === WORDS_OF_SIZE - 1) await once(process.stdout, "resize");
    }
  },
  tool: function* (command) {
    const { state, reason } = yield* agentStep.tool({ ...SHELL, input: { command }, output: "a.txt\nb.txt" });
    yield `The tool is ${state}${reason === undefined ? "" : `: ${reason}`}.`;
  },
  output: function* (count) {
    const streams = Array.from({ length: Number(count) }, (_, at) => `output ${at + 1}\n`);
    yield* agentStep.tool({ name: "shell", input: { command: "seq" }, streams });
    yield "That was long.";
  },
  running: function* () {
    yield* agentStep.tool({
      name: "shell",
      input: { command: "sleep" },
      streams: ["busy with it"],
      during: [agentStep.hang()],
    });
  },
  choose: function* () {
    const answers = yield* agentStep.question({
      questions: [
        {
          question: "Which branch?",
          options: ["main", "next", { label: "other", description: "an old one" }],
        },
      ],
    });
    yield `The answer is ${JSON.stringify(answers ?? null)}.`;
  },
  nothing: () => [agentStep.hang()],
  think: () => [agentStep.reasoning("I think about it. "), agentStep.hang()],
  begin: () => ["I begin. ", agentStep.hang()],
  reason: () => [agentStep.reasoning("first thought\nsecond thought\nthird thought"), "Thought over."],
  fail: () => ["Half of it. ", agentStep.fail("the model is overloaded", { retryable: true })],
  lose: () => ["Before the loss. ", agentStep.lose()],
  recover: () => ["Before the loss. ", agentStep.lose({ recovers: true }), "Behind the loss."],
  forget: () => ["I forget. ", agentStep.forget()],
  close: () => ["I close. ", agentStep.close()],
  hostile: () => [agentStep.text(HOSTILE, { deltas: 3 }), " The end."],
  hostilethought: () => [agentStep.reasoning(HOSTILE, { deltas: 1 }), " The end."],
  hostiletool: function* () {
    const name = `shell${HOSTILE}`;
    yield* agentStep.tool({
      name,
      input: { command: HOSTILE, [HOSTILE]: 1 },
      output: HOSTILE,
      approval: true,
    });
    yield agentStep.status(HOSTILE, HOSTILE);
    yield agentStep.file(HOSTILE, { diff: HOSTILE });
    yield agentStep.subagent({ type: HOSTILE, name: HOSTILE, steps: [HOSTILE] });
    yield agentStep.data({ [HOSTILE]: HOSTILE });
    yield agentStep.error(HOSTILE);
    yield " The end.";
  },
  hostilequestion: function* () {
    const options = [{ label: HOSTILE, description: HOSTILE }, "plain"];
    yield* agentStep.question({ questions: [{ question: HOSTILE, header: HOSTILE, options }] });
    yield "The end.";
  },
  hostilefailure: () => [agentStep.fail(HOSTILE)],
};

/** A longer prompt is not repeated. */
const MAX_REPEATED = 1_000;

function repeat(text: string): string {
  return text.length > MAX_REPEATED ? `, ${digestOf(text)}` : `: ${text}`;
}

/** Tells whether a prompt has arrived as it was written. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Does what the first word of a prompt names. In front of the prompt there may be a transcript. */
export const script: MockAgentScript = ({ text }) => {
  const prompt = text.slice(text.lastIndexOf("\n\n") + 1).trim();
  const [word = "", ...rest] = prompt.split(" ");
  const named = Object.hasOwn(SCRIPTS, word) ? SCRIPTS[word] : undefined;
  return named?.(rest.join(" ")) ?? [`You said ${text.length} characters${repeat(text)}`];
};

async function* flood(): AsyncGenerator<MockAgentStep, void> {
  const begin = performance.now();
  for (let sent = 0; ; ) {
    for (const due = ((performance.now() - begin) / 1_000) * FLOOD_RATE; sent < due; sent++) {
      yield sent % 20 === 19 ? `word${sent}\n` : `word${sent} `;
    }
    yield agentStep.delay(BURST);
  }
}
