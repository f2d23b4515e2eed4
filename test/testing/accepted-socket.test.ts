import { MockCodebuff, step, type TestSocket } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { gate } from "../helpers/codebuff.ts";
import { RawClient } from "./mock-codebuff-raw-client.ts";

describe("a mock on the sockets of another WebSocket server", () => {
  /** A `ws` server that hands all its connections to the mock. */
  async function hosted(mock: MockCodebuff): Promise<AsyncDisposable & { readonly url: string }> {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    server.on("connection", (client) => mock.accept({ client }));
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    if (typeof address !== "object" || address === null) throw new Error("The server has no port");
    return {
      url: `ws://127.0.0.1:${address.port}/ws`,
      [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
    };
  }

  test("plays a prompt and records the client's Close", async () => {
    await using mock = new MockCodebuff({ answer: () => ["Hello"] });
    await using server = await hosted(mock);
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    expect((await client.untilTerminal("p-1")).join()).toContain("Hello");
    await client.close(1000, "bye");
    expect(await mock.waitFor(({ connections }) => connections[0]?.closed)).toEqual({
      by: "client",
      code: 1000,
      reason: "bye",
      wasClean: true,
    });
  });

  test("recognizes a socket that is already open before the first message", async () => {
    await using mock = new MockCodebuff();
    await using server = await hosted(mock);
    using client = await RawClient.connect(server.url);
    const connection = await mock.nextConnection();
    connection.send("who are you?");
    expect(await client.next()).toBe("who are you?");
  });

  test("cuts the socket with `terminate()`", async () => {
    await using mock = new MockCodebuff();
    await using server = await hosted(mock);
    using client = await RawClient.identified(server.url);
    client.send(Uint8Array.of(1, 2));
    expect(await client.next()).toContain("Internal error: 'text'");
    mock.dropAll();
    expect((await client.closed).code).toBe(1006);
  });

  test("records 1006 and `left-mid-prompt` if the client vanishes during a prompt", async () => {
    await using mock = new MockCodebuff({ answer: () => [step.hang()] });
    await using server = await hosted(mock);
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    await mock.nextPrompt();
    client.socket.terminate();
    expect(await mock.waitFor(({ connections }) => connections[0]?.closed)).toMatchObject({
      by: "client",
      code: 1006,
      wasClean: false,
    });
    expect(mock.violations).toMatchObject([{ kind: "left-mid-prompt" }]);
  });

  test("keeps the message order while a Blob is read and during a pause", async () => {
    await using mock = new MockCodebuff({ binary: "parse" });
    const { client, tell } = scripted();
    mock.accept({ client });
    const connection = await mock.nextConnection();
    const reading = gate();
    const blob = {
      async arrayBuffer() {
        await reading.passed;
        return new TextEncoder().encode("{}").buffer;
      },
    };
    tell("message", { data: blob });
    tell("message", { data: "behind it" });
    connection.pause();
    tell("message", { data: "last" });
    tell("close", { code: 1000, reason: "" });
    reading.open();
    await blob.arrayBuffer();
    expect(mock.frames).toEqual([]);
    connection.resume();
    await mock.waitFor(() => connection.closed);
    expect(mock.frames.map(({ raw }) => raw)).toEqual(["behind it", "last"]);
  });

  test.each(["open", "message"])(
    "has the connection from its first %s event if the socket was still opening",
    async (event) => {
      await using mock = new MockCodebuff();
      const { client, tell } = scripted({ readyState: 0 });
      mock.accept({ client });
      expect(mock.connections).toHaveLength(0);
      tell(event, { data: "hello" });
      expect(mock.connections).toHaveLength(1);
    },
  );

  test("has no connection if the socket closes before it opens", async () => {
    await using mock = new MockCodebuff();
    const { client, tell } = scripted({ readyState: 0 });
    mock.accept({ client });
    tell("close", { code: 1006, reason: "" });
    expect(mock.connections).toHaveLength(0);
  });

  test("throws a TypeError for a message that is neither text nor bytes", async () => {
    await using mock = new MockCodebuff();
    const { client, tell } = scripted();
    mock.accept({ client });
    expect(() => tell("message", { data: 5 })).toThrow(TypeError);
  });
});

/** A socket of which the test says what is heard from it; open, unless told otherwise. */
function scripted({ readyState = 1 } = {}): {
  readonly client: TestSocket;
  tell(type: string, event: object): void;
} {
  const heard = new Map<string, (event: { data: unknown; code: number; reason: string }) => void>();
  const listen = (type: string, listener: Parameters<typeof heard.set>[1]): void =>
    void heard.set(type, listener);
  const client = { readyState, addEventListener: listen, send: () => {}, close: () => {} };
  return {
    client,
    tell: (type, event) => heard.get(type)?.({ data: undefined, code: 0, reason: "", ...event }),
  };
}
