import type { ChatChunk, CodebuffRunOptions, ModelProvider } from "agentwire/codebuff-run";
import { describe, expect, test } from "vitest";
import { failureOf } from "../helpers/turns.ts";
import { AGENT, read, runWorld, typesOf } from "./world.ts";

// Models that other servers answer, and when the backend takes their place.

const SAID: readonly ChatChunk[] = [
  { id: "p-1", choices: [{ delta: { content: "From the provider." } }] },
  {
    choices: [{ delta: {}, finish_reason: "stop" }],
    usage: { prompt_tokens: 5, completion_tokens: 2, cost: 9 },
  },
];

/** A provider that plays one round for each call: chunks, then perhaps a failure. */
function provider(
  ...rounds: readonly { readonly chunks?: readonly ChatChunk[]; readonly error?: unknown }[]
) {
  const requests: object[] = [];
  const own: ModelProvider & { readonly requests: readonly object[] } = {
    name: "own",
    requests,
    supports: () => true,
    async *stream(request) {
      const { chunks = SAID, error } = rounds[requests.length] ?? {};
      requests.push(request);
      if (error === undefined || chunks !== SAID) yield* chunks;
      if (error !== undefined) throw error;
    },
  };
  return own;
}

const LIMIT = Object.assign(new Error("slow down"), { status: 429 });
const AUTH = Object.assign(new Error("no"), { status: 401 });

const worldOf = (own: ModelProvider, options: CodebuffRunOptions = {}) =>
  runWorld({ answer: () => "From the backend." }, { providers: [own], ...options });

test("a provider gets no backend fields, costs no credits and is named in `step` events", async () => {
  const own = provider();
  await using at = await worldOf(own);
  const names: unknown[] = [];
  at.client.on("step", (step) => names.push(step.provider));
  const turn = at.client.prompt("hi");
  const events = await read(turn);
  const result = await turn.result;
  expect(typesOf(events)).toEqual(["start", "chunk", "text", "finish"]);
  expect(result).toMatchObject({
    text: "From the provider.",
    cost: { amount: 0 },
    usage: { inputTokens: 5, outputTokens: 2 },
  });
  expect(own.requests).toMatchObject([{ model: AGENT.model, stream: true }]);
  expect(own.requests[0]).not.toHaveProperty("codebuff_metadata");
  expect(own.requests[0]).not.toHaveProperty("provider");
  expect(names).toEqual(["own"]);
  expect(at.backend.runs()).toMatchObject([
    { status: "completed", steps: [{ credits: 0, messageId: "p-1" }] },
  ]);
});

test("the backend answers if no provider supports the model", async () => {
  const queries: unknown[] = [];
  const none: ModelProvider = {
    ...provider(),
    name: "none",
    supports: (query) => {
      queries.push(query);
      return false;
    },
  };
  await using at = await worldOf(none);
  expect((await at.client.prompt("hi").result).text).toBe("From the backend.");
  expect(queries).toEqual([{ model: AGENT.model, costMode: "normal" }]);
});

interface Cell {
  readonly name: string;
  readonly own: () => ModelProvider;
  /** The text, or the kind of the failure. */
  readonly paid: string;
  readonly free: string;
}

const FROM_BACKEND = "From the backend.";
const PARTLY: readonly ChatChunk[] = [{ choices: [{ delta: { content: "Half" } }] }];

