import {
  type ChatChunk,
  type CodebuffRunOptions,
  type ModelProvider,
  toUniversal,
} from "agentwire/codebuff-run";
import { describe, expect, test } from "vitest";
import { failureOf, thrown } from "../helpers/turns.ts";
import { AGENT, read, runWorld } from "./world.ts";

// `models`: which failures make the run ask the next model, and which model the rest of the run asks.

const say = (content: string): ChatChunk => ({ choices: [{ delta: { content } }] });
const end: ChatChunk = { choices: [{ delta: {}, finish_reason: "stop" }] };
const call = (name: string): ChatChunk => ({
  choices: [{ delta: { tool_calls: [{ index: 0, function: { name, arguments: "{}" } }] } }],
});
const status = (code: number) => Object.assign(new Error(`status ${code}`), { status: code });

type Answers = Readonly<Record<string, () => readonly ChatChunk[]>>;

/** A provider of these models. Each answers with its chunks, or throws. */
function server(answers: Answers) {
  const asked: string[] = [];
  const own: ModelProvider = {
    name: "own",
    supports: ({ model }) => model in answers,
    async *stream({ model }) {
      asked.push(model);
      yield* answers[model]?.() ?? [];
    },
  };
  return { asked, own };
}

async function world(answers: Answers, options: CodebuffRunOptions = {}) {
  const { asked, own } = server(answers);
  const at = await runWorld();
  const rest = { apiKey: undefined as never, providers: [own], models: ["a", "b"], maxRetries: 0 };
  const client = at.another({ ...rest, ...options });
  return { at, asked, client, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

const b = () => [say("From b."), end];
const failing = (error: unknown) => () => {
  throw error;
};

describe("the next of `models` is asked after", () => {
  test.each<[string, () => readonly ChatChunk[]]>([
    ["a status 404", failing(status(404))],
    ["a status 503", failing(status(503))],
    ["a rate limit", failing(status(429))],
    ["a refused key", failing(status(401))],
    ["an answer without a word", () => [end]],
    ["a server that is not reached", failing(new Error("ECONNREFUSED"))],
  ])("%s", async (_, a) => {
    await using to = await world({ a, b });
    const warnings: object[] = [];
    to.client.on("protocolWarning", (warning) => warnings.push(warning));
    const { text, model } = await to.client.prompt("hi").result;
    expect({ text, model }).toEqual({ text: "From b.", model: "b" });
    expect(to.asked).toEqual(["a", "b"]);
    expect(warnings).toMatchObject([{ kind: "model-failed", message: expect.stringContaining("`b`") }]);
  });

  test("a model that no server knows", async () => {
    await using to = await world({ b });
    expect(await to.client.prompt("hi").result).toMatchObject({ text: "From b.", model: "b" });
  });

  test("answers that break off before their first word, three times", async () => {
    await using to = await world({ a: () => [], b });
    expect((await to.client.prompt("hi").result).model).toBe("b");
  });
});

test("retries come before the next model", async () => {
  await using to = await world({ a: failing(status(503)), b }, { maxRetries: 1 });
  const turn = to.client.prompt("hi");
  await to.at.pass(0);
  expect((await turn.result).model).toBe("b");
  expect(to.asked).toEqual(["a", "a", "b"]);
});

test("a model that has begun to answer is not replaced", async () => {
  const a = function* () {
    yield say("Half");
    throw status(500);
  };
  await using to = await world({ a: () => a() as unknown as readonly ChatChunk[], b });
  expect(await failureOf(to.client.prompt("hi"))).toMatchObject({ kind: "stream_interrupted" });
  expect(new Set(to.asked)).toEqual(new Set(["a"]));
});

test("an empty answer after a tool ends the run, without another model", async () => {
  const answers = [[say("I look."), call("look"), end], [end]];
  const look = { description: "", parameters: { type: "object" }, execute: () => [] };
  await using to = await world({ a: () => answers.shift() ?? [], b }, { tools: { look } });
  expect(await to.client.prompt("hi").result).toMatchObject({ text: "I look.", model: "a" });
});

test("a run keeps the model that answered, and the next prompt begins with the first", async () => {
  const look = { description: "", parameters: { type: "object" }, execute: () => [] };
  const answers = [[call("look"), end], b(), b()];
  await using to = await world(
    { a: failing(status(503)), b: () => answers.shift() ?? [] },
    { tools: { look } },
  );
  const steps: string[] = [];
  to.client.on("step", ({ model }) => steps.push(model));
  await to.client.prompt("hi").result;
  expect(to.asked).toEqual(["a", "b", "b"]);
  expect(steps).toEqual(["b", "b"]);
  await to.client.prompt("hi").result;
  expect(to.asked).toEqual(["a", "b", "b", "a", "b"]);
});

test("the error is that of the last model", async () => {
  await using to = await world({ a: failing(status(503)), b: failing(status(404)) });
  expect(await failureOf(to.client.prompt("hi"))).toMatchObject({ status: 404 });
});

test("a cancelled run asks no other model", async () => {
  const hangs: ModelProvider = {
    name: "hangs",
    supports: () => true,
    stream: (_, { signal }) => ({
      [Symbol.asyncIterator]: () => ({
        next: () =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason));
          }),
      }),
    }),
  };
  await using to = await world({}, { providers: [hangs] });
  const warnings: object[] = [];
  to.client.on("protocolWarning", (warning) => warnings.push(warning));
  const turn = to.client.prompt("hi");
  await turn[Symbol.asyncIterator]().next(); // `start`: the model is asked next
  turn.cancel();
  expect(await turn.outcome).toMatchObject({ status: "cancelled" });
  expect(warnings).toEqual([]);
});

test("a prompt has its own `models`; sub-agents keep their model", async () => {
  const spawn = {
    choices: [
      {
        delta: {
          tool_calls: [{ index: 0, function: { name: "reader", arguments: '{"prompt":"Read."}' } }],
        },
      },
    ],
  };
  const answers = [[spawn, end], b()];
  const reader = { ...AGENT, id: "reader", model: "small" };
  await using to = await world(
    { c: () => answers.shift() ?? [], small: () => [say("Read."), end] },
    { agent: { ...AGENT, spawnableAgents: ["reader"] }, agentDefinitions: [reader] },
  );
  const turn = to.client.prompt("hi", { models: ["c"] });
  const stream = toUniversal(turn);
  const [event] = await read(turn);
  expect(event).toMatchObject({ type: "start", model: "c" });
  expect((await turn.result).model).toBe("c");
  expect(to.asked).toEqual(["c", "small", "c"]);
  const ended: unknown[] = [];
  for await (const { type, data } of stream) if (type === "turn.ended") ended.push(data);
  expect(ended).toMatchObject([{ metadata: { model: "c" } }]);
});

test.each([[[]], [[""]], ["a"]])("`models: %j` is invalid", async (models) => {
  await using at = await runWorld();
  expect(thrown(() => at.another({ models: models as never }))).toMatchObject({ code: "invalid-input" });
});
