/** What each way to a model must do in the suite `run`. */
import {
  CodebuffRun,
  type CodebuffRunError,
  type CodebuffRunEvent,
  type CodebuffRunPromptInput,
  type ModelProvider,
} from "../../src/codebuff-run/index.ts";

/** The words by which a scripted model knows a case, and what it answers. */
export const SCRIPT = {
  text: { ask: "Say hello.", answer: "Hello from a model." },
  thoughts: { ask: "Think first.", thought: "Six times seven.", answer: "Forty-two." },
  tools: { ask: "Add two and three.", call: { a: 2, b: 3 }, answer: "It is five." },
  images: { ask: "What is in the picture?", answer: "I see a picture." },
  errors: { ask: "Fail, please.", message: "This model is too small.", code: "context_length_exceeded" },
  abort: { ask: "Talk for long.", answer: "word ".repeat(2_000) },
} as const;

interface Facts {
  readonly events: readonly CodebuffRunEvent[];
  readonly text: string;
  readonly error: CodebuffRunError | undefined;
  readonly status: string;
  readonly sums: readonly unknown[];
}

interface Case {
  readonly name: string;
  readonly input: CodebuffRunPromptInput;
  readonly isCancelled?: true;
  /** The problem; `undefined`: as it should be. */
  problem(facts: Facts): string | undefined;
}

/** One red pixel. */
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

const saying =
  (wanted: string) =>
  ({ text, status }: Facts): string | undefined =>
    status === "completed" && text === wanted ? undefined : `${status}: ${JSON.stringify(text)}`;

export const CASES: readonly Case[] = [
  { name: "text", input: { prompt: SCRIPT.text.ask }, problem: saying(SCRIPT.text.answer) },
  {
    name: "thoughts",
    input: { prompt: SCRIPT.thoughts.ask },
    problem: (facts) => {
      const thought = facts.events
        .map((event) => (event.type === "reasoning_chunk" ? event.chunk : ""))
        .join("");
      if (thought !== SCRIPT.thoughts.thought) return `thoughts: ${JSON.stringify(thought)}`;
      return saying(SCRIPT.thoughts.answer)(facts);
    },
  },
  {
    name: "tools",
    input: { prompt: SCRIPT.tools.ask },
    problem: (facts) => {
      if (JSON.stringify(facts.sums) !== "[5]") return `the tool returned ${JSON.stringify(facts.sums)}`;
      return saying(SCRIPT.tools.answer)(facts);
    },
  },
  {
    name: "images",
    input: {
      content: [
        { type: "text", text: SCRIPT.images.ask },
        { type: "image", image: PICTURE, mediaType: "image/png" },
      ],
    },
    problem: saying(SCRIPT.images.answer),
  },
  {
    name: "errors",
    input: { prompt: SCRIPT.errors.ask },
    problem: ({ error }) => {
      if (!error) return "no error";
      const { kind, status, serverMessage } = error;
      if (kind !== "bad_request" || status !== 400) return `${kind}, status ${status}`;
      return serverMessage.includes(SCRIPT.errors.message) ? undefined : serverMessage;
    },
  },
  {
    name: "abort",
    input: { prompt: SCRIPT.abort.ask },
    isCancelled: true,
    problem: ({ status, text }) => {
      if (status !== "cancelled") return status;
      return text.length < SCRIPT.abort.answer.length ? undefined : "the whole answer came";
    },
  },
];

/** ms for a case, with the retries of a server in between. */
const TIMEOUT = 60_000;

/** Runs a case. Returns its problem. */
export async function tried(
  { input, isCancelled, problem }: Case,
  provider: ModelProvider,
): Promise<string | undefined> {
  const sums: unknown[] = [];
  const client = new CodebuffRun({
    providers: [provider],
    agent: { id: "tried", displayName: "Tried", model: "gpt-5-mini", systemPrompt: "Be brief." },
    tools: {
      add: {
        description: "Adds two numbers.",
        parameters: {
          type: "object",
          properties: { a: { type: "number" }, b: { type: "number" } },
          required: ["a", "b"],
        },
        execute: ({ input: { a, b } }) => {
          const value = Number(a) + Number(b);
          sums.push(value);
          return [{ type: "json", value }];
        },
      },
    },
  });
  try {
    const turn = client.prompt(input, { timeout: TIMEOUT, read: false });
    const events: CodebuffRunEvent[] = [];
    turn.on("event", (event) => {
      events.push(event);
      if (isCancelled && event.type === "chunk") void turn.cancel();
    });
    const outcome = await turn.outcome;
    const error = outcome.status === "failed" ? (outcome.error as CodebuffRunError) : undefined;
    const found = problem({ events, text: turn.text, error, status: outcome.status, sums });
    return found === undefined || !error ? found : `${found} (${error.message})`;
  } finally {
    await client.close();
  }
}