describe.each<Cell>([
  { name: "status 429", own: () => provider({ error: LIMIT }), paid: FROM_BACKEND, free: "rate_limited" },
  {
    name: "`statusCode` 429",
    own: () => provider({ error: { statusCode: 429 } }),
    paid: FROM_BACKEND,
    free: "rate_limited",
  },
  {
    name: "`Rate Limit` in its words",
    own: () => provider({ error: new Error("Rate Limit reached") }),
    paid: FROM_BACKEND,
    free: "rate_limited",
  },
  {
    name: "`rate_limit` in its body",
    own: () => provider({ error: { message: "x", body: '{"type":"rate_limit_error"}' } }),
    paid: FROM_BACKEND,
    free: "rate_limited",
  },
  {
    name: "status 401, and nothing to renew",
    own: () => provider({ error: AUTH }),
    paid: FROM_BACKEND,
    free: "auth",
  },
  {
    name: "status 403, renewed in vain",
    own: () => ({ ...provider({ error: { status: 403 } }), refreshAuth: async () => false }),
    paid: FROM_BACKEND,
    free: "auth",
  },
  {
    name: "`expired`, renewed, and refused again",
    own: () => ({
      ...provider({ error: new Error("token expired") }, { error: AUTH }),
      refreshAuth: async () => true,
    }),
    paid: FROM_BACKEND,
    free: "auth",
  },
  {
    name: "`unauthorized`, and a renewal that throws",
    own: () => ({
      ...provider({ error: new Error("Unauthorized") }),
      refreshAuth: () => Promise.reject(new Error("x")),
    }),
    paid: FROM_BACKEND,
    free: "auth",
  },
  {
    name: "status 401, renewed",
    own: () => ({ ...provider({ error: AUTH }), refreshAuth: async () => true }),
    paid: "From the provider.",
    free: "From the provider.",
  },
  {
    name: "status 500",
    own: () => provider({ error: { status: 500 } }),
    paid: "server",
    free: "server",
  },
  {
    name: "another error",
    own: () => provider({ error: new Error("x") }),
    paid: "upstream_error",
    free: "upstream_error",
  },
  {
    name: "an error as its first chunk",
    own: () => provider({ chunks: [{ error: { message: "x" } } as never] }),
    paid: "upstream_error",
    free: "upstream_error",
  },
  {
    name: "nonsense as its first chunk",
    own: () => provider({ chunks: [7 as never] }),
    paid: "protocol_error",
    free: "protocol_error",
  },
  {
    name: "`supports` that throws",
    own: () => ({
      ...provider(),
      supports: () => {
        throw new Error("x");
      },
    }),
    paid: "upstream_error",
    free: "upstream_error",
  },
  {
    name: "429 behind a text: goes on, three times",
    own: () => provider(...Array(3).fill({ chunks: PARTLY, error: LIMIT })),
    paid: "stream_interrupted",
    free: "stream_interrupted",
  },
  {
    name: "429 behind a thought",
    own: () =>
      provider(...Array(3).fill({ chunks: [{ choices: [{ delta: { reasoning: "hm" } }] }], error: LIMIT })),
    paid: "stream_interrupted",
    free: "stream_interrupted",
  },
  {
    name: "401 behind a piece of a call",
    own: () =>
      provider(
        ...Array(3).fill({ chunks: [{ choices: [{ delta: { tool_calls: [{ index: 0 }] } }] }], error: AUTH }),
      ),
    paid: "stream_interrupted",
    free: "stream_interrupted",
  },
])("a provider's failure: $name", ({ own, paid, free }) => {
  test.each([
    ["normal", paid],
    ["free", free],
  ])("in cost mode %s the outcome is: %s", async (costMode, expected) => {
    await using at = await worldOf(own(), { maxRetries: 0 });
    const outcome = await at.client.prompt("hi", { costMode }).outcome;
    if (outcome.status === "completed") expect(outcome.result.text).toBe(expected);
    else expect(outcome).toMatchObject({ status: "failed", error: { kind: expected } });
    expect(at.chats()).toHaveLength(expected === FROM_BACKEND ? 1 : 0);
  });
});

describe("a provider with a rate limit", () => {
  test("is not used for five minutes, then it is used again", async () => {
    const own = provider({ error: LIMIT });
    await using at = await worldOf(own);
    const say = async () => (await at.client.prompt("hi").result).text;
    expect([await say(), await say()]).toEqual([FROM_BACKEND, FROM_BACKEND]);
    expect(own.requests).toHaveLength(1);
    await at.clock.advance(299_999);
    expect(await say()).toBe(FROM_BACKEND);
    await at.clock.advance(1);
    expect(await say()).toBe("From the provider.");
  });

  test("is not used until the time of `rateLimitResetAt()`", async () => {
    const own = provider({ error: LIMIT });
    await using at = await worldOf(own);
    own.rateLimitResetAt = async () => new Date(at.clock.wallTime() + 1_000);
    await at.client.prompt("hi").result;
    await at.clock.advance(1_000);
    expect((await at.client.prompt("hi").result).text).toBe("From the provider.");
  });

  test("is used for each prompt in free mode, which has no fallback", async () => {
    const own = provider({ error: LIMIT }, { error: LIMIT });
    await using at = await worldOf(own, { maxRetries: 0 });
    const free = { costMode: "free" };
    for (let round = 0; round < 2; round++)
      expect(await failureOf(at.client.prompt("hi", free))).toMatchObject({ kind: "rate_limited" });
    expect((await at.client.prompt("hi", free).result).text).toBe("From the provider.");
    expect([own.requests.length, at.chats().length]).toEqual([3, 0]);
  });
});

test("a client without a key runs on providers alone", async () => {
  await using at = await runWorld();
  const client = at.another({ apiKey: undefined as never, providers: [provider()] });
  const { text, cost, runId } = await client.prompt("hi").result;
  expect([text, cost, runId]).toEqual(["From the provider.", { amount: 9, unit: "usd" }, undefined]);
  expect(at.calls()).toEqual([]);
  expect(client.capabilities.usage).toBe("tokens");
});
