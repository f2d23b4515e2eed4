import { CodebuffClient, type CodebuffClientOptions } from "agentwire/codebuff";
import { ManualClock, MockCodebuffServer, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { lossError } from "../../src/codebuff/errors.ts";
import type { Ack } from "../../src/codebuff/messages.ts";
import { readIdentifyAck, refusal, refusesSession } from "../../src/codebuff/session/handshake.ts";

const TXID = 7;
const ack = (fields: Partial<Ack>): Ack => ({ type: "ack", success: false, ...fields });
const LEGACY = "Unknown message type; shouldn't be possible here.";
const DUPLICATE = "Session ID dup is already in use";
const FULL = "Maximum connections (1) reached";

describe("an ack during the handshake", () => {
  interface Row {
    readonly name: string;
    readonly ack: Ack;
    readonly acked?: boolean;
    readonly expected: object;
  }
  const refused = (reason: string, retryable: boolean) => ({
    verdict: "refused",
    error: { code: "handshake-refused", reason, retryable },
  });
  const rows: readonly Row[] = [
    {
      name: "success starts the settle window",
      ack: ack({ txid: TXID, success: true }),
      expected: { verdict: "settle" },
    },
    {
      name: "success with a null error starts the settle window",
      ack: ack({ txid: TXID, success: true, error: null }),
      expected: { verdict: "settle" },
    },
    {
      name: "the original server's refusal identifies that server",
      ack: ack({ txid: TXID, error: LEGACY }),
      expected: { verdict: "legacy" },
    },
    {
      name: "a duplicate id is refused, and may be tried again",
      ack: ack({ error: DUPLICATE }),
      acked: true,
      expected: refused("duplicate", true),
    },
    {
      name: "a duplicate id that is refused at once may be tried again",
      ack: ack({ txid: TXID, error: DUPLICATE }),
      expected: refused("duplicate", true),
    },
    {
      name: "a full server is refused, and may be tried again",
      ack: ack({ error: FULL }),
      acked: true,
      expected: refused("full", true),
    },
    {
      name: "any other refusal is final",
      ack: ack({ txid: TXID, error: "Message validation failed" }),
      expected: refused("nack", false),
    },
    {
      name: "a refusal without a txid is final",
      ack: ack({ error: "Invalid JSON: Expecting value" }),
      expected: refused("nack", false),
    },
    {
      name: "a refusal with a null txid is final",
      ack: ack({ txid: null, error: "Internal error" }),
      expected: refused("nack", false),
    },
    { name: "a refusal without a text is final", ack: ack({ txid: TXID }), expected: refused("nack", false) },
    {
      name: "a success with another txid is ignored",
      ack: ack({ txid: TXID + 1, success: true }),
      expected: { verdict: "ignore" },
    },
    {
      name: "a refusal with another txid is ignored",
      ack: ack({ txid: 0, error: DUPLICATE }),
      expected: { verdict: "ignore" },
    },
    {
      name: "a second success is ignored",
      ack: ack({ txid: TXID, success: true }),
      acked: true,
      expected: { verdict: "ignore" },
    },
    {
      name: "the original server's refusal after a success is final",
      ack: ack({ error: LEGACY }),
      acked: true,
      expected: refused("nack", false),
    },
  ];

  test.each(rows)("$name", ({ ack, acked = false, expected }) => {
    expect(readIdentifyAck(ack, TXID, acked)).toMatchObject(expected);
  });
});

describe("refusals", () => {
  test.each([
    [DUPLICATE, true],
    [FULL, true],
    ["Internal error: Session not found", false],
    ["", false],
  ])("with the text %j refuse the whole session: %s", (text, expected) => {
    expect(refusesSession(text)).toBe(expected);
  });

  test("quote the server's text, if there is any", () => {
    expect(refusal(FULL).message).toContain(FULL);
    expect(refusal("go away").message).toContain("go away");
    expect(refusal("").message).toContain("no reason given");
  });
});

describe("a socket that closes during the handshake", () => {
  test("with 1008 is a final refusal", () => {
    expect(lossError({ code: 1008, reason: "Expected identify message" }, "unproven")).toMatchObject({
      code: "handshake-refused",
      reason: "policy",
      retryable: false,
      closeCode: 1008,
      message: expect.stringContaining("Expected identify message"),
    });
  });

  test.each([1000, 1001, 1005, 1006, 1009, 1011, 1012])("with %i may be retried", (code) => {
    const cause = new Error("socket hang up");
    expect(lossError({ code, reason: "", cause }, "unproven")).toMatchObject({
      code: "handshake-refused",
      reason: "closed",
      retryable: true,
      closeCode: code,
      cause,
      message: expect.stringContaining(`code ${code}`),
    });
  });
});

describe("a client that sends `identify`", () => {
  /** A client on a clock of its own, with its first connection's frames under the test's eyes. */
  function connecting(url: string, options: Partial<CodebuffClientOptions> = {}) {
    const clock = new ManualClock();
    const client = new CodebuffClient({ url, clock, clientSessionId: "dup", ...options });
    const heard = new Promise<void>((resolve) => client.on("message", () => resolve()));
    return { clock, client, heard };
  }

  test("sends nothing else before its ack, and prompts after the settle window", async () => {
    await using server = await MockCodebuffServer.start();
    const { client, clock, heard } = connecting(server.url, { settleWindow: 50 });
    await using _client = client;
    const turn = client.prompt("hi");
    await heard;
    await clock.advance(49);
    expect(client.status).toBe("handshaking");
    expect(server.frames.filter(({ direction }) => direction === "c2s")).toHaveLength(1);
    await clock.advance(1);
    expect(client.status).toBe("ready");
    expect((await turn.result).text).toContain("hi");
    expect(server.violations).toEqual([]);
  });

  test("waits for the settle window, even beyond `connectTimeout`", async () => {
    await using server = await MockCodebuffServer.start();
    const options = { settleWindow: 20_000, connectTimeout: 10_000 };
    const { client, clock, heard } = connecting(server.url, options);
    await using _client = client;
    const connected = client.connect();
    await heard;
    await clock.advance(19_999);
    expect(client.status).toBe("handshaking");
    await clock.advance(1);
    await connected;
    expect(server.connections).toHaveLength(1);
  });

  test("follows `profile` if the server does not know `identify`", async () => {
    await using server = await MockCodebuffServer.start({ identify: "nack" });
    const { client } = connecting(server.url, { profile: "proxy" });
    await using _client = client;
    await client.connect();
    expect(client.server).toBe("proxy");
  });

  test("is ready at once if the settle window is 0", async () => {
    await using server = await MockCodebuffServer.start();
    const { client } = connecting(server.url, { settleWindow: 0 });
    await using _client = client;
    await client.connect();
    expect(client.status).toBe("ready");
  });

  test("is ready at once on the original server, and detects it", async () => {
    await using server = await MockCodebuffServer.start({ identify: "nack" });
    const { client } = connecting(server.url);
    await using _client = client;
    await client.connect();
    expect(client.server).toBe("codebuff");
  });

  test("retries after `connectTimeout` if the server never answers", async () => {
    await using server = await MockCodebuffServer.start({ identify: "silent" });
    const { client, clock } = connecting(server.url, { connectTimeout: 10_000 });
    await using _client = client;
    const failure = new Promise((resolve) => client.on("reconnecting", ({ error }) => resolve(error)));
    const connected = client.connect();
    await server.waitFor(({ frames }) => frames.length > 0);
    await clock.advance(10_000);
    expect(await failure).toMatchObject({ code: "handshake-refused", reason: "timeout", retryable: true });
    await client.close();
    await expect(connected).rejects.toMatchObject({ code: "closed" });
  });

  test.each([50, 0])(
    "treats a refusal right after a settle window of %i ms as a failed handshake",
    async (settleWindow) => {
      await using server = await MockCodebuffServer.start();
      const { client, clock, heard } = connecting(server.url, { settleWindow });
      await using _client = client;
      const lost = new Promise((resolve) => client.on("disconnected", resolve));
      const connected = client.connect();
      await heard;
      await clock.advance(settleWindow);
      await connected;
      const connection = await server.nextConnection();
      connection.send(JSON.stringify({ type: "ack", success: false, error: DUPLICATE }));
      connection.close(1000, "Connection cleanup");
      expect(await lost).toMatchObject({ code: "handshake-refused", reason: "duplicate", retryable: true });
      expect(client.status).toBe("reconnecting");
    },
  );

  test("treats a refusal on a proven session as a warning only", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => ["a", step.nack(DUPLICATE), "b"] });
    const { client } = connecting(server.url, { settleWindow: 0 });
    await using _client = client;
    const warned = new Promise((resolve) => client.on("protocolWarning", resolve));
    expect((await client.prompt("hi").result).text).toBe("ab");
    expect(await warned).toMatchObject({ kind: "unattributed-refusal" });
    expect(client.status).toBe("ready");
  });
});
