import { aiSdkModel, CodebuffRun, type CodebuffRunTool } from "agentwire/codebuff-run";
import { expect, test } from "vitest";

/** A model of the AI SDK that streams these parts, an answer for each call, and keeps what it was asked. */
function fakeModel(...answers: readonly (readonly object[])[]) {
  const asked: { prompt: readonly { role: string; content: unknown }[]; tools?: readonly object[] }[] = [];
  const model = {
    specificationVersion: "v2",
    provider: "fake",
    modelId: "model-1",
    async doStream(options: (typeof asked)[number]) {
      const parts = answers[asked.length] ?? [];
      asked.push(options);
      return {
        stream: new ReadableStream({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        }),
      };
    },
  };
  return { asked, model };
}

const agent = { id: "helper", displayName: "Helper", model: "any", systemPrompt: "Be brief." };

const tools: Record<string, CodebuffRunTool> = {
  add: {
    description: "Adds numbers.",
    parameters: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    },
    execute: ({ input }) => [{ type: "json", value: Number(input["a"]) + Number(input["b"]) }],
  },
};

const finish = { type: "finish", finishReason: "stop", usage: { inputTokens: 7, outputTokens: 3 } };

test("a model of the AI SDK answers a run, its tools run, and it sees their results", async () => {
  const { asked, model } = fakeModel(
    [
      { type: "reasoning-delta", id: "r", delta: "hm" },
      { type: "text-delta", id: "t", delta: "Let me add. " },
      { type: "tool-input-start", id: "c1", toolName: "add" },
      { type: "tool-input-delta", id: "c1", delta: '{"a":1,' },
      { type: "tool-input-delta", id: "c1", delta: '"b":2}' },
      { type: "tool-call", toolCallId: "c1", toolName: "add", input: '{"a":1,"b":2}' },
      finish,
    ],
    [{ type: "text-delta", id: "t", delta: "It is 3." }, finish],
  );
  const client = new CodebuffRun({ providers: [aiSdkModel(model)], agent, tools });
  const { text, usage, cost, toolCalls } = await client.prompt("1 + 2?").result;
  await client.close();
  expect(text).toBe("Let me add. It is 3.");
  expect(usage).toEqual({ inputTokens: 14, outputTokens: 6 });
  expect(cost).toBeUndefined();
  expect(toolCalls).toMatchObject([{ name: "add", state: "done", output: [{ type: "json", value: 3 }] }]);
  expect(asked[0]?.tools).toMatchObject([{ type: "function", name: "add", inputSchema: { type: "object" } }]);
  expect(asked[1]?.prompt.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
  expect(asked[1]?.prompt.at(-1)?.content).toMatchObject([
    { type: "tool-result", toolName: "add", output: { type: "text", value: "3" } },
  ]);
});

test("a call whose input comes whole runs once, and other forms of ends and counts are read", async () => {
  const { model } = fakeModel(
    [
      { type: "tool-call", toolCallId: "c1", toolName: "add", input: '{"a":1,"b":2}' },
      { type: "finish", finishReason: { unified: "tool-calls" }, usage: { inputTokens: { total: 5 } } },
    ],
    [{ type: "text-delta", id: "t", delta: "3" }, finish],
  );
  const client = new CodebuffRun({ providers: [aiSdkModel(model)], agent, tools });
  const { text, usage, toolCalls } = await client.prompt("1 + 2?").result;
  await client.close();
  expect(text).toBe("3");
  expect(usage).toEqual({ inputTokens: 12, outputTokens: 3 });
  expect(toolCalls).toHaveLength(1);
});

test("a picture of the prompt reaches the model as a file", async () => {
  const { asked, model } = fakeModel([{ type: "text-delta", id: "t", delta: "A dot." }, finish]);
  const client = new CodebuffRun({ providers: [aiSdkModel(model)], agent });
  await client.prompt({ text: "What is this?", images: [{ data: "AAAA", mediaType: "image/png" }] }).result;
  await client.close();
  expect(asked[0]?.prompt[1]?.content).toMatchObject([
    { type: "text" },
    { type: "file", data: "AAAA", mediaType: "image/png" },
  ]);
});

test("the address of a picture, and a `data:` URL without a type, reach the model", async () => {
  const { asked, model } = fakeModel([{ type: "text-delta", id: "t", delta: "Two." }, finish]);
  const client = new CodebuffRun({ providers: [aiSdkModel(model)], agent });
  const content = ["https://example.com/a.png", "data:image/gif;base64,"].map(
    (image) => ({ type: "image", image }) as const,
  );
  await client.prompt({ prompt: "look", content }).result;
  await client.close();
  expect(asked[0]?.prompt[1]?.content).toMatchObject([
    { type: "text" },
    { type: "file", data: new URL("https://example.com/a.png"), mediaType: "image/*" },
    { type: "file", data: "", mediaType: "image/gif" },
  ]);
});

test("parts that are odd or unknown do no harm", async () => {
  const { model } = fakeModel([
    "odd" as never,
    { type: "stream-start" },
    { type: "text-delta" },
    { type: "text-delta", delta: "Hi." },
    { type: "finish", finishReason: 7 },
  ]);
  const client = new CodebuffRun({ providers: [aiSdkModel(model)], agent });
  expect(await client.prompt("hello").result).toMatchObject({
    text: "Hi.",
    usage: { inputTokens: 0, outputTokens: 0 },
  });
  await client.close();
});

test("an error that is no Error fails the run with its words", async () => {
  const { model } = fakeModel([{ type: "error", error: "overloaded" }]);
  const client = new CodebuffRun({ providers: [aiSdkModel(model)], agent });
  await expect(client.prompt("hello").result).rejects.toMatchObject({ serverMessage: "overloaded" });
  await client.close();
});

test("an error of the model fails the run", async () => {
  const { model } = fakeModel([{ type: "error", error: new Error("the model is overloaded") }]);
  const client = new CodebuffRun({ providers: [aiSdkModel(model)], agent });
  await expect(client.prompt("hello").result).rejects.toMatchObject({
    code: "turn-failed",
    kind: "upstream_error",
    serverMessage: "the model is overloaded",
  });
  await client.close();
});

test("a name is no model", () => {
  expect(() => aiSdkModel("gpt-5-mini" as never)).toThrow(/Pass a language model of the AI SDK/);
});
