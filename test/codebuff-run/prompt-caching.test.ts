import { createAnthropic } from "@ai-sdk/anthropic";
import {
  aiSdkModel,
  type CodebuffRunOptions,
  type ModelProvider,
  openAiCompatible,
} from "agentwire/codebuff-run";
import { type BackendAnswer, MockCodebuffBackend } from "agentwire/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fakeModel, finish } from "./fake-model.ts";
import { AGENT, type ChatBody, json, runWorld, type WireMessage } from "./world.ts";

// The marks for the caches of models, and what a cache finds again.

const MARK = { type: "ephemeral" };
const look = {
  description: "Looks.",
  parameters: { type: "object", properties: { at: { type: "string" } } },
  execute: () => json("A picture."),
};
const agent = {
  ...AGENT,
  systemPrompt: "Be brief.",
  instructionsPrompt: "Look first.",
  stepPrompt: "Go on.",
};
const calls = (...names: string[]) => ({ toolCalls: names.map((name) => ({ name })) });
const SCRIPT = [calls("look", "look"), calls("look"), "Done."];

/** The places of the messages with a mark, of the message itself or of its last part. */
function marksOf({ messages }: ChatBody): readonly number[] {
  const isMarked = (value: unknown) => JSON.stringify(value).includes('"cache_control":{"type":"ephemeral"}');
  return messages.flatMap((message, place) => (isMarked(message) ? [place] : []));
}

/** The requests of a run with these options, and what the server says of them. */
async function requestsOf(options: CodebuffRunOptions, answer: readonly (string | BackendAnswer)[] = SCRIPT) {
  await using at = await runWorld({ answer }, { agent, tools: { look }, ...options });
  await at.client.prompt("hi").result;
  return at.chats();
}

test("the backend gets marks on the system prompt, the end of the history, and its end in the request before", async () => {
  const chats = await requestsOf({});
  // 0 system, 1 prompt, 2 instructions, 3 answer, 4 and 5 results, 6 answer, 7 result; a reminder is last
  expect(chats.map(marksOf)).toEqual([
    [0, 2],
    [0, 2, 5],
    [0, 5, 7],
  ]);
  const [system, , instructions, , , result] = chats[1]?.messages ?? [];
  expect(system).toEqual({ role: "system", content: "Be brief.", cache_control: MARK });
  expect(instructions?.content).toEqual([{ type: "text", text: "Look first.", cache_control: MARK }]);
  expect(result).toMatchObject({ role: "tool", content: '"A picture."', cache_control: MARK });
});

test("`promptCaching: false` sends no marks", async () => {
  expect(JSON.stringify(await requestsOf({ promptCaching: false }))).not.toContain("cache_control");
});

/** What a server with OpenAI's API gets for a model. */
async function toServer(model: string, options: CodebuffRunOptions = {}) {
  const server = await MockCodebuffBackend.start({ openAiCompatible: true, answer: SCRIPT });
  const own = openAiCompatible({ baseUrl: `${server.url}/v1`, apiKey: server.apiKey, model });
  await using at = await runWorld();
  const client = at.another({
    apiKey: undefined as never,
    providers: [own],
    agent,
    tools: { look },
    ...options,
  });
  await client.prompt("hi").result;
  await server.stop();
  expect(server.violations).toEqual([]);
  return server.requests({ endpoint: "chat" }).map(({ body }) => body as ChatBody);
}

test("an Anthropic model behind OpenAI's API gets the marks on parts, in each message the same form", async () => {
  const chats = await toServer("anthropic/claude-sonnet-4.5");
  expect(chats.map(marksOf)).toEqual([
    [0, 2],
    [0, 2, 5],
    [0, 5, 7],
  ]);
  const [system] = chats[0]?.messages ?? [];
  expect(system?.content).toEqual([{ type: "text", text: "Be brief.", cache_control: MARK }]);
  const result = chats[1]?.messages[4]; // without a mark
  expect(result?.content).toEqual([{ type: "text", text: '"A picture."' }]);
});

test.each([
  ["another model", "gpt-5-mini", {}],
  ["an Anthropic model without `promptCaching`", "claude-opus-4", { promptCaching: false }],
])("%s behind OpenAI's API gets no marks", async (_, model, options) => {
  expect(JSON.stringify(await toServer(model, options))).not.toContain("cache_control");
});

