import { step } from "agentwire/testing";
import { expect, test } from "vitest";
import { drain, gate, readyPair } from "../helpers/codebuff.ts";
import { errorSaying } from "../helpers/errors.ts";

test("a history over the frame limit fails before it is sent", async () => {
  await using made = await readyPair({ mock: { answer: () => ["ok"] }, client: { maxSendBytes: 3_000 } });
  const chat = made.client.conversation();
  await chat.prompt("x".repeat(2_000)).result;
  expect(() => chat.prompt("y".repeat(2_000))).toThrow(
    expect.objectContaining({ code: "payload-too-large" }),
  );
  const first = chat.prompt("small");
  const queued = chat.prompt("y".repeat(2_000));
  await first.result;
  expect(await queued.outcome).toMatchObject({ error: { code: "payload-too-large", delivery: "not-sent" } });
  expect(made.server.prompts).toHaveLength(2);
});

test("the error for a history over the proxy's limit shows how to continue with fewer messages", async () => {
  const fewer = "client.conversation({ from: { ...chat.state, messages: chat.state.messages.slice(-10) } })";
  await using made = await readyPair({ mock: { answer: () => ["ok"] }, client: { maxSendBytes: 3_000 } });
  const chat = made.client.conversation();
  expect(() => chat.prompt("x".repeat(3_000))).not.toThrow(fewer); // nothing of it can be left out
  for (let said = 0; said < 15; said++) await chat.prompt("x".repeat(80)).result;
  expect(() => chat.prompt("y".repeat(600))).toThrow(fewer);
  const small = chat.prompt("small");
  const queued = chat.prompt("y".repeat(600));
  await small.result;
  expect((await queued.outcome).status).toBe("failed");
  expect(String(await queued.result.catch(String))).toContain(fewer);
  const next = made.client.conversation({
    from: { ...chat.state, messages: chat.state.messages.slice(-10) },
  });
  expect((await next.prompt("y".repeat(600)).result).text).toBe("ok");
});

test("a lost link without `reconnect` ends the waiting turns of a conversation", async () => {
  await using made = await readyPair({
    mock: { answer: () => [step.hang()] },
    client: { reconnect: false },
  });
  const chat = made.client.conversation();
  const [first, second] = [chat.prompt("one"), chat.prompt("two")];
  await made.server.nextPrompt();
  made.server.dropAll();
  expect(await first.outcome).toMatchObject({ error: { code: "connection-lost", delivery: "unknown" } });
  expect(await second.outcome).toMatchObject({
    error: { code: "closed", delivery: "not-sent", input: "two", cause: { code: "connection-lost" } },
  });
});

test("a lost link without `reconnect` throws at the reader of a waiting turn", async () => {
  await using made = await readyPair({
    mock: { answer: () => [step.hang()] },
    client: { reconnect: false },
  });
  const chat = made.client.conversation();
  chat.prompt("one");
  const read = drain(chat.prompt("two"));
  await made.server.nextPrompt();
  made.server.dropAll();
  expect((await read).thrown).toMatchObject({ code: "closed", delivery: "not-sent", input: "two" });
});

test("an empty prompt is refused even if its state has messages", async () => {
  await using made = await readyPair();
  const chat = made.client.conversation();
  const input = { sessionState: { messages: [{ role: "user", content: "hi" }] } };
  expect(() => chat.prompt(input)).toThrow(errorSaying("invalid-input", /^the prompt says nothing/));
  expect(chat.messages).toEqual([]);
});

test("a prompt that was sent no longer counts as queued", async () => {
  const hold = gate();
  await using made = await readyPair({
    mock: {
      async *answer({ messages }) {
        if (messages?.length === 3) await hold.passed;
        yield "ok";
      },
    },
    client: { maxQueuedTurns: 1 },
  });
  const chat = made.client.conversation();
  const [first, second] = [chat.prompt("one"), chat.prompt("two")];
  await first.result;
  await made.server.waitFor(({ prompts }) => prompts.length === 2);
  const third = chat.prompt("three");
  expect(second.status).toBe("sent");
  hold.open();
  expect((await third.result).text).toBe("ok");
});
