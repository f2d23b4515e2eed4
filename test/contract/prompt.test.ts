import { expect } from "vitest";
import { PIECES, SIGN, TEXT } from "./fixture.ts";
import { promise } from "./promise.ts";
import { drain, failureOf, rejection, soFar, statesOf, works } from "./support.ts";

promise("prompt: the whole text arrives in order", async ({ client, backend }) => {
  const turn = client.prompt("hello");
  const result = await turn.result;
  expect(result.text).toBe(TEXT);
  expect(turn).toMatchObject({ text: TEXT, status: "completed" });
  expect(await turn.outcome).toEqual({ status: "completed", result });
  expect(backend.prompts).toEqual([{ text: "hello", known: [] }]);
});

promise("prompt: an object is sent like a string", async ({ client, backend, facts }) => {
  const { text } = await client.prompt(facts.input("hello")).result;
  expect(text).toBe(TEXT);
  expect(backend.prompts).toEqual([{ text: "hello", known: [] }]);
});

promise("prompt: text beyond ASCII is unchanged in both directions", async ({ client, backend }) => {
  const text = 'żółć 🎉 \u2028 "quoted" \\ \n\ttab \u0000 <b>&amp;</b>';
  backend.answer = (prompt) => [prompt];
  expect((await client.prompt(text).result).text).toBe(text);
  expect(backend.prompts[0]?.text).toBe(text);
});

promise("prompt: each state is emitted once, in order", { connected: false }, async ({ client }) => {
  const turn = client.prompt("hello");
  const states = statesOf(turn);
  await turn.result;
  expect(states).toEqual(["queued", "sent", "streaming", "completed"]);
});

promise("prompt: each turn has an id of its own", async ({ client }) => {
  const turns = [client.prompt("one"), client.prompt("two"), client.conversation().prompt("three")];
  await Promise.all(turns.map(({ outcome }) => outcome));
  const ids = turns.map(({ id }) => id);
  expect(ids.every((id) => id !== "")).toBe(true);
  expect(new Set(ids).size).toBe(3);
});

promise(
  "prompt: a failure of the backend is `turn-failed`, with the backend's message",
  async ({ client, backend, facts }) => {
    backend.answer = () => [...PIECES, { fails: "the model has tripped" }];
    const turn = client.prompt("hello");
    const outcome = await turn.outcome;
    expect(outcome).toMatchObject({
      status: "failed",
      error: {
        code: "turn-failed",
        serverMessage: expect.stringContaining(facts.failure("the model has tripped")),
      },
      partial: { text: soFar(client, TEXT) },
    });
    expect(await rejection(turn.result)).toBe(outcome.status === "failed" && outcome.error);
    expect(turn.status).toBe("failed");
    backend.answer = () => PIECES;
    expect(await works(client)).toBe(TEXT);
  },
);

promise("prompt: a failure before any text is `turn-failed` too", async ({ client, backend }) => {
  backend.answer = () => [{ fails: "no credits" }];
  const error = await failureOf(client.prompt("hello"));
  expect(error).toMatchObject({ code: "turn-failed", partial: { text: "" } });
});

promise("prompt: the client emits the events of all turns, each with its turn", async ({ client }) => {
  const told: [event: unknown, turn: unknown][] = [];
  client.on("event", (event, turn) => void told.push([event, turn]));
  const turns = [client.prompt("one"), client.prompt("two")];
  for (const turn of turns) {
    const { values } = await drain(turn);
    expect(told.filter(([, of]) => of === turn).map(([event]) => event)).toEqual(values);
  }
});

promise("prompt: a message that adds no text is still an event", async ({ client, backend }) => {
  const plain = await drain(client.prompt("plain"));
  backend.answer = () => [SIGN, ...PIECES];
  const turn = client.prompt("with a sign");
  const { values } = await drain(turn);
  expect(values.length).toBe(plain.values.length + 1);
  expect((await turn.result).text).toBe(TEXT);
});

promise("prompt: turns made at once each get their own answer", async ({ client, backend }) => {
  backend.answer = (prompt) => ["to ", prompt];
  const asked = ["a", "b", "c", "d", "e"];
  const turns = asked.map((text) => client.prompt(text));
  const results = await Promise.all(turns.map(({ result }) => result));
  expect(results.map(({ text }) => text)).toEqual(asked.map((text) => `to ${text}`));
  expect(backend.prompts.map(({ text }) => text).sort()).toEqual(asked);
});

promise("prompt: `textDeltas` says whether text arrives in pieces", async ({ client }) => {
  const pieces = await drain(client.prompt("hello").textStream);
  expect(pieces.values).toEqual(client.capabilities.textDeltas ? PIECES : [TEXT]);
});