describe("models of the AI SDK", () => {
  const asking = async (own: ModelProvider) => {
    await using at = await runWorld();
    const client = at.another({ apiKey: undefined as never, providers: [own], agent });
    await client.prompt("hi").outcome;
  };

  test("of Anthropic get `cacheControl` in the provider options of messages", async () => {
    const bodies: string[] = [];
    const anthropic = createAnthropic({
      apiKey: "k",
      fetch: async (_, init) => {
        bodies.push(String(init?.body));
        return new Response("{}", { status: 400 });
      },
    });
    await asking(aiSdkModel(anthropic("claude-sonnet-4-5")));
    const { system, messages } = JSON.parse(bodies[0] ?? "{}");
    expect(system).toEqual([{ type: "text", text: "Be brief.", cache_control: MARK }]);
    expect(messages[0].content).toEqual([
      { type: "text", text: "<user_message>hi</user_message>" },
      { type: "text", text: "Look first.", cache_control: MARK },
      { type: "text", text: "<system_reminder>Go on.</system_reminder>" },
    ]);
  });

  test("of others get none", async () => {
    const { asked, model } = fakeModel([{ type: "text-delta", id: "t", delta: "Hi." }, finish]);
    await asking(aiSdkModel(model));
    expect(JSON.stringify(asked)).not.toContain("anthropic");
  });
});

test("a provider of one's own gets marks only if it asks for them", async () => {
  const seen: string[] = [];
  const own = (readsCacheMarks?: boolean): ModelProvider => ({
    name: "own",
    supports: () => true,
    ...(readsCacheMarks === undefined ? {} : { readsCacheMarks }),
    async *stream({ messages }) {
      seen.push(JSON.stringify(messages));
      yield { choices: [{ delta: { content: "Hi." }, finish_reason: "stop" }] };
    },
  });
  await using at = await runWorld();
  for (const provider of [own(), own(true)])
    await at.another({ apiKey: undefined as never, providers: [provider], agent }).prompt("hi").result;
  expect(seen.map((text) => text.includes("cache_control"))).toEqual([false, true]);
});

/** The part of a request that a cache can hold: tools and history, as text, without marks, reminder and closing. */
function cached({ tools, messages }: ChatBody): string {
  const isReminder = ({ content }: WireMessage) => JSON.stringify(content).includes("<system_reminder>");
  const text = JSON.stringify([tools, messages.filter((message) => !isReminder(message))]);
  return text.replaceAll(',"cache_control":{"type":"ephemeral"}', "").replace(/"?[\]}]+$/, "");
}

const words = fc.string({ maxLength: 8 });
const toolCall = fc.oneof(
  fc.record({ name: fc.constant("look"), arguments: fc.record({ at: words }) }),
  fc.record({ name: fc.constantFrom("picture", "fails", "unknown", "set_output") }),
  fc.record({ name: fc.constant("look"), rawArguments: fc.constantFrom("{", "[]", '{"at":1}') }),
);
const answers: fc.Arbitrary<BackendAnswer> = fc.record(
  {
    reasoning: words,
    text: fc.oneof(words, fc.constantFrom("<think>hm</think>", "I look.")),
    toolCalls: fc.array(toolCall, { maxLength: 3 }),
    sse: fc.constantFrom({}, {}, {}, { cutAfter: 2 }),
  },
  { requiredKeys: [] },
);
const picture = {
  description: "Shows a picture.",
  parameters: { type: "object" },
  execute: () => [{ type: "media" as const, mediaType: "image/png", data: "AAAA" }],
};
const fails = {
  description: "Fails.",
  parameters: { type: "object" },
  execute: () => {
    throw new Error("broken");
  },
};

test("each request repeats the one before byte for byte but for the marks, also in a conversation", async () => {
  let compared = 0;
  const prompts = fc.array(fc.array(answers, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(prompts, fc.boolean(), async (scripts, isExplicit) => {
      const toolNames = ["set_output", ...(isExplicit ? ["task_completed"] : [])];
      await using at = await runWorld(
        {
          answer: ({ call }) =>
            scripts[asked]?.[call - 1] ?? { text: "Done.", toolCalls: [{ name: "end_turn" }] },
        },
        {
          agent: { ...agent, toolNames: [...toolNames, "end_turn"] },
          tools: { look, picture, fails },
          maxAgentSteps: 20,
        },
      );
      at.client.on("protocolWarning", () => {});
      const chat = at.client.conversation();
      let asked = 0;
      let before = "";
      let seen = 0;
      for (; asked < scripts.length; asked++) {
        const { status } = await chat.prompt(`prompt ${asked}`).outcome;
        const fresh = at.chats().slice(seen).map(cached);
        let last = before;
        for (const text of fresh) {
          expect(text.slice(0, last.length)).toBe(last);
          last = text;
          compared++;
        }
        seen += fresh.length;
        if (status === "completed") before = last; // a turn that failed leaves the conversation as it was
      }
    }),
    { numRuns: 60 },
  );
  expect(compared).toBeGreaterThan(200);
});
