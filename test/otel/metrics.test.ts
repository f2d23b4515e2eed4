import { agentStep } from "agentwire/testing";
import { expect, test } from "vitest";
import { ask, traced } from "./support/traced.ts";

test("a turn is measured: its duration, the time to the first chunk, and the tokens in and out", async () => {
  const { chat, points } = traced([["Hi.", agentStep.usage({ inputTokens: 12, outputTokens: 3 })]]);
  await ask(chat);
  await chat.close();
  const metrics = await points();
  const of = { "gen_ai.operation.name": "invoke_agent", "gen_ai.provider.name": "mock" };
  const told = [...metrics].map(([name, { descriptor, dataPoints }]) => [
    name,
    descriptor.unit,
    dataPoints.map(({ attributes }) => attributes),
  ]);
  expect(told).toEqual([
    ["gen_ai.client.operation.duration", "s", [of]],
    ["gen_ai.client.operation.time_to_first_chunk", "s", [of]],
    [
      "gen_ai.client.token.usage",
      "{token}",
      [
        { ...of, "gen_ai.token.type": "input" },
        { ...of, "gen_ai.token.type": "output" },
      ],
    ],
  ]);
  expect(metrics.get("gen_ai.client.token.usage")?.dataPoints.map(({ value }) => value)).toMatchObject([
    { sum: 12, count: 1 },
    { sum: 3, count: 1 },
  ]);
});

test("the buckets are those of the conventions", async () => {
  const { chat, points } = traced([["Hi.", agentStep.usage({ inputTokens: 12 })]]);
  await ask(chat);
  await chat.close();
  const metrics = await points();
  const bounds = (name: string) =>
    metrics.get(name)?.dataPoints.map(({ value }) => Object(value).buckets.boundaries)[0];
  expect(bounds("gen_ai.client.operation.duration")).toEqual([
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
  ]);
  expect(bounds("gen_ai.client.token.usage")).toEqual([
    1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864,
  ]);
});

test("the duration of a failed turn has the error's code", async () => {
  const { chat, points } = traced([[agentStep.fail("no", { kind: "overloaded" })]]);
  await ask(chat);
  await chat.close();
  const [point] = (await points()).get("gen_ai.client.operation.duration")?.dataPoints ?? [];
  expect(point?.attributes["error.type"]).toBe("mock.overloaded");
});

test("a backend that sends whole texts has no time to the first chunk", async () => {
  const { chat, points, span } = traced(["Hi."], { capabilities: { textDeltas: false } });
  await ask(chat);
  await chat.close();
  expect([...(await points()).keys()]).toEqual(["gen_ai.client.operation.duration"]);
  expect(span("invoke_agent mock").attributes).not.toHaveProperty("gen_ai.response.time_to_first_chunk");
});
