import {
  CodebuffRun,
  type CodebuffRunCompaction,
  type CodebuffRunOptions,
  type ModelProvider,
  type RunState,
  toUniversal,
} from "agentwire/codebuff-run";
import { ManualClock } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { failureOf } from "../helpers/turns.ts";
import { collected } from "./universal/world.ts";
import { AGENT, json, textIn, type WireMessage } from "./world.ts";

// Histories that outgrow the model's window.

const FACT = "the key is 4711";

interface Asked {
  readonly messages: readonly WireMessage[];
  readonly tokens: number;
  readonly isSummary: boolean;
  readonly text: string;
}

/** A model that answers by what it is asked, and keeps it. */
function model(answer: (asked: Asked) => string | { readonly call: object }) {
  const asked: Asked[] = [];
  const provider: ModelProvider = {
    name: "scripted",
    supports: () => true,
    async *stream(request) {
      const messages = request.messages as readonly WireMessage[];
      const one: Asked = {
        messages,
        tokens: JSON.stringify([messages, request.tools]).length / 4,
        isSummary: textIn(messages[0] as WireMessage).startsWith("Sum up"),
        text: messages.map(textIn).join("\n"),
      };
      asked.push(one);
      const said = answer(one);
      const delta =
        typeof said === "string"
          ? { content: said }
          : { tool_calls: [{ index: 0, function: { name: "look", arguments: JSON.stringify(said.call) } }] };
      yield { choices: [{ delta }] };
      yield { choices: [{ delta: {}, finish_reason: "stop" }], usage: { prompt_tokens: 3 } };
    },
  };
  return { asked, provider };
}

const look = (size: number) => ({
  description: "Looks.",
  parameters: { type: "object", properties: {} },
  execute: () => json("x".repeat(size)),
});

function clientOf(provider: ModelProvider, options: CodebuffRunOptions = {}) {
  const limit = provider.contextWindow === undefined ? { maxContextTokens: 2_000 } : {};
  const client = new CodebuffRun({
    providers: [provider],
    agent: AGENT,
    clock: new ManualClock(),
    ...limit,
    ...options,
  });
  const told: CodebuffRunCompaction[] = [];
  client.on("compaction", (compaction) => told.push(compaction));
  return { client, told, [Symbol.asyncDispose]: () => client.close() };
}

const words = (count: number): string => "word ".repeat(count);

test("the next of `models` sums up where the first one fails, also at the start of each prompt", async () => {
  const { asked, provider } = model(({ isSummary }) => (isSummary ? "In short." : words(600)));
  const failing: ModelProvider = {
    ...provider,
    stream: (request, context) => {
      if (request.model === "broken") throw new Error("the model is away");
      return provider.stream(request, context);
    },
  };
  await using at = clientOf(failing, { models: ["broken", "good"] });
  const talk = at.client.conversation();
  for (let turn = 1; turn < 9; turn++) expect((await talk.prompt(words(300)).result).model).toBe("good");
  expect(asked.some(({ isSummary }) => isSummary)).toBe(true);
  expect(at.told.filter(({ state }) => state === "completed").length).toBeGreaterThan(0);
});

test("an empty answer behind a compaction ends a run that has spoken, and asks no other model", async () => {
  const { asked, provider } = model(({ isSummary, messages }) => {
    if (isSummary) return "In short.";
    if (messages.at(-1)?.role === "tool") return "";
    return messages.some((message) => textIn(message).includes("Look.")) ? { call: {} } : words(250);
  });
  await using at = clientOf(provider, { models: ["first", "second"], tools: { look: look(4_000) } });
  const talk = at.client.conversation();
  for (let turn = 0; turn < 4; turn++) await talk.prompt(words(50)).result;
  const { model: answered } = await talk.prompt("Look.").result;
  expect(asked.some(({ isSummary }) => isSummary)).toBe(true);
  expect(answered).toBe("first");
});

test("the cost of a run without the backend is in dollars, its summaries too", async () => {
  const { asked, provider } = model(({ isSummary }) => (isSummary ? "In short." : words(600)));
  const priced: ModelProvider = {
    ...provider,
    async *stream(request, context) {
      for await (const chunk of provider.stream(request, context))
        yield chunk.usage ? { ...chunk, usage: { ...chunk.usage, cost: 0.25 } } : chunk;
    },
  };
  await using at = clientOf(priced);
  const talk = at.client.conversation();
  let total = 0;
  for (let turn = 1; turn < 9; turn++) {
    const { cost } = await talk.prompt(words(300)).result;
    expect(cost?.unit).toBe("usd");
    total += cost?.amount ?? 0;
  }
  expect(asked.length).toBeGreaterThan(8);
  expect(total).toBe(asked.length * 0.25);
});

