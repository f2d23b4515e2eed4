import type { CodebuffClientOptions, CodebuffServer } from "agentwire/codebuff";
import { codebuff, toUniversal } from "agentwire/codebuff";
import { describe, expect, test } from "vitest";
import { say } from "../../helpers/codebuff-fake.ts";
import { action, server, Universal } from "../../helpers/codebuff-universal.ts";
import { errorSaying } from "../../helpers/errors.ts";
import { goldenOptions } from "../../universal/golden-options.ts";

const BOTH: readonly CodebuffServer[] = ["proxy", "codebuff"];

describe("the start of a session", () => {
  test.each(BOTH)("describes the %s server and its capabilities, after the handshake", async (kind) => {
    const made = new Universal({ clientSessionId: "client-1" });
    made.talk();
    expect(made.stream.count).toBe(0);
    await made.greet(kind);
    await made.expectGolden(`opened-${kind}`);
    const [started] = await made.events();
    expect(started?.data).toMatchObject({ metadata: { capabilities: made.client.capabilities } });
  });

  test("fails the unsent prompt if the server keeps refusing the session", async () => {
    const made = new Universal({ clientSessionId: "client-1", settleWindow: 50 });
    let wait = 0;
    made.client.on("reconnecting", ({ delay }) => {
      wait = delay;
    });
    const turn = made.client.prompt({ prompt: "go", promptId: "p-1" });
    made.follow(turn);
    while (turn.status === "queued") {
      await made.open(wait);
      const { txid } = JSON.parse(made.socket.sent[0] ?? "{}");
      await made.hears(say.ack(txid), {
        type: "ack",
        success: false,
        error: "Maximum connections (1) reached",
      });
    }
    const events = await made.events();
    expect(events.slice(-2)).toMatchObject([
      {
        type: "error",
        data: { code: "codebuff.server_error", details: { reason: "full" }, retryable: true },
      },
      { type: "turn.ended", data: { metadata: { status: "failed" } } },
    ]);
  });
});

describe("universal events of acks and action-errors", () => {
  test("a refused prompt fails: ack-refused", async () => {
    const made = await Universal.of("proxy");
    const turn = made.client.prompt({ prompt: "go", promptId: "p-1" });
    made.follow(turn);
    await made.settle();
    await made.hears({ type: "ack", txid: 1, success: false, error: "Message validation failed" });
    await made.expectGolden("ack-refused");
  });

  test("a refusal without a txid never fails an acked prompt: ack-refused-nameless", async () => {
    const made = await Universal.of("proxy");
    await made.prompt();
    const refusal = { type: "ack", success: false, error: "Internal error: Connection not found" };
    await made.hears(server.chunk("Hel"), refusal, server.chunk("lo"), server.response());
    await made.expectGolden("ack-refused-nameless");
  });

  test("an action-error fails the only fresh prompt: action-error", async () => {
    const made = await Universal.of("codebuff");
    await made.prompt();
    await made.hears(action("action-error", { message: "Invalid auth token." }));
    await made.expectGolden("action-error");
  });

  test("an action-error without a prompt is only an error event: action-error-loose", async () => {
    const made = await Universal.of("codebuff");
    made.talk();
    await made.hears(
      action("action-error", { message: "Authentication failed", error: "Invalid auth token" }),
    );
    await made.expectGolden("action-error-loose");
  });
});

