import { describe, expect, test } from "vitest";
import { FakeCass, fakeCass, say } from "../helpers/cass-fake.ts";
import { failureOf } from "../helpers/turns.ts";

const UNREADABLE = { type: "response", text: 7 };

/** ms for which a response is not believed that comes before anything else of its turn. */
const GRACE = 1_000;

describe("a response that cannot be read", () => {
  test("fails its turn", async () => {
    const made = await fakeCass();
    const turn = made.client.prompt("one");
    made.says(say.thinking(), UNREADABLE);
    expect(await failureOf(turn)).toMatchObject({ kind: "unreadable-response" });
  });

  test("is not assigned to a turn that the server has not begun", async () => {
    const made = await fakeCass();
    const warm = made.client.prompt("warm");
    await made.answers("warm");
    await warm.result;
    const turns = [made.client.prompt("one"), made.client.prompt("two")];
    made.says(UNREADABLE);
    await made.answers("to one");
    await made.answers("to two");
    expect(turns.map(({ text }) => text)).toEqual(["to one", "to two"]);
  });

  test("is not assigned if more follows, on a server of unknown behaviour", async () => {
    const made = await fakeCass();
    const turns = [made.client.prompt("one"), made.client.prompt("two")];
    made.says(UNREADABLE);
    await made.answers("to one");
    await made.answers("to two");
    expect(turns.map(({ text }) => text)).toEqual(["to one", "to two"]);
  });

  test("fails the turn if nothing follows for 1 s, on a server of unknown behaviour", async () => {
    const made = await fakeCass();
    const turn = made.client.prompt("one");
    made.says(UNREADABLE);
    await made.clock.advance(GRACE);
    expect(await failureOf(turn)).toMatchObject({ kind: "unreadable-response" });
  });
});

test("a response before its turn begins is emitted as `stray`, on a server of unknown behaviour", async () => {
  const made = await fakeCass();
  const strays: unknown[] = [];
  made.client.on("stray", (message) => void strays.push(message));
  const turn = made.client.prompt("one");
  made.says(say.response("of nobody"), say.thinking());
  await made.clock.advance(GRACE);
  expect(strays).toMatchObject([{ text: "of nobody" }]);
  await made.answers("to one");
  expect(turn.text).toBe("to one");
});

test("a prompt is not sent if its conversation's id makes the frame too large", async () => {
  const made = await fakeCass({ maxSendBytes: 200 });
  const conversation = made.client.conversation();
  const turns = [conversation.prompt("one"), conversation.prompt("two")];
  await made.answers("Hello", { conversation_id: "c".repeat(200) });
  expect(await Promise.all(turns.map(failureOf))).toMatchObject([
    { status: "completed" },
    { code: "payload-too-large", delivery: "not-sent", input: "two" },
  ]);
  expect(made.sent).toEqual(["chat one"]);
});

test("`maxQueuedTurns` limits the turns that wait", async () => {
  const made = await fakeCass({ maxQueuedTurns: 2 });
  for (const text of ["sent", "one", "two"]) made.client.prompt(text);
  expect(() => made.client.prompt("three")).toThrow(expect.objectContaining({ code: "queue-full" }));
});

describe("several turns in flight, on a server of unknown behaviour", () => {
  test("each get their own answer, even if the server sends only responses", async () => {
    const made = await fakeCass({ maxTurnsInFlight: 3 });
    const turns = ["one", "two", "three"].map((text) => made.client.prompt(text));
    for (let answered = 0; answered < turns.length; ) {
      const waiting = made.sent.slice(answered);
      for (const sent of waiting) made.says(say.response(`to ${sent}`));
      answered += waiting.length;
      await made.clock.advance(GRACE);
    }
    expect(turns.map(({ text }) => text)).toEqual(["to chat one", "to chat two", "to chat three"]);
  });

  test("are sent as soon as the server sends a message before a response", async () => {
    const made = await fakeCass({ maxTurnsInFlight: 3 });
    for (const text of ["one", "two", "three", "four"]) made.client.prompt(text);
    made.says(say.thinking());
    expect(made.sent).toEqual(["chat one", "chat two", "chat three"]);
  });
});

test("a response that an error follows at once is emitted as `stray`", async () => {
  const made = await fakeCass();
  const strays: unknown[] = [];
  made.client.on("stray", (message) => void strays.push(message));
  const turn = made.client.prompt("one");
  made.says(say.response("whose?"), say.error("broke"));
  expect(await failureOf(turn)).toMatchObject({ code: "turn-failed", serverMessage: "broke" });
  expect(strays).toMatchObject([{ text: "whose?" }]);
});

test("a server that does not know `status` causes one warning, not one per turn", async () => {
  const made = await fakeCass({ requestTimeout: 1_000 });
  const kinds: string[] = [];
  made.client.on("protocolWarning", ({ kind }) => void kinds.push(kind));
  const status = made.client.getStatus();
  await made.settle();
  await Promise.all([
    expect(status).rejects.toMatchObject({ code: "request-timeout" }),
    made.clock.advance(1_000),
  ]);
  for (const text of ["one", "two", "three"]) {
    made.client.prompt(text);
    await made.answers(text);
  }
  expect(kinds).toEqual(["out-of-order"]);
});

test("a server that does not keep a conversation causes one warning, even with queued turns", async () => {
  const made = await fakeCass();
  const kinds: string[] = [];
  made.client.on("protocolWarning", ({ kind }) => void kinds.push(kind));
  const conversation = made.client.conversation();
  for (const text of ["one", "two", "three"]) conversation.prompt(text);
  for (let turn = 0; turn < 3; turn++) await made.answers("Hello", { conversation_id: null });
  expect(conversation.messages).toHaveLength(6);
  expect(kinds).toEqual(["conversation-not-kept"]);
});

test("`conversation.prompt()` refuses the id of another conversation", async () => {
  const made = new FakeCass();
  const conversation = made.client.conversation({ id: "c1" });
  expect(() => conversation.prompt({ message: "hello", conversationId: "c2" })).toThrow(
    expect.objectContaining({ code: "invalid-input" }),
  );
});
