import type { CassClientOptions } from "agentwire/cass";
import { describe, expect, test } from "vitest";
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

describe("the reply of a lost turn", () => {
  test("is found by its words", async () => {
    const { made, stored } = await recovering();
    const turn = made.client.prompt("hello");
    stored.add(5, "hello", "Hello!");
    await cut(made);
    await searchToTheEnd(made);
    expect([turn.status, turn.text]).toEqual(["completed", "Hello!"]);
  });

  test("is not that of another who has said the same: two of the same words were on the line", async () => {
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

  test("is not that of a turn of the same words that was cancelled, and lost", async () => {
    const { made, stored } = await recovering();
    void made.client.prompt("hello").cancel();
    await cut(made);
    const turn = made.client.prompt("hello");
    stored.add(20, "hello", "to the one that was cancelled");
    await cut(made);
    await searchToTheEnd(made);
    expect(await failureOf(turn)).toMatchObject({ code: "connection-lost" });
  });

  test("is not that of a turn of the same words that was searched for in vain", async () => {
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

  test("is not that of a turn of the same words whose search was cancelled", async () => {
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

  test("is not that of a turn of the same words that was found before", async () => {
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

  test("is not that of a turn of the same words that was sent before it and was answered", async () => {
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
  ])("is not that of a turn of the same words with a response $what", async ({ response }) => {
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

  test("is found although the same was said, and answered, before", async () => {
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

  test("is not looked for among the messages of another user, who has logged in meanwhile", async () => {
    const { made, stored } = await recovering();
    const turn = made.client.prompt("hello");
    await made.client.rest.login({ email: "somebody@example.org", password: "password" });
    stored.add(5, "hello", "to the other");
    await cut(made, "u2");
    await searchToTheEnd(made);
    expect(turn.status).toBe("failed");
    expect(stored.calls).toEqual(["POST /auth/login"]);
  });

  test("is not taken from another user, who logs in while it is looked for", async () => {
    const { made, stored } = await recovering();
    const turn = made.client.prompt("hello");
    await cut(made);
    await made.client.rest.login({ email: "somebody@example.org", password: "password" });
    stored.add(5, "hello", "to the other");
    await searchToTheEnd(made);
    expect(turn.status).toBe("failed");
  });

  test("does not hold up what is said besides", async () => {
    const { made } = await recovering();
    const turn = made.client.prompt("hello");
    await cut(made);
    const other = made.client.prompt("something else");
    const same = made.client.prompt("hello");
    made.says(say.thinking(), say.response("Else!"));
    expect([turn.status, other.status, same.status]).toEqual(["sent", "completed", "queued"]);
    await searchToTheEnd(made);
    expect([turn.status, same.status]).toEqual(["failed", "sent"]);
  });
});
