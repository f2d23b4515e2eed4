import type { CassClientEvents, CassEvent } from "agentwire/cass";
import { describe, expect, test } from "vitest";
import { FakeCass, fakeCass, say, tokenOf } from "../helpers/cass-fake.ts";
import { failureOf, rejection } from "../helpers/turns.ts";

/** Everything that comes of one event, as it comes. */
function heard<Name extends keyof CassClientEvents & string>(
  { client }: FakeCass,
  name: Name,
): readonly CassClientEvents[Name][0][] {
  const seen: CassClientEvents[Name][0][] = [];
  client.on(name, (...values) => void seen.push(values[0]));
  return seen;
}

const kinds = (made: FakeCass): readonly string[] => {
  const seen: string[] = [];
  made.client.on("protocolWarning", ({ kind }) => void seen.push(kind));
  return seen;
};

describe("silence in a turn", () => {
  test("counts from the last message of any kind", async () => {
    const made = await fakeCass({ idleTimeout: 1_000 });
    const turn = made.client.prompt("hello");
    for (const message of [say.thinking(), { type: "system", message: "working" }, { type: "unheard of" }]) {
      await made.clock.advance(900);
      made.says(message);
    }
    expect(turn.status).toBe("streaming");
    await made.clock.advance(1_000);
    expect(await failureOf(turn)).toMatchObject({ code: "turn-timeout", kind: "idle", delivery: "unknown" });
  });

  test("counts for the next turn in flight from the end of the turn before", async () => {
    const made = await fakeCass({ idleTimeout: 1_000, maxTurnsInFlight: 2 });
    const turns = [made.client.prompt("one"), made.client.prompt("two")];
    made.says(say.thinking());
    await made.clock.advance(900);
    made.says(say.response("to one"));
    await made.clock.advance(900);
    expect(turns.map(({ status }) => status)).toEqual(["completed", "sent"]);
    await made.clock.advance(100);
    expect(await failureOf(turns[1] ?? made.client.prompt("?"))).toMatchObject({ code: "turn-timeout" });
  });

  test("sends no ping, because the server reads nothing during a turn", async () => {
    const made = await fakeCass({ keepalive: { interval: 1_000, timeout: 500 } });
    made.client.prompt("hello");
    await made.clock.advance(5_000);
    expect(made.sent).toEqual(["chat hello"]);
  });
});

describe("a request outside of turns", () => {
  test.each([
    { what: "its connection is lost", code: "connection-lost", end: (made: FakeCass) => made.socket.ends() },
    {
      what: "its answer cannot be read",
      code: "request-refused",
      end: (made: FakeCass) => made.says({ type: "status", sdk_mode: 1 }),
    },
  ])("fails when $what", async ({ end, code }) => {
    const made = await fakeCass({ requestTimeout: 0 });
    const status = rejection(made.client.getStatus());
    await made.settle();
    end(made);
    expect(await status).toMatchObject({ code });
  });

  test("fails no turn if a relay does not know it: a ping", async () => {
    const made = await fakeCass({ keepalive: { interval: 1_000, timeout: 500 } });
    await made.clock.advance(1_000);
    const turn = made.client.prompt("hello");
    made.says(say.error("Unknown message type: ping"));
    await made.answers("Hello!");
    expect([made.sent, turn.text]).toEqual([["ping", "chat hello"], "Hello!"]);
  });
});

describe("a message outside of turns", () => {
  test("is reported: a response with a warning, an error, an unrequested pong", async () => {
    const made = await fakeCass();
    const [warned, strays, errors] = [kinds(made), heard(made, "stray"), heard(made, "serverError")];
    made.says(say.response("of nobody"), say.error("broke"), { type: "pong" });
    expect([warned, strays, errors]).toMatchObject([
      ["unexpected-response", "stray-message"],
      [{ text: "of nobody" }],
      [{ message: "broke" }],
    ]);
  });

  test("is not reported if a `message` listener has ended the connection", async () => {
    const made = await fakeCass();
    const strays = heard(made, "stray");
    const turn = made.client.prompt("hello");
    made.client.on("message", () => made.socket.ends());
    made.says(say.thinking());
    expect([turn.status, strays]).toEqual(["failed", []]);
  });
});

