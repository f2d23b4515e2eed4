import { cassStep, MockCass, type MockCassOptions } from "agentwire/testing";
import { http, ws } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

const URL = "wss://cass.example/cass/ws";
const HTTP = "https://cass.example/cass/";
const agent = ws.link(URL);
const network = setupServer();
beforeAll(() => network.listen({ onUnhandledFrame: "error" }));
afterEach(() => network.resetHandlers());
afterAll(() => network.close());

/** A mock behind the address, for this test. */
function behind(options: MockCassOptions = {}): MockCass {
  const mock = new MockCass({ basePath: "/cass", title: "none", ...options });
  network.use(
    agent.addEventListener("connection", mock.accept),
    http.all(`${HTTP}*`, ({ request }) => mock.fetch(request)),
  );
  return mock;
}

/** A WebSocket of the platform, and what it was told, in order. */
function watched(token?: string): { readonly socket: WebSocket; readonly told: readonly string[] } {
  const socket = new WebSocket(token === undefined ? URL : `${URL}?token=${token}`);
  const told: string[] = [];
  socket.addEventListener("message", ({ data }) => {
    const { type, status = type } = JSON.parse(String(data));
    told.push(status);
  });
  socket.addEventListener("close", ({ code }) => told.push(`close ${code}`));
  return { socket, told };
}

const TURN = ["Retrieving memories...", "Generating response (Claude)...", "response"];

/** Resolves with the next frame of this type. */
function frameOf(socket: WebSocket, type: string): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((resolve) => {
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data));
      if (message.type === type) resolve(message);
    });
  });
}

describe("a Cass mock behind an msw link", () => {
  test("plays a turn for the user of the token in the address, without violations", async () => {
    await using mock = behind();
    const { userId, accessToken } = mock.addUser();
    const { socket, told } = watched(accessToken);
    expect(await frameOf(socket, "connected")).toMatchObject({ user_id: userId });
    socket.send(JSON.stringify({ type: "chat", message: "hi" }));
    expect(await frameOf(socket, "response")).toMatchObject({ text: "Hello!" });
    expect(told).toEqual(["connected", ...TURN]);
    expect(mock.violations).toEqual([]);
    expect(mock.connections).toMatchObject([{ userId, state: "ready" }]);
    socket.close();
    expect(await mock.waitFor(({ connections }) => connections[0]?.closed)).toMatchObject({ by: "client" });
  });

  test("answers REST calls at the same address", async () => {
    await using mock = behind({ localhostBypass: false });
    const { userId, accessToken, email, password } = mock.addUser();
    const login = await fetch(`${HTTP}auth/login`, {
      method: "POST",
      body: JSON.stringify({ email, password }),
    });
    expect(await login.json()).toMatchObject({ user_id: userId });
    const me = await fetch(`${HTTP}auth/me`, { headers: { authorization: `Bearer ${accessToken}` } });
    expect(await me.json()).toMatchObject({ email });
    expect(mock.requests.map(({ route, status }) => [route, status])).toEqual([
      ["POST /auth/login", 200],
      ["GET /auth/me", 200],
    ]);
  });

  test("can cut the connection, close it, and make it a zombie", async () => {
    await using mock = behind({
      answer: ({ message }) => [
        cassStep.die(message === "4001" ? 4001 : message === "drop" ? "drop" : "zombie"),
      ],
    });
    for (const [message, end] of [
      ["drop", ["close 1006"]],
      ["4001", ["close 4001"]],
      ["zombie", []],
    ] as const) {
      const { socket, told } = watched();
      const connection = await mock.nextConnection();
      await frameOf(socket, "connected");
      socket.send(JSON.stringify({ type: "chat", message }));
      await mock.waitFor(() => connection.state === "zombie" || connection.closed);
      if (message === "zombie") socket.send(JSON.stringify({ type: "status" }));
      const other = watched();
      await mock.nextConnection();
      await frameOf(other.socket, "connected");
      expect(told).toEqual(["connected", ...TURN.slice(0, 2), ...end]);
    }
  });

  test("rejects `chunking`, since it cannot access the bytes", async () => {
    await using mock = new MockCass({ chunking: "coalesced" });
    const client = { readyState: 1, addEventListener: () => {}, send: () => {}, close: () => {} };
    expect(() => mock.accept({ client })).toThrow("MockCassServer.start()");
  });
});

test("a client can use the mock's `fetch` instead of the platform's", async () => {
  await using mock = new MockCass();
  const { fetch: ofMock } = mock;
  const response = await ofMock(new globalThis.URL("http://anywhere.example/status"));
  expect(await response.json()).toMatchObject({ online: true, memory_ready: true });
});
