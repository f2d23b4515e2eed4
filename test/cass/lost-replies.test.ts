import { type CassClientOptions, type CassRest, ConnectError } from "agentwire/cass";
import { ManualClock } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { Recovery } from "../../src/cass/recovery.ts";
import { type FakeCass, fakeCass, say, serverTime, tokenOf } from "../helpers/cass-fake.ts";
import { failureOf } from "../helpers/turns.ts";

/** What a server has stored, as `GET /conversations/{id}/messages` gives it. */
class Stored {
  readonly messages: object[] = [];
  /** Calls, as `GET /conversations/c1/messages`. */
  readonly calls: string[] = [];
  login = "u2";

  add(second: number, asked: string, answer: string): void {
    const common = { timestamp: serverTime(second), provider: "anthropic", model: "m" };
    this.messages.push(
      { ...common, id: "msg-1", role: "user", content: asked },
      { ...common, id: "msg-0", role: "assistant", content: answer, inputTokens: 1, outputTokens: 2 },
    );
  }

  readonly fetch: NonNullable<CassClientOptions["fetch"]> = async (url, { method }) => {
    const { pathname } = new URL(url);
    this.calls.push(`${method} ${pathname}`);
    const tokens = { user_id: this.login, access_token: tokenOf(this.login), refresh_token: "opaque" };
    const body =
      pathname === "/auth/login"
        ? tokens
        : pathname.endsWith("/messages")
          ? { messages: this.messages, count: this.messages.length }
          : { id: "c1", title: "Continuous Stream", is_continuous: true };
    return new Response(JSON.stringify(body));
  };
}

async function recovering(options: Partial<CassClientOptions> = {}) {
  const stored = new Stored();
  const made = await fakeCass({ recover: true, recoverTimeout: 5_000, fetch: stored.fetch, ...options });
  return { made, stored };
}

/** The connection is cut and comes back; whatever is searched for is, to the end. */
async function cut(made: FakeCass, user = "u1"): Promise<void> {
  made.socket.ends();
  await made.greet(user, { timestamp: serverTime(10) });
}

async function searchToTheEnd(made: FakeCass): Promise<void> {
  for (let second = 0; second < 10; second++) {
    await made.clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve)); // a Response is read outside of the clock
  }
}

test("a search that is aborted right after an empty result leaves no timer", async () => {
  const clock = new ManualClock();
  const search = new AbortController();
  const rest = {
    getMessages: async () => {
      queueMicrotask(() => search.abort());
      return { messages: [], count: 0 };
    },
  };
  const recovery = new Recovery(rest as unknown as CassRest, () => "u1", clock, 0);
  const lost = { message: "hello", conversationId: "c1", since: serverTime(0), userId: "u1" };
  const found = recovery.find(lost, search.signal);
  await clock.advance(0);
  expect(clock.pending).toBe(0);
  expect(await found).toBe(undefined);
});

/** A search with nothing behind it but what `getMessages` gives. */
function search(getMessages: () => Promise<object>, userId: () => string = () => "u1") {
  const clock = new ManualClock();
  const rest = { getMessages } as unknown as CassRest;
  const lost = { message: "hello", conversationId: "c1", since: serverTime(5), userId: "u1" };
  const found = new Recovery(rest, userId, clock, 3_000).find(lost, new AbortController().signal);
  return { clock, found };
}

const message = (role: string, content: string, second = 8) => ({
  role,
  content,
  timestamp: serverTime(second),
});

