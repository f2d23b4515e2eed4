import { MockCodebuff, step, type TestSocket } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { gate } from "../helpers/codebuff.ts";
import { RawClient } from "./mock-codebuff-raw-client.ts";

describe("a mock behind the sockets of somebody else's server", () => {
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

  test("speaks over them as over its own", async () => {
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

  test("knows a socket that is open already, before it has said anything", async () => {
    await using mock = new MockCodebuff();
    await using server = await hosted(mock);
    using client = await RawClient.connect(server.url);
    const connection = await mock.nextConnection();
    connection.send("who are you?");
    expect(await client.next()).toBe("who are you?");
  });

  test("cuts them where they can be cut", async () => {
    await using mock = new MockCodebuff();
    await using server = await hosted(mock);
    using client = await RawClient.identified(server.url);
    client.send(Uint8Array.of(1, 2));
    expect(await client.next()).toContain("Internal error: 'text'");
    mock.dropAll();
    expect((await client.closed).code).toBe(1006);
  });

  test("a client that vanishes is 1006, and left if a prompt ran", async () => {
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

  test("keeps the order behind bytes that take time to read, and through a pause in the middle of it", async () => {
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

  test.each(["open", "message"])("knows one that is still opening from its first %s on", async (event) => {
    await using mock = new MockCodebuff();
    const { client, tell } = scripted({ readyState: 0 });
    mock.accept({ client });
    expect(mock.connections).toHaveLength(0);
    tell(event, { data: "hello" });
    expect(mock.connections).toHaveLength(1);
  });

  test("does not know one that closes before it is open", async () => {
    await using mock = new MockCodebuff();
    const { client, tell } = scripted({ readyState: 0 });
    mock.accept({ client });
    tell("close", { code: 1006, reason: "" });
    expect(mock.connections).toHaveLength(0);
  });

  test("refuses a message that is neither text nor bytes, in words", async () => {
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
