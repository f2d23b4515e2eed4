import {
  type AgentDefinition,
  aiSdkModel,
  type ModelOptions,
  openAiCompatible,
} from "agentwire/codebuff-run";
import { MockCodebuffBackend } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { thrown } from "../helpers/turns.ts";
import { fakeModel, finish } from "./fake-model.ts";
import { AGENT, runWorld } from "./world.ts";

// The options of models, as each kind of server gets them.

const SCHEMA = { type: "object", properties: { a: { type: "number" } } };
const ALL: ModelOptions = {
  temperature: 0.5,
  topP: 0.9,
  maxOutputTokens: 100,
  stop: ["END"],
  responseFormat: { type: "json", schema: SCHEMA, name: "sum" },
  providerOptions: {
    order: ["x"],
    tiny: { seed: 1 },
    openaiCompatible: { seed: 2, user: "u", model: "evil" },
  },
};
const IN_OPENAI = {
  temperature: 0.5,
  top_p: 0.9,
  max_tokens: 100,
  stop: ["END"],
  response_format: { type: "json_schema", json_schema: { name: "sum", schema: SCHEMA } },
};

/** The body that a server with OpenAI's API gets. */
async function toServer(options: ModelOptions): Promise<object> {
  await using at = await runWorld();
  const server = await MockCodebuffBackend.start({ openAiCompatible: true, answer: () => "Direct." });
  const { url, apiKey } = server;
  const own = openAiCompatible({ baseUrl: `${url}/v1`, apiKey, name: "tiny" });
  const client = at.another({ apiKey: undefined as never, providers: [own] });
  await client.prompt("hi", options).result;
  await server.stop();
  expect(server.violations).toEqual([]);
  return server.requests({ endpoint: "chat" })[0]?.body as object;
}

test("the backend gets OpenAI's names, and the provider options as `provider`", async () => {
  await using at = await runWorld();
  await at.client.prompt("hi", ALL).result;
  const [body] = at.chats();
  expect(body).toMatchObject({ ...IN_OPENAI, provider: { order: ["x"], tiny: { seed: 1 } } });
  expect(body).not.toHaveProperty("provider_options");
  expect(body?.["provider"]).not.toHaveProperty("openaiCompatible");
});

test("a server with OpenAI's API gets the fields under its name, which replace none of the request's own", async () => {
  const body = await toServer(ALL);
  expect(body).toMatchObject({ ...IN_OPENAI, seed: 1, user: "u", model: AGENT.model });
  for (const name of ["provider", "provider_options", "order", "tiny"]) expect(body).not.toHaveProperty(name);
});

test("without options, a request has no field for them", async () => {
  const body = await toServer({});
  expect(Object.keys(body).sort()).toEqual(["messages", "model", "stream", "stream_options"]);
});

test("OpenAI itself gets `max_completion_tokens`", async () => {
  const bodies: string[] = [];
  await using at = await runWorld();
  const own = openAiCompatible({
    baseUrl: "https://api.openai.com/v1",
    fetch: async (_, init) => {
      bodies.push(String(init?.body));
      return Response.json({ choices: [{ message: { content: "Hi." }, finish_reason: "stop" }] });
    },
  });
  const client = at.another({ apiKey: undefined as never, providers: [own] });
  await client.prompt("hi", { maxOutputTokens: 7 }).result;
  expect(JSON.parse(bodies[0] ?? "")).toMatchObject({ max_completion_tokens: 7 });
  expect(bodies[0]).not.toContain("max_tokens");
});

test.each(["v2", "v4"])(
  "an AI SDK model (%s) gets them under the AI SDK's names",
  async (specificationVersion) => {
    const { asked, model } = fakeModel([{ type: "text-delta", id: "t", delta: "Hi." }, finish]);
    await using at = await runWorld();
    const own = aiSdkModel({ ...model, specificationVersion });
    const client = at.another({ apiKey: undefined as never, providers: [own] });
    await client.prompt("hi", { ...ALL, providerOptions: { order: ["x"], anthropic: { effort: "low" } } })
      .result;
    const [{ prompt: _, abortSignal: __, ...options } = { prompt: [] }] = asked;
    expect(options).toEqual({
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 100,
      stopSequences: ["END"],
      responseFormat: { type: "json", schema: SCHEMA, name: "sum" },
      providerOptions: { anthropic: { effort: "low" } },
    });
  },
);

test("JSON without a schema is `json_object`", async () => {
  await using at = await runWorld();
  await at.client.prompt("hi", { responseFormat: { type: "json" } }).result;
  expect(at.chats()[0]?.["response_format"]).toEqual({ type: "json_object" });
});

test("the prompt's options win over the client's, and both over the agent's; sub-agents have their own", async () => {
  const reader: AgentDefinition = { ...AGENT, id: "reader", temperature: 0.1 };
  const lead: AgentDefinition = {
    ...AGENT,
    spawnableAgents: ["reader"],
    temperature: 0.2,
    topP: 0.2,
    stop: ["agent"],
    providerOptions: { sort: "price", order: ["agent"] },
  };
  await using at = await runWorld(
    {
      answer: ({ agentId, call }) =>
        agentId === "reader" || call > 1
          ? "Done."
          : { toolCalls: [{ name: "reader", arguments: { prompt: "Read." } }] },
    },
    { agent: lead, agentDefinitions: [reader], temperature: 0.3, topP: 0.3 },
  );
  await at.client.prompt("hi", { temperature: 0.4, providerOptions: { order: ["prompt"] } }).result;
  const [first, child] = at.chats();
  const provider = { sort: "price", order: ["prompt"] };
  expect(first).toMatchObject({ temperature: 0.4, top_p: 0.3, stop: ["agent"], provider });
  expect(child).toMatchObject({ temperature: 0.1 });
  expect(child).not.toHaveProperty("top_p");
});

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;

describe("refused before anything is sent:", () => {
  test.each<[string, object]>([
    ["a negative temperature", { temperature: -1 }],
    ["no number", { temperature: Number.NaN }],
    ["a share above 1", { topP: 1.1 }],
    ["an endless answer", { maxOutputTokens: Infinity }],
    ["no text to stop at", { stop: [] }],
    ["an empty text to stop at", { stop: [""] }],
    ["an unknown form", { responseFormat: { type: "xml" } }],
    ["a form without a type", { responseFormat: {} }],
    ["a text with a schema", { responseFormat: { type: "text", schema: {} } }],
    ["a misspelt field", { responseFormat: { type: "json", shema: {} } }],
    ["a name with blanks", { responseFormat: { type: "json", name: "a b" } }],
    ["provider options of 64 KiB", { providerOptions: { a: "x".repeat(65_536) } }],
    ["provider options in a cycle", { providerOptions: cyclic }],
  ])("%s", async (_, options) => {
    await using at = await runWorld();
    const refused = { code: "invalid-input" };
    expect(thrown(() => at.client.prompt("hi", options))).toMatchObject(refused);
    expect(thrown(() => at.another(options))).toMatchObject(refused);
    expect(thrown(() => at.another({ agent: { ...AGENT, ...options } }))).toMatchObject(refused);
    expect(at.backend.requests()).toEqual([]);
  });
});
