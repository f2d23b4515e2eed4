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

  test("is not taken for a turn's that the server has not begun with: that one gets its own answer", async () => {
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

  test("on a server of which nothing is known: is not taken for it either if more comes", async () => {
    const made = await fakeCass();
    const turns = [made.client.prompt("one"), made.client.prompt("two")];
    made.says(UNREADABLE);
    await made.answers("to one");
    await made.answers("to two");
    expect(turns.map(({ text }) => text)).toEqual(["to one", "to two"]);
  });

  test("on a server of which nothing is known: fails the turn if nothing else comes", async () => {
    const made = await fakeCass();
    const turn = made.client.prompt("one");
    made.says(UNREADABLE);
    await made.clock.advance(GRACE);
    expect(await failureOf(turn)).toMatchObject({ kind: "unreadable-response" });
  });
});

describe("turns that are sent without waiting, to a server that says nothing of a turn before its response", () => {
  test("each get their own answer", async () => {
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

  test("go out as soon as it is known that the server does say something", async () => {
    const made = await fakeCass({ maxTurnsInFlight: 3 });
    for (const text of ["one", "two", "three", "four"]) made.client.prompt(text);
    made.says(say.thinking());
    expect(made.sent).toEqual(["chat one", "chat two", "chat three"]);
  });
});

test("a response that came too early to be believed, and an error behind it: the response is told as a stray", async () => {
  const made = await fakeCass();
  const strays: unknown[] = [];
  made.client.on("stray", (message) => void strays.push(message));
  const turn = made.client.prompt("one");
  made.says(say.response("whose?"), say.error("broke"));
  expect(await failureOf(turn)).toMatchObject({ code: "turn-failed", serverMessage: "broke" });
  expect(strays).toMatchObject([{ text: "whose?" }]);
});

test("a server that does not know `status` is warned of once, and not with every turn", async () => {
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

test("a prompt of a conversation names no other", async () => {
  const made = new FakeCass();
  const conversation = made.client.conversation({ id: "c1" });
  expect(() => conversation.prompt({ message: "hello", conversationId: "c2" })).toThrow(
    expect.objectContaining({ code: "invalid-input" }),
  );
});