describe("a search for a lost reply", () => {
  test.each([
    {
      what: "finds the reply",
      stored: [message("user", "hello"), message("assistant", "Hello!")],
      found: "Hello!",
    },
    {
      what: "ignores a reply to another prompt",
      stored: [message("user", "hi"), message("assistant", "Hi!")],
    },
    {
      what: "ignores an older reply",
      stored: [message("user", "hello", 5), message("assistant", "Hello!", 6)],
    },
    { what: "finds nothing before there is a reply", stored: [message("user", "hello")] },
    {
      what: "does not take the user's next message for the reply",
      stored: [message("user", "hello"), message("user", "hello?")],
    },
    {
      what: "finds the last of several replies",
      stored: ["one", "two"].flatMap((text) => [message("user", "hello"), message("assistant", text)]),
      found: "two",
    },
  ])("$what", async ({ stored, found }) => {
    const { clock, found: reply } = search(async () => ({ messages: stored }));
    await clock.advance(10_000);
    expect((await reply)?.text).toBe(found);
  });

  test("finds nothing if another user logs in while the messages are read", async () => {
    let asking = "u1";
    const stored = [message("user", "hello"), message("assistant", "to the other")];
    const { found } = search(
      async () => {
        asking = "u2";
        return { messages: stored };
      },
      () => asking,
    );
    expect(await found).toBe(undefined);
  });

  test("is repeated if the server cannot be reached, and ends if the server refuses", async () => {
    const answers: (() => Promise<object>)[] = [
      () => Promise.reject(new ConnectError("not now")),
      async () => ({ messages: [message("user", "hello"), message("assistant", "Hello!")] }),
    ];
    const later = search(() => answers.shift()?.() ?? Promise.reject(new Error("asked too often")));
    await later.clock.advance(1_000);
    expect((await later.found)?.text).toBe("Hello!");
    const refused = search(() => Promise.reject(new ConnectError("never", { retryable: false })));
    await refused.clock.advance(0);
    expect(await refused.found).toBe(undefined);
  });
});