test("a conversation of 400 turns stays within 32,000 tokens, and knows a fact of its first turn", async () => {
  const { asked, provider } = model(({ isSummary, text, messages }) => {
    if (isSummary) return `${text.includes(FACT) ? FACT : "nothing"}. ${words(200)}`;
    const last = messages.at(-1);
    if (last?.role === "user" && textIn(last).includes("Turn 7")) return { call: {} };
    return text.includes("What is the key?") ? (text.includes(FACT) ? FACT : "I forgot.") : words(200);
  });
  await using at = clientOf(provider, { maxContextTokens: 32_000, tools: { look: look(20_000) } });
  const talk = at.client.conversation();
  await talk.prompt(`Remember: ${FACT}.`).result;
  for (let turn = 1; turn < 399; turn++) await talk.prompt(`Turn ${turn}. ${words(200)}`).result;
  expect((await talk.prompt("What is the key?").result).text).toBe(FACT);
  expect(Math.max(...asked.map(({ tokens }) => tokens))).toBeLessThan(32_000);
  const summaries = asked.filter(({ isSummary }) => isSummary).length;
  expect(summaries).toBeGreaterThan(5);
  expect(summaries).toBeLessThan(40); // one for many turns
  expect(at.told.filter(({ state }) => state === "completed").every(({ after = 0 }) => after < 32_000)).toBe(
    true,
  );
});

/** A conversation with turns of some 500 tokens each, and one prompt that is too much. */
async function tooMuch(client: CodebuffRun, turns = 4) {
  const talk = client.conversation();
  for (let turn = 0; turn < turns; turn++) await talk.prompt(`Turn ${turn}: ${words(350)}`).result;
  return talk.prompt("The last.");
}

const historyOf = ({ sessionState }: RunState) => sessionState?.mainAgentState.messageHistory ?? [];

const textsOf = (state: RunState): readonly string[] =>
  historyOf(state).flatMap(({ content }) =>
    content.flatMap((part) => (part.type === "text" ? [part.text] : [])),
  );

