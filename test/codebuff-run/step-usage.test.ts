import {
  aiSdkModel,
  type CodebuffRunOptions,
  type CodebuffRunStep,
  type ModelProvider,
  openAiCompatible,
} from "agentwire/codebuff-run";
import { expect, test } from "vitest";
import { fakeModel, finish } from "./fake-model.ts";
import { runWorld } from "./world.ts";

// What each answer costs, whoever gave it.

const own: ModelProvider = {
  name: "own",
  supports: () => true,
  async *stream() {
    yield { choices: [{ delta: { content: "Hi." }, finish_reason: "stop" }], usage: { prompt_tokens: 5 } };
  },
};
const said = [{ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "Hi." }, finish];
/** An answer that is no stream. */
const completion = (): Response =>
  Response.json({
    choices: [{ index: 0, message: { content: "Hi." }, finish_reason: "stop" }],
    usage: { prompt_tokens: 100, completion_tokens: 20, cost: 0.05 },
  });

test.each<[string, CodebuffRunOptions, Partial<CodebuffRunStep>]>([
  [
    "the backend",
    {},
    { usage: { inputTokens: 100, outputTokens: 20 }, cost: { amount: 5, unit: "credits" }, credits: 5 },
  ],
  [
    "a server with OpenAI's API that reports dollars",
    {
      providers: [openAiCompatible({ baseUrl: "http://127.0.0.1:9/v1", fetch: async () => completion() })],
    },
    { usage: { inputTokens: 100, outputTokens: 20 }, cost: { amount: 0.05, unit: "usd" }, credits: 0 },
  ],
  [
    "a model of the AI SDK",
    { providers: [aiSdkModel(fakeModel(said).model as never)] },
    { usage: { inputTokens: 7, outputTokens: 3 }, credits: 0 },
  ],
  ["a provider that counts the prompt alone", { providers: [own] }, { usage: { inputTokens: 5 } }],
])("a step of %s tells its tokens, and its cost where known", async (_, options, expected) => {
  await using at = await runWorld({ answer: () => ({ text: "Hi.", usage: { cost: 0.05 } }) });
  const client = at.another(options);
  const steps: CodebuffRunStep[] = [];
  client.on("step", (step) => steps.push(step));
  await client.prompt("hi").result;
  const [step] = steps;
  const { usage, cost, credits } = step ?? {};
  expect({ usage, cost, credits }).toEqual({ usage: undefined, cost: undefined, credits: 0, ...expected });
});