describe("universal events of the server's other messages", () => {
  test("an init-response whose balance is Infinity: init-response", async () => {
    const made = await Universal.of("proxy");
    made.talk();
    const init = made.client.init({ fileContext: {} });
    await made.acknowledge();
    made.socket.receives(
      '{"type": "action", "data": {"type": "init-response", "message": "Session initialized successfully", "usage": 0.0, "remainingBalance": Infinity}}',
    );
    expect(await init).toMatchObject({ remainingBalance: Number.POSITIVE_INFINITY });
    await made.expectGolden("init-response");
  });

  test("a usage-response: usage-response", async () => {
    const made = await Universal.of("codebuff");
    made.talk();
    const quota = { next_quota_reset: "2025-11-01T00:00:00.000Z", balanceBreakdown: { free: 488 } };
    await made.hears(action("usage-response", { usage: 12, remainingBalance: 488, ...quota }));
    await made.expectGolden("usage-response");
  });

  test("a request to reconnect: request-reconnect", async () => {
    const made = await Universal.of("codebuff");
    await made.prompt();
    await made.hears(action("request-reconnect", {}), server.chunk("Hello"), server.response());
    await made.expectGolden("request-reconnect");
  });

  test("messages and actions of an unknown type: unknown", async () => {
    const made = await Universal.of("codebuff");
    made.talk();
    await made.hears({ type: "broadcast", topic: "x" });
    made.socket.receives('{"type":"action","data":{"type":"sparkle","n":NaN}}');
    await made.settle();
    await made.expectGolden("unknown");
  });

  test("an unreadable frame becomes `agent.unparsed`, and the prompt goes on", async () => {
    const made = await Universal.of("proxy");
    await made.prompt();
    made.socket.receives("{ no json");
    await made.hears(server.chunk("Hello"), server.response());
    const events = await made.events();
    expect(events.filter(({ type }) => type === "agent.unparsed")).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ data: { metadata: { status: "completed" } } });
  });
});

describe("universal events of a prompt that ends without a terminal", () => {
  test.each(BOTH)("after a cancel on the %s server, late messages are dropped and counted", async (kind) => {
    const made = await Universal.of(kind);
    const turn = made.talk().prompt({ prompt: "go", promptId: "p-1" });
    await made.acknowledge();
    await made.hears(server.chunk("Hel"));
    void turn.cancel();
    await made.hears(server.chunk("lo"), server.response());
    made.stream.close();
    await made.expectGolden(`cancel-${kind}`);
    expect(made.sent.includes("cancel-user-input")).toBe(kind === "codebuff");
    expect(made.client.status).toBe("ready");
  });

  test("silence ends the prompt at the time-out: idle-timeout", async () => {
    const made = await Universal.of("proxy");
    await made.prompt();
    await made.hears(server.chunk("Hel"));
    await made.clock.advance(120_000);
    await made.expectGolden("idle-timeout");
  });

  test("a close with 1000 fails the prompt, and the conversation stays one session: server-close", async () => {
    const made = await Universal.of("proxy");
    const talk = made.talk();
    talk.prompt({ prompt: "go", promptId: "p-1" });
    await made.acknowledge();
    await made.hears(server.chunk("Hel"));
    made.socket.ends(1000, "Heartbeat timeout");
    await made.settle();
    await made.greet("proxy", 250);
    talk.prompt({ prompt: "again", promptId: "p-2" });
    await made.acknowledge();
    await made.hears(server.chunk("Hi", "p-2"), server.response({}, "p-2"));
    await made.expectGolden("server-close");
  });

  test.each([1000, 1001, 1006, 1011, 1012])(
    "a close with %i fails the prompt but does not end the session",
    async (code) => {
      const made = await Universal.of("codebuff");
      made.talk().prompt({ prompt: "go", promptId: "p-1" });
      await made.acknowledge();
      await made.hears(server.chunk("Hel"));
      made.socket.ends(code);
      await made.settle();
      const types = (await made.events()).map((event) => event.type);
      expect(types.filter((type) => type === "turn.ended")).toHaveLength(1);
      expect(types).not.toContain("session.ended");
    },
  );

  test("closing the client ends the session as terminated", async () => {
    const made = await Universal.of("codebuff");
    made.talk().prompt({ prompt: "go", promptId: "p-1" });
    await made.acknowledge();
    await made.hears(server.chunk("Hel"));
    const closed = made.client.close({ force: true });
    made.socket.ends(1000);
    await made.settle();
    await closed;
    expect((await made.events()).slice(-2)).toMatchObject([
      { type: "turn.ended", data: { metadata: { status: "cancelled" } } },
      { type: "session.ended", data: { reason: "terminated", terminated_by: "daemon" } },
    ]);
    expect(made.stream.ended).toBe(true);
  });
});