describe("above `maxContextTokens`", () => {
  test("the model sums up the oldest turns; newer ones and the last one stay", async () => {
    const { asked, provider } = model(({ isSummary }) => (isSummary ? "They took turns." : "Yes."));
    await using at = clientOf(provider);
    const turn = await tooMuch(at.client);
    const { state, text, usage } = await turn.result;
    expect(text).toBe("Yes.");
    expect(usage).toEqual({ inputTokens: 6, outputTokens: 0 }); // the summary counts, too
    const { messages, text: sent } = asked.filter(({ isSummary }) => isSummary)[0] ?? {
      messages: [],
      text: "",
    };
    expect(messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(sent).toMatch(/Turn 0: word[\s\S]*Agent: Yes\./);
    const texts = textsOf(state);
    expect(texts[0]).toBe(
      "<system>Summary of the conversation before this point:</system>\nThey took turns.",
    );
    expect(texts.at(-2)).toContain("The last.");
    expect(texts.join("\n")).toContain("Turn 3: word");
    expect(texts.join("\n")).not.toContain("Turn 0: word");
    const about = { agentId: "main-agent", runId: state.sessionState?.mainAgentState.runId };
    expect(at.told).toEqual([
      { ...about, state: "started", before: expect.any(Number) },
      {
        ...about,
        state: "completed",
        before: at.told[0]?.before,
        after: expect.any(Number),
        summary: "They took turns.",
      },
    ]);
  });

  test("universal events have the status `compaction` twice", async () => {
    const { provider } = model(({ isSummary }) => (isSummary ? "They took turns." : "Yes."));
    await using at = clientOf(provider);
    const events = await collected(toUniversal(await tooMuch(at.client)));
    const statuses = events.flatMap((event) =>
      event.type === "item.completed" ? event.data.item.content.filter(({ type }) => type === "status") : [],
    );
    expect(statuses).toMatchObject([{ label: "compaction" }, { label: "compaction" }]);
    expect(JSON.stringify(events)).toContain('"state":"completed","summary":"They took turns."');
  });

  test("long results of old turns are cut first, and no model is asked if that is enough", async () => {
    const { asked, provider } = model(({ messages }) => (messages.length === 1 ? { call: {} } : "Yes."));
    await using at = clientOf(provider, { tools: { look: look(9_000) }, maxContextTokens: 2_500 });
    const talk = at.client.conversation();
    await talk.prompt("Look.").result;
    const { state } = await talk.prompt(`And? ${words(100)}`).result;
    expect(asked.filter(({ isSummary }) => isSummary)).toEqual([]);
    expect(JSON.stringify(state)).toMatch(/x{900}.*\[cut: 9004 characters\]/);
    expect(at.told.map(({ state: told, summary }) => [told, summary])).toEqual([
      ["started", undefined],
      ["completed", undefined],
    ]);
  });

  test("the limit is 80 % of a provider's `contextWindow`; `maxContextTokens` comes first", async () => {
    const { provider } = model(({ isSummary }) => (isSummary ? "They took turns." : "Yes."));
    const windowed = { ...provider, contextWindow: 2_500 };
    await using at = clientOf(windowed);
    await using wide = clientOf(windowed, { maxContextTokens: 9_000 });
    for (const { client } of [at, wide]) await (await tooMuch(client)).result;
    expect([at.told.length, wide.told.length]).toEqual([2, 0]);
    expect(() => clientOf({ ...provider, contextWindow: 0 })).toThrow(/`providers`/);
  });

  test("pictures in old results become their type", async () => {
    const { provider } = model(({ messages }) => (messages.length === 1 ? { call: {} } : "Yes."));
    const picture = { type: "media", data: "AAAA".repeat(1_500), mediaType: "image/png" } as const;
    const see = { ...look(1), execute: () => [picture] };
    await using at = clientOf(provider, { tools: { look: see }, maxContextTokens: 1_800 });
    const talk = at.client.conversation();
    await talk.prompt("Look.").result;
    const { state } = await talk.prompt(`And? ${words(100)}`).result;
    expect(historyOf(state)[2]).toMatchObject({ content: [{ type: "json", value: '["image/png"]' }] });
  });

  test.each<[string, string, CodebuffRunOptions]>([
    ["a summary that is longer than what it replaces is not used", words(9_000), {}],
    ["an empty summary is not used", "", {}],
    ['`compact: "truncate"` asks for none', "never", { compact: "truncate" }],
  ])("%s: the oldest turns are left out", async (_, summary, options) => {
    const { asked, provider } = model(({ isSummary }) => (isSummary ? summary : "Yes."));
    await using at = clientOf(provider, options);
    const { state } = await (await tooMuch(at.client)).result;
    const texts = textsOf(state);
    expect(texts[0]).toBe("<system>The oldest part of this conversation was left out.</system>");
    expect(texts.join("\n")).not.toContain("Turn 0: word");
    expect(texts.at(-2)).toContain("The last.");
    expect(asked.some(({ isSummary }) => isSummary)).toBe(options.compact === undefined);
    expect(at.told.at(-1)).not.toHaveProperty("summary");
  });

  test("a failed summary fails the run, and its state still has all turns", async () => {
    const { provider } = model(({ isSummary }) => {
      if (isSummary) throw new Error("no more credits");
      return "Yes.";
    });
    await using at = clientOf(provider);
    const error = await failureOf(await tooMuch(at.client));
    expect(error).toMatchObject({ kind: "upstream_error" });
    const { state } = (error as { partial: { state: RunState } }).partial;
    expect(textsOf(state).join("\n")).toContain("Turn 0: word");
  });

  test.each<[string, CodebuffRunOptions, string]>([
    ["`compact: false`", { compact: false }, "The last."],
    ["a last turn that alone is too long", {}, words(3_000)],
  ])("%s fails the run as before", async (_, options, prompt) => {
    const { provider } = model(({ isSummary }) => (isSummary ? "They took turns." : "Yes."));
    await using at = clientOf(provider, options);
    const talk = at.client.conversation();
    for (let turn = 0; turn < 4; turn++) await talk.prompt(`Turn ${turn}: ${words(350)}`).result;
    expect(await failureOf(talk.prompt(prompt))).toMatchObject({ kind: "context_limit" });
  });
});