describe("speech after a response", () => {
  const audio = { type: "audio", url: "/audio/a.wav" };

  test("belongs to the turn before; without a turn it is emitted as `stray`", async () => {
    const made = await fakeCass();
    const [speech, strays] = [heard(made, "audio"), heard(made, "stray")];
    made.says(audio);
    await made.settle();
    expect([speech, strays]).toMatchObject([[], [audio]]);
    const turn = made.client.prompt("hello");
    await made.answers("Hello!");
    made.says(audio);
    await made.settle();
    expect([turn.status, speech]).toMatchObject(["completed", [{ url: "http://localhost/audio/a.wav" }]]);
  });

  test.each([
    {
      what: "in a frame of its own",
      frames: [say.thinking(), say.response("Hello!"), { type: "audio", audio: "%" }],
    },
    { what: "in the response", frames: [say.thinking(), say.response("Hello!", { audio: "%" })] },
  ])("causes only a warning if it cannot be decoded: $what", async ({ frames }) => {
    const made = await fakeCass();
    const warned = kinds(made);
    const turn = made.client.prompt("hello");
    made.says(...frames);
    await made.settle();
    expect([turn.status, warned]).toEqual(["completed", ["unreadable-audio"]]);
  });
});

test("a response with another conversation's id causes a warning, and still answers the turn", async () => {
  const made = await fakeCass();
  const warned = kinds(made);
  const turn = made.client.prompt({ message: "hello", conversationId: "c0" });
  await made.answers("Hello!", { conversation_id: "c1" });
  expect([turn.text, warned]).toEqual(["Hello!", ["conversation-mismatch"]]);
});

describe("onboarding", () => {
  test("of another user fails when the greeting names the user", async () => {
    const made = new FakeCass();
    const turn = made.client.onboardingDemo({ userId: "u2" });
    await made.greet();
    expect(await failureOf(turn)).toMatchObject({ code: "invalid-input", delivery: "not-sent" });
    expect(made.sent).toEqual([]);
  });

  test("of another user with `allowForeignUser` changes the identity, which is unverified", async () => {
    const made = await fakeCass();
    made.client.onboardingDemo({ userId: "u2", allowForeignUser: true });
    await made.answers("Welcome!");
    expect(made.client.identity).toMatchObject({ userId: "u2", verified: false });
  });
});

describe("a server that drops its connections", () => {
  test("on each first turn gets three turns; the others are handed back as not sent", async () => {
    const made = await fakeCass();
    const turns = ["one", "two", "three", "four"].map((text) => made.client.prompt(text));
    for (let death = 0; death < 3; death++) {
      made.socket.ends();
      await made.greet();
    }
    expect(await Promise.all(turns.map(failureOf))).toMatchObject([
      { delivery: "unknown" },
      { delivery: "unknown" },
      { delivery: "unknown" },
      { code: "connection-lost", delivery: "not-sent", input: "four" },
    ]);
  });

  test("now and then gets all turns, and the backoff does not grow", async () => {
    const made = new FakeCass();
    const attempts: number[] = [];
    made.client.on("reconnecting", ({ attempt }) => void attempts.push(attempt));
    await made.greet();
    const turns = ["one", "two", "three", "four", "five", "six"].map((text) => made.client.prompt(text));
    for (let death = 0; death < 3; death++) {
      await made.answers("Hello!");
      made.socket.ends();
      await made.greet();
    }
    expect(turns.map(({ status }) => status).filter((status) => status === "completed")).toHaveLength(3);
    expect(attempts).toEqual([1, 1, 1]);
  });

  test("that answers a turn has its count of drops reset", async () => {
    const made = await fakeCass();
    const turns = ["one", "two", "three"].map((text) => made.client.prompt(text));
    const die = async (): Promise<void> => {
      made.socket.ends();
      await made.greet();
    };
    await die();
    await die();
    await made.answers("Hello!");
    await die(); // with nothing under way
    turns.push(made.client.prompt("four"), made.client.prompt("five"));
    await die();
    expect(turns.map(({ status }) => status)).toEqual(["failed", "failed", "completed", "failed", "sent"]);
  });

  test("is not disconnected by a cancel, by default", async () => {
    const made = await fakeCass();
    void made.client.prompt("hello").cancel();
    expect(made.socket.closes).toEqual([]);
  });
});

test("an event of a turn is emitted by its client, too", async () => {
  const made = await fakeCass();
  const events: CassEvent["type"][] = [];
  made.client.on("event", ({ type }) => void events.push(type));
  made.client.prompt("hello");
  await made.answers("Hello!");
  expect(events).toEqual(["thinking", "response"]);
});

test("a conversation is opened by an id or by a state, but not by both", () => {
  const { client } = new FakeCass({ token: tokenOf("u1") });
  const from = { protocol: "cass", version: 1, conversationId: "c1" } as const;
  expect(client.conversation({ from }).state).toEqual(client.conversation({ id: "c1" }).state);
  expect(() => client.conversation({ id: "c1", from })).toThrow(
    expect.objectContaining({ code: "invalid-input" }),
  );
});