describe("several prompts at once on the original server", () => {
  test("are separate, complete sessions in the stream of the client", async () => {
    const made = await Universal.of("codebuff");
    made.follow(made.client);
    for (const promptId of ["p-1", "p-2"]) {
      made.client.prompt({ prompt: promptId, promptId });
      await made.acknowledge();
    }
    await made.hears(
      server.chunk("a", "p-1"),
      server.chunk("b", "p-2"),
      server.response({}, "p-2"),
      server.chunk("c", "p-1"),
      server.response({}, "p-1"),
    );
    const events = await made.events();
    const textOf = (session: string) =>
      events.flatMap(({ session_id, ...event }) =>
        session_id === session && event.type === "item.delta" ? [event.data.delta] : [],
      );
    expect(textOf("ses_1")).toEqual(["a", "c"]);
    expect(textOf("ses_2")).toEqual(["b"]);
    for (const id of ["ses_1", "ses_2"]) {
      const own = events.filter(({ session_id }) => session_id === id);
      expect(own.map(({ sequence }) => sequence)).toEqual(own.map((_, index) => index + 1));
      expect(own[0]?.type).toBe("session.started");
      expect(own.at(-1)?.type).toBe("turn.ended");
    }
  });
});

describe("capabilities", () => {
  test.each(BOTH)("of the %s server have the expected values", async (kind) => {
    const { client } = await Universal.of(kind);
    const original = kind === "codebuff";
    expect(client.capabilities).toMatchObject({
      textDeltas: true,
      reasoning: original, // object chunks
      toolCalls: original,
      toolOutputDeltas: false,
      subagents: original,
      permissions: "client",
      questions: original,
      usage: original ? "credits" : "none",
      images: true,
      cancelOnWire: original,
      history: "client",
      survivesReconnect: true,
    });
  });

  test("that are missing make the call throw, without an event", async () => {
    const made = await Universal.of("codebuff");
    made.follow(made.client);
    const content = [{ role: "system", content: "Be brief." }] as const; // whole messages are for the proxy
    expect(() => made.client.prompt({ prompt: "go", content })).toThrow(errorSaying("unsupported", /system/));
    await made.settle();
    expect(made.stream.count).toBe(0);
  });
});

describe("the source of universal events", () => {
  const OPTIONS: CodebuffClientOptions = { url: "ws://localhost/ws" };

  test("makes clients that it can follow, and refuses other values", () => {
    const source = codebuff(OPTIONS);
    const client = source.client();
    expect(source.name).toBe("codebuff");
    expect(source.toUniversal(client).count).toBe(0);
    expect(source.toUniversal(client.conversation()).count).toBe(0);
    const other = { ...client } as unknown as typeof client;
    expect(() => source.toUniversal(other)).toThrow(errorSaying("invalid-input", /no universal events/));
  });

  test("reports a prompt in the protocol's own form with its images", async () => {
    const made = await Universal.of("codebuff");
    const turn = made.client.prompt({
      promptId: "p-1",
      content: [
        { type: "image", image: "iVBORw0KGgo=", mediaType: "image/png" },
        { type: "image", image: "https://example.com/a.png" },
        { type: "file", name: "a.txt", text: "hello" },
      ],
      prompt: "What is this?",
    });
    const stream = toUniversal(turn, goldenOptions());
    await made.settle();
    const users = [];
    for await (const event of stream.events()) {
      if (event.type === "item.completed") users.push(event.data.item.content);
      if (stream.count === event.sequence) break;
    }
    expect(users).toEqual([
      [
        { type: "text", text: 'File "a.txt":\nhello\n\nWhat is this?' },
        { type: "image", path: "data:image/png;base64,iVBORw0KGgo=", mime: "image/png" },
        { type: "image", path: "https://example.com/a.png", mime: null },
      ],
    ]);
  });
});
