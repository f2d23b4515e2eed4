import { codeyStep, codeyTool, MockCodey, type MockCodeyOptions } from "agentwire/testing";
import { ws } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

const URL = "ws://127.0.0.1:9999/";
const agent = ws.link(URL);
const network = setupServer();
beforeAll(() => network.listen({ onUnhandledFrame: "error" }));
afterEach(() => network.resetHandlers());
afterAll(() => network.close());

/** A mock behind the address, for this test. */
function behind(options: MockCodeyOptions): MockCodey {
  const mock = new MockCodey(options);
  network.use(agent.addEventListener("connection", mock.accept));
  return mock;
}

/** A WebSocket of the platform, and what it was told, in order. */
function watched(): { readonly socket: WebSocket; readonly told: readonly string[] } {
  const socket = new WebSocket(URL);
  socket.binaryType = "arraybuffer";
  const told: string[] = [];
  socket.addEventListener("message", ({ data }) => {
    told.push(data instanceof ArrayBuffer ? `bytes of ${new TextDecoder().decode(data)}` : String(data));
  });
  socket.addEventListener("close", ({ code }) => told.push(`close ${code}`));
  return { socket, told };
}

const PONG = '{"type":"Pong"}';

/** Resolves once the socket has the `Pong` of a `Ping` sent now. */
async function barrier(socket: WebSocket): Promise<void> {
  const ponged = new Promise<void>((resolve) => {
    socket.addEventListener("message", ({ data }) => data === PONG && resolve());
  });
  socket.send('{"type":"Ping"}');
  await ponged;
}

describe("a Codey mock behind an msw link", () => {
  test("plays a turn with an approval, without violations", async () => {
    await using mock = behind({
      answer: () => ["I look. ", codeyStep.calls(codeyTool.shell("ls", "a.txt\n")), "One file."],
    });
    const { socket, told } = watched();
    await mock.nextConnection();
    socket.send('{"type":"SendMessage","content":"list"}');
    await mock.waitFor(({ frames }) => frames.some(({ raw }) => raw.includes("ToolAwaitingApproval")));
    socket.send('{"type":"ToolDecision","call_id":"toolu_1","approved":true}');
    await mock.waitFor(({ frames }) => frames.some(({ raw }) => raw.includes("Finished")));
    await barrier(socket);
    expect(told.map((raw) => JSON.parse(raw).type)).toEqual([
      "Connected",
      "TextDelta",
      "ToolRequest",
      "ToolAwaitingApproval",
      "ToolCompleted",
      "TextDelta",
      "Finished",
      "Pong",
    ]);
    socket.close(1000);
    expect(await mock.waitFor(({ connections }) => connections[0]?.closed)).toMatchObject({
      by: "client",
      code: 1000,
    });
    expect(mock.violations).toEqual([]);
  });

  test("can be frozen during a turn, and cut", async () => {
    await using mock = behind({ answer: () => ["one", codeyStep.hang()] });
    const { socket, told } = watched();
    const connection = await mock.nextConnection();
    await barrier(socket);
    mock.set({ frozen: "midSession" });
    socket.send('{"type":"SendMessage","content":"go"}');
    await mock.waitFor(({ frames }) => frames.at(-1)?.raw.includes("SendMessage"));
    expect(mock.sends).toEqual([]);
    mock.set({ frozen: "off" });
    expect((await mock.nextSend()).content).toBe("go");
    await mock.waitFor(({ frames }) => frames.at(-1)?.raw.includes("TextDelta"));
    connection.drop();
    expect(await mock.waitFor(() => connection.closed)).toMatchObject({ by: "server", code: 1006 });
    expect(told.slice(1)).toEqual([PONG, expect.stringContaining("TextDelta"), "close 1006"]);
    expect(mock.sessions).toEqual({ live: 0, leaked: 1 });
  });

  test('pads the first message of a turn with chunking "huge"', async () => {
    await using mock = behind({ chunking: "huge", answer: () => ["one"] });
    const { socket, told } = watched();
    await mock.nextConnection();
    mock.answer = (_send, { signal }) =>
      (async function* () {
        await mock.waitFor(({ received }) => received.at(-1)?.message.type === "GetState");
        if (!signal.aborted) yield "one";
      })();
    socket.send('{"type":"SendMessage","content":"go"}');
    socket.send('{"type":"GetState"}');
    await mock.waitFor(({ frames }) => frames.some(({ raw }) => raw.includes("Finished")));
    await barrier(socket);
    expect(told.map((raw) => [JSON.parse(raw).type, raw.length > 1_000_000])).toEqual([
      ["Connected", false],
      ["State", false],
      ["TextDelta", true],
      ["Finished", false],
      ["Pong", false],
    ]);
  });

  test.each(["fragmented", "splitUtf8"] as const)(
    "rejects chunking %s, since it cannot cut messages",
    async (chunking) => {
      await using mock = new MockCodey({ chunking });
      const client = { readyState: 1, addEventListener: () => {}, send: () => {}, close: () => {} };
      expect(() => mock.accept({ client })).toThrow("MockCodeyServer.start()");
    },
  );
});