describe("the reply of a lost turn", () => {
  test("sets its turn to `recovering`, and gives its conversation the id", async () => {
    const { made, stored } = await recovering();
    const told: unknown[] = [];
    made.client.on("recovering", (turn) => void told.push(turn));
    const conversation = made.client.conversation();
    const turn = conversation.prompt("hello");
    const states: string[] = [];
    turn.on("status", (state) => states.push(state));
    stored.add(5, "hello", "Hello!");
    await cut(made);
    await searchToTheEnd(made);
    expect([turn.text, told, conversation.state.conversationId]).toEqual(["Hello!", [turn], "c1"]);
    expect(states).toEqual(["recovering", "completed"]);
  });

  test("must be newer than the server's latest timestamp, even if a later message has an older one", async () => {
    const { made, stored } = await recovering();
    made.says({ type: "system", message: "x", timestamp: serverTime(8) });
    made.says({ type: "system", message: "x", timestamp: serverTime(1) });
    const turn = made.client.prompt("hello");
    stored.add(5, "hello", "to an older one");
    await cut(made);
    await searchToTheEnd(made);
    expect(turn.status).toBe("failed");
  });

  test("is not searched for by an anonymous client", async () => {
    const { made, stored } = await recovering({ allowAnonymous: true, token: undefined });
    made.socket.ends();
    await made.greet(null);
    const turn = made.client.prompt("hello");
    made.socket.ends();
    await made.settle();
    expect([turn.status, stored.calls]).toEqual(["failed", []]);
  });

  test("is found by the text of its prompt", async () => {
    const { made, stored } = await recovering();
    const turn = made.client.prompt("hello");
    stored.add(5, "hello", "Hello!");
    await cut(made);
    await searchToTheEnd(made);
    expect([turn.status, turn.text]).toEqual(["completed", "Hello!"]);
  });

  test("is not found if two turns with the same text were in flight", async () => {
    const { made, stored } = await recovering({ maxTurnsInFlight: 2 });
    const warm = made.client.prompt("warm");
    await made.answers("warm");
    await warm.result;
    const turns = [made.client.prompt("hello"), made.client.prompt("hello")];
    stored.add(5, "hello", "to the first");
    await cut(made);
    await searchToTheEnd(made);
    expect(await Promise.all(turns.map(failureOf))).toMatchObject([
      { code: "connection-lost", delivery: "unknown" },
      { code: "connection-lost", delivery: "unknown" },
    ]);
  });

  test("is not found if a turn with the same text was cancelled and lost", async () => {
    const { made, stored } = await recovering();
    void made.client.prompt("hello").cancel();
    await cut(made);
    const turn = made.client.prompt("hello");
    stored.add(20, "hello", "to the one that was cancelled");
    await cut(made);
    await searchToTheEnd(made);
    expect(await failureOf(turn)).toMatchObject({ code: "connection-lost" });
  });

  test("is not found if a search for the same text has failed before", async () => {
    const { made, stored } = await recovering();
    const first = made.client.prompt("hello");
    await cut(made);
    await searchToTheEnd(made);
    expect(first.status).toBe("failed");
    const turn = made.client.prompt("hello");
    stored.add(20, "hello", "to the first, late");
    await cut(made);
    await searchToTheEnd(made);
    expect(turn.status).toBe("failed");
  });

  test("is not found if a search for the same text was cancelled before", async () => {
    const { made, stored } = await recovering();
    const first = made.client.prompt("hello");
    await cut(made);
    void first.cancel();
    const turn = made.client.prompt("hello");
    stored.add(20, "hello", "to the first, late");
    await cut(made);
    await searchToTheEnd(made);
    expect(turn.status).toBe("failed");
  });

  test("is not the reply that was found for an earlier turn with the same text", async () => {
    const { made, stored } = await recovering();
    const first = made.client.prompt("hello");
    await cut(made);
    stored.add(20, "hello", "to the first");
    await searchToTheEnd(made);
    expect(first.text).toBe("to the first");
    const turn = made.client.prompt("hello");
    await cut(made);
    await searchToTheEnd(made);
    expect([turn.status, turn.text]).toEqual(["failed", ""]);
  });

  test("is not the reply to an answered turn with the same text in front of it", async () => {
    const { made, stored } = await recovering({ maxTurnsInFlight: 2 });
    const warm = made.client.prompt("warm");
    await made.answers("warm");
    await warm.result;
    const turns = [made.client.prompt("hello"), made.client.prompt("hello")];
    stored.add(5, "hello", "to the first");
    await made.answers("to the first", { timestamp: serverTime(6) });
    await cut(made);
    await searchToTheEnd(made);
    expect(turns.map(({ text, status }) => [text, status])).toEqual([
      ["to the first", "completed"],
      ["", "failed"],
    ]);
  });

  test.each([
    { what: "without a time", response: say.response("to the first") },
    { what: "that could not be read", response: { type: "response", text: 7, timestamp: serverTime(6) } },
  ])("is not that of an earlier turn with the same text and a response $what", async ({ response }) => {
    const { made, stored } = await recovering();
    const first = made.client.prompt("hello");
    stored.add(5, "hello", "to the first");
    made.says(say.thinking(), response);
    await first.outcome;
    const turn = made.client.prompt("hello");
    await cut(made);
    await searchToTheEnd(made);
    expect(turn.status).toBe("failed");
  });

  test("is found even if an earlier turn with the same text was answered", async () => {
    const { made, stored } = await recovering();
    const first = made.client.prompt("hello");
    stored.add(5, "hello", "to the first");
    await made.answers("to the first", { timestamp: serverTime(6) });
    await first.result;
    const turn = made.client.prompt("hello");
    stored.add(8, "hello", "to the second");
    await cut(made);
    await searchToTheEnd(made);
    expect([turn.status, turn.text]).toEqual(["completed", "to the second"]);
  });

  test("is not searched for once another user has logged in", async () => {
    const { made, stored } = await recovering();
    const turn = made.client.prompt("hello");
    await made.client.rest.login({ email: "somebody@example.org", password: "password" });
    stored.add(5, "hello", "to the other");
    await cut(made, "u2");
    await searchToTheEnd(made);
    expect(turn.status).toBe("failed");
    expect(stored.calls).toEqual(["POST /auth/login"]);
  });

  test("is not found if another user logs in during the search", async () => {
    const { made, stored } = await recovering();
    const turn = made.client.prompt("hello");
    await cut(made);
    await made.client.rest.login({ email: "somebody@example.org", password: "password" });
    stored.add(5, "hello", "to the other");
    await searchToTheEnd(made);
    expect(turn.status).toBe("failed");
  });

  test("does not hold up prompts with another text", async () => {
    const { made } = await recovering();
    const turn = made.client.prompt("hello");
    await cut(made);
    const other = made.client.prompt("something else");
    const same = made.client.prompt("hello");
    made.says(say.thinking(), say.response("Else!"));
    expect([turn.status, other.status, same.status]).toEqual(["recovering", "completed", "queued"]);
    await searchToTheEnd(made);
    expect([turn.status, same.status]).toEqual(["failed", "sent"]);
  });
});
