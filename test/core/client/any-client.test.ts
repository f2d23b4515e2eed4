import {
  type AnyAgentClient,
  type AnyAgentwireError,
  CassClient,
  CodebuffClient,
  CodeyClient,
  isAgentwireError,
  QueueFullError,
  TurnTimeoutError,
} from "agentwire";
import { CodebuffCli } from "agentwire/codebuff-cli";
import { CodebuffRun } from "agentwire/codebuff-run";
import { describe, expect, expectTypeOf, test } from "vitest";

// What the types promise is checked by `npm run types`; here it is used as a UI would.

const url = "ws://127.0.0.1:1/ws";

const clients = () => [
  new CodebuffClient({ url }),
  new CodeyClient({ url }),
  new CassClient({ url, allowAnonymous: true }),
  new CodebuffCli(),
  new CodebuffRun({ apiKey: "k" }),
];

describe("code for any client", () => {
  test("can keep every client in an `AnyAgentClient`, read its status and close it", async () => {
    const all: readonly AnyAgentClient[] = clients();
    for (const client of all) {
      expect([client.status, client.pending]).toEqual(["idle", []]);
      await client.close();
      expect(client.status).toBe("closed");
    }
  });

  test("can call `on`, `prompt` and `conversation` on a union of clients", async () => {
    for (const client of clients()) {
      const heard: string[] = [];
      const off = client.on("event", (event, turn) => heard.push(`${event.type} ${turn.id}`));
      client.on("status", (status) => heard.push(status));
      client.on("settled", (request) => heard.push(request.type));
      const conversation = client.conversation();
      expectTypeOf(conversation.shared).toEqualTypeOf<boolean>();
      const closed = client.close();
      expect(() => client.prompt("hello")).toThrow(expect.objectContaining({ code: "closed" }));
      expect(() =>
        client.prompt({ text: "hello" }, { timeout: 5 }).on("event", (event) => event.type),
      ).toThrow(expect.objectContaining({ code: "closed" }));
      expect(() => conversation.prompt({ text: "hello" })).toThrow(
        expect.objectContaining({ code: "closed" }),
      );
      off();
      await closed;
      expect(heard).toContain("closed");
    }
  });

  test("does not compile with a misspelt decision, and throws `invalid-input` at run time", async () => {
    const client: AnyAgentClient = new CodeyClient({ url });
    // @ts-expect-error: no decision
    expect(() => client.decide("id", "allways")).toThrow(expect.objectContaining({ code: "invalid-input" }));
    // @ts-expect-error: an answer is no decision
    expect(() => client.decide("id", ["yes"])).toThrow(expect.objectContaining({ code: "invalid-input" }));
    // @ts-expect-error: nor is a decision an answer
    expect(() => client.answer("id", true)).toThrow(expect.objectContaining({ code: "invalid-input" }));
    await client.close();
  });
});

describe("the code of an error narrows its type", () => {
  const limitOf = (error: AnyAgentwireError): unknown => {
    switch (error.code) {
      case "turn-timeout":
        expectTypeOf(error).toEqualTypeOf<TurnTimeoutError>();
        return error.timeout;
      case "queue-full":
        expectTypeOf(error).toEqualTypeOf<QueueFullError>();
        return error.code;
      default:
        return undefined;
    }
  };

  test.each([
    [new TurnTimeoutError("idle", 500), 500],
    [new QueueFullError("turns", 5, 5), "queue-full"],
    [new Error("somebody else's"), "no error of this library"],
  ])("%s", (error: unknown, limit) => {
    expect(isAgentwireError(error) ? limitOf(error) : "no error of this library").toBe(limit);
  });
});
