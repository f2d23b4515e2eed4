import { type Conversation, isAgentwireError, type TurnResult } from "agentwire";
import { expect } from "vitest";
import { TEXT } from "./fixture.ts";
import { promise } from "./promise.ts";
import { failureOf, hold, next, shows, thrown, within } from "./support.ts";

type Talk = Pick<Conversation<unknown, TurnResult, object, object>, "messages" | "state">;

/** The messages, each by who said it and what it says. */
const said = ({ messages }: Talk): readonly (readonly [role: string, text: string])[] =>
  messages.map(({ role, content }) => [
    role,
    typeof content === "string" ? content : JSON.stringify(content),
  ]);

/** What a conversation is before and behind something that leaves it as it was. */
const snapshot = (talk: Talk): string => JSON.stringify([talk.messages, talk.state]);

promise("conversation: the backend knows the earlier messages", async ({ client, backend }) => {
  const talk = client.conversation();
  expect((await talk.prompt("my name is Ada").result).text).toBe(TEXT);
  expect((await talk.prompt("what is my name?").result).text).toBe(TEXT);
  expect(backend.prompts.map(({ known }) => known.length)).toEqual([0, 1]);
  expect(backend.prompts[1]?.known[0]).toContain("my name is Ada");
});

promise("conversation: `messages` has the prompts and answers in order", async ({ client, backend }) => {
  backend.answer = (prompt) => ["to ", prompt.includes("two") ? "two" : "one"];
  const talk = client.conversation();
  expect(talk.messages).toEqual([]);
  await talk.prompt("one").result;
  const early = talk.messages;
  await talk.prompt("two").result;
  expect(said(talk).map(([role]) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect(said(talk).map(([, text]) => text)).toEqual([
    expect.stringContaining("one"),
    "to one",
    expect.stringContaining("two"),
    "to two",
  ]);
  expect(early).toHaveLength(2); // a list that was handed out does not grow
});

promise(
  "conversation: one turn runs at a time, and the others wait in order",
  async ({ client, backend }) => {
    const goOn = hold(backend);
    const talk = client.conversation();
    const turns = ["one", "two", "three"].map((text) => talk.prompt(text));
    const ended: number[] = [];
    for (const [index, turn] of turns.entries())
      turn.on("status", (state) => state === "completed" && ended.push(index));
    await backend.received(1);
    expect(turns.slice(1).map((turn) => turn.status)).toEqual(["queued", "queued"]);
    expect(backend.prompts).toHaveLength(1);
    goOn();
    const results = await Promise.all(turns.map(({ result }) => result));
    expect(results.map(({ text }) => text)).toEqual(["part and rest", TEXT, TEXT]);
    expect(ended).toEqual([0, 1, 2]);
    expect(backend.prompts.map(({ known }) => known.length)).toEqual([0, 1, 2]);
  },
);

promise("conversation: `state` is a JSON value that names its protocol", async ({ client }) => {
  const talk = client.conversation();
  for (const when of ["at first", "behind a turn"]) {
    const { state } = talk;
    expect(JSON.parse(JSON.stringify(state)), when).toEqual(state);
    expect(state, when).toMatchObject({ protocol: expect.stringMatching(/./), version: expect.any(Number) });
    await talk.prompt("hello").result;
  }
});

promise("conversation: another client can continue from `state`", async ({ client, another, backend }) => {
  const talk = client.conversation();
  await talk.prompt("my name is Ada").result;
  const from = JSON.parse(JSON.stringify(talk.state));
  const later = another().conversation({ from });
  expect(said(later)).toEqual(client.capabilities.history === "client" ? said(talk) : []);
  expect((await later.prompt("what is my name?").result).text).toBe(TEXT);
  expect(backend.prompts[1]?.known[0]).toContain("my name is Ada");
  expect(talk.messages).toHaveLength(2); // the first one heard nothing of it
});

promise("conversation: an invalid state is refused at once", async ({ client }) => {
  const wrong = [
    {},
    [],
    "state",
    5,
    null,
    { protocol: "none", version: 1 },
    { protocol: "none" },
    { version: 1 },
  ];
  for (const from of wrong) {
    const error = thrown(() => Reflect.apply(client.conversation, client, [{ from }]));
    expect(error, JSON.stringify(from)).toMatchObject({
      code: expect.stringMatching(/^(invalid-input|unsupported)$/),
      hint: expect.stringMatching(/./),
    });
  }
});

promise("conversation: a failed turn does not change its state", async ({ client, backend, facts }) => {
  const talk = client.conversation();
  await talk.prompt("one").result;
  const [state, messages] = [JSON.stringify(talk.state), said(talk)];
  backend.answer = () => ["part", { fails: "broke" }];
  expect(await failureOf(talk.prompt("two"))).toMatchObject({ code: "turn-failed" });
  expect(JSON.stringify(talk.state)).toBe(state);
  expect(said(talk)).toEqual([...messages, ...(facts.keepsQuestion ? [["user", "two"]] : [])]);
  backend.answer = () => [TEXT];
  await talk.prompt("three").result;
  expect(said(talk).filter(([role]) => role === "assistant")).toHaveLength(2);
});

promise(
  "conversation: a cancelled turn adds no answer, and the next turn runs",
  async ({ client, backend, facts }) => {
    const talk = client.conversation();
    await talk.prompt("one").result;
    const messages = said(talk);
    const goOn = hold(backend);
    const turn = talk.prompt("two");
    await shows(client, turn, "part");
    const following = talk.prompt("three");
    const cancelled = turn.cancel();
    goOn();
    expect((await cancelled).status).toBe("cancelled");
    expect((await following.result).text).toBe(TEXT);
    expect(said(talk).slice(0, messages.length)).toEqual(messages);
    expect(said(talk).map(([role]) => role)).toEqual([
      "user",
      "assistant",
      ...(facts.keepsQuestion ? ["user"] : []),
      "user",
      "assistant",
    ]);
  },
);

promise(
  "conversation: a turn that is cancelled while it waits leaves no trace",
  async ({ client, backend }) => {
    const goOn = hold(backend);
    const talk = client.conversation();
    const first = talk.prompt("one");
    const second = talk.prompt("two");
    const third = talk.prompt("three");
    await backend.received(1);
    expect(await second.cancel()).toMatchObject({ status: "cancelled", by: "user" });
    goOn();
    await Promise.all([first.result, third.result]);
    expect(JSON.stringify(talk.messages)).not.toContain("two");
    expect(JSON.stringify(backend.prompts)).not.toContain("two");
  },
);

promise("conversation: an invalid prompt throws at once and changes nothing", async ({ client }) => {
  const talk = client.conversation();
  const before = snapshot(talk);
  expect(thrown(() => talk.prompt(" "))).toMatchObject({ code: "invalid-input" });
  expect(snapshot(talk)).toBe(before);
  expect((await talk.prompt("hello").result).text).toBe(TEXT);
});

promise("conversation: closing the client ends all its turns", async ({ client, backend, clock, facts }) => {
  hold(backend);
  const talk = client.conversation();
  const turns = ["one", "two", "three"].map((text) => talk.prompt(text));
  await backend.received(1);
  const outcomes = Promise.all(turns.map(({ outcome }) => outcome));
  await within(clock, facts.within.force, client.close({ force: true }));
  const [first, ...others] = await outcomes;
  expect(first).toMatchObject({ error: { code: "closed", delivery: expect.toBeOneOf(facts.sent) } });
  expect(others).toMatchObject(
    ["two", "three"].map((input) => ({ error: { code: "closed", delivery: "not-sent", input } })),
  );
});

promise(
  "conversation: `survivesReconnect` says whether it outlives a lost link",
  { reconnect: {} },
  async ({ client, link }) => {
    const talk = client.conversation();
    await talk.prompt("one").result;
    const back = next(client, "reconnected");
    link.end("cut");
    await back;
    const { survivesReconnect } = client.capabilities;
    const ended = Promise.resolve().then(() => talk.prompt("two").result);
    const end = await ended.then(
      () => "completed",
      (error: unknown) => isAgentwireError(error) && error.code,
    );
    expect(end).toBe(survivesReconnect ? "completed" : "context-lost");
    expect((await client.conversation().prompt("three").result).text).toBe(TEXT);
  },
);
