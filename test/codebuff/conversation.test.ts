import { step } from "agentwire/testing";
import { expect, test } from "vitest";
import { drain, gate, once, readyPair, status } from "../helpers/codebuff.ts";
import { errorSaying } from "../helpers/errors.ts";

const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });

test("each prompt goes with all that was said before, oldest first, newest last", async () => {
  await using made = await readyPair({ mock: { answer: ({ data }) => [`answer ${data.content?.length}`] } });
  const chat = made.client.conversation();
  await chat.prompt("one").result;
  await chat.prompt("two").result;
  expect(made.server.prompts.map(({ messages }) => messages)).toEqual([
    [user("one")],
    [user("one"), assistant("answer 1"), user("two")],
  ]);
  expect(made.server.prompts.map(({ data }) => [data.prompt, data.sessionState])).toEqual([
    [undefined, {}],
    [undefined, {}],
  ]);
  expect(chat.messages).toEqual([user("one"), assistant("answer 1"), user("two"), assistant("answer 3")]);
});

test("prompts made at once run one after the other", async () => {
  const hold = gate();
  await using made = await readyPair({
    mock: {
      async *answer({ messages }) {
        if (messages.length === 1) await hold.passed;
        yield `after ${messages.length}`;
      },
    },
  });
  const chat = made.client.conversation();
  const turns = ["one", "two", "three"].map((text) => chat.prompt(text));
  await made.server.nextPrompt();
  expect(turns.map((turn) => turn.status)).toEqual(["sent", "queued", "queued"]);
  hold.open();
  const results = await Promise.all(turns.map((turn) => turn.result));
  expect(results.map(({ text }) => text)).toEqual(["after 1", "after 3", "after 5"]);
});

test("a turn that fails or is cancelled leaves the conversation as it was, and the next one runs", async () => {
  await using made = await readyPair();
  const chat = made.client.conversation();
  made.server.answer = () => ["half", step.failMidStream("broke")];
  await chat.prompt("fails").outcome;
  const hold = gate();
  made.server.answer = async function* () {
    yield "half";
    await hold.passed;
  };
  const cancelled = chat.prompt("is cancelled");
  const waiting = chat.prompt("goes on");
  await once(made.client, "event", () => cancelled.text === "half");
  await cancelled.cancel();
  made.server.answer = () => ["fine"];
  hold.open();
  await waiting.result;
  expect(chat.messages).toEqual([user("goes on"), assistant("fine")]);
});

test("a queued turn that is cancelled is skipped", async () => {
  const hold = gate();
  await using made = await readyPair({
    mock: {
      async *answer() {
        await hold.passed;
        yield "ok";
      },
    },
  });
  const chat = made.client.conversation();
  const first = chat.prompt("first");
  const skipped = chat.prompt("skipped");
  const last = chat.prompt("last");
  expect(await skipped.cancel()).toMatchObject({ status: "cancelled" });
  hold.open();
  await Promise.all([first.result, last.result]);
  expect(chat.messages).toEqual([user("first"), assistant("ok"), user("last"), assistant("ok")]);
});

test("state is JSON, and a new client goes on from it", async () => {
  await using made = await readyPair({ mock: { answer: () => ["ok"] } });
  const chat = made.client.conversation();
  await chat.prompt("one").result;
  const kept = JSON.parse(JSON.stringify(chat.state));
  await using other = await readyPair({ mock: { answer: () => ["ok"] } });
  await other.client.conversation({ from: kept }).prompt("two").result;
  expect(other.server.prompts[0]?.messages).toEqual([user("one"), assistant("ok"), user("two")]);
});

test("it survives a lost link: the history is the client's own", async () => {
  await using made = await readyPair({ mock: { answer: () => ["ok"], idRelease: { midPrompt: 0 } } });
  const chat = made.client.conversation();
  await chat.prompt("one").result;
  made.server.answer = () => ["half", step.drop()];
  const lost = await chat.prompt("lost").outcome;
  expect(lost).toMatchObject({
    error: { code: "connection-lost", partial: { text: "half", state: chat.state } },
  });
  await status(made.client, "ready");
  made.server.answer = () => ["ok"];
  await chat.prompt("two").result;
  expect(made.server.prompts.at(-1)?.messages).toEqual([user("one"), assistant("ok"), user("two")]);
});

test("a history that outgrows the frame limit fails before it is sent, and says so", async () => {
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

test("a history that outgrows the proxy's limit says how to go on, and so it goes on", async () => {
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

test("closing the client ends the turns that the conversation held back", async () => {
  const hold = gate();
  await using made = await readyPair({
    mock: {
      async *answer() {
        await hold.passed;
        yield "too late";
      },
    },
  });
  const chat = made.client.conversation();
  const first = chat.prompt("one");
  const second = chat.prompt("two");
  await made.server.nextPrompt();
  await made.client.close({ force: true });
  expect(await first.outcome).toMatchObject({ error: { code: "closed", delivery: "unknown" } });
  expect(await second.outcome).toMatchObject({
    error: { code: "closed", delivery: "not-sent", input: "two" },
  });
  hold.open();
});

test("a client that is closed for good by a lost link ends what the conversation held back", async () => {
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

test("a turn that its conversation held back throws at its reader when the client is closed for good by a lost link", async () => {
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

test("a prompt that says nothing is refused, although its state has messages", async () => {
  await using made = await readyPair();
  const chat = made.client.conversation();
  const input = { sessionState: { messages: [{ role: "user", content: "hi" }] } };
  expect(() => chat.prompt(input)).toThrow(errorSaying("invalid-input", /^the prompt says nothing/));
  expect(chat.messages).toEqual([]);
});

test("a prompt that was sent no longer counts as waiting", async () => {
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
