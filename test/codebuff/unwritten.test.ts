import { CodebuffClient, type CodebuffClientOptions } from "agentwire/codebuff";
import { ManualClock } from "agentwire/testing";
import { describe, expect, test, vi } from "vitest";
import { FakeSocket } from "../helpers/fake-socket.ts";

// Several prompts leave in one go, and the socket comes to its end at the first of them.

const ENDS = {
  "refuses the frame": () => {
    throw new Error("cannot");
  },
  "ends within the frame": (socket: FakeSocket) => socket.ends(),
  "begins to close within the frame": (socket: FakeSocket) => {
    socket.readyState = 2;
  },
} as const;

function rig(options: Partial<CodebuffClientOptions> = {}) {
  const clock = new ManualClock();
  const sockets: FakeSocket[] = [];
  const client = new CodebuffClient({
    url: "ws://localhost/ws",
    profile: "codebuff",
    authToken: "a-token-of-some-length",
    keepalive: false,
    reconnect: { minDelay: 1, maxDelay: 1 },
    clock,
    createWebSocket: () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    ...options,
  });
  return { client, clock, sockets };
}

describe("when the socket", () => {
  test.each(Object.keys(ENDS) as (keyof typeof ENDS)[])(
    "%s, the prompts behind it are handed back as not sent",
    async (how) => {
      const { client, clock, sockets } = rig();
      const turns = ["first", "second", "third"].map((text) => client.prompt(text));
      await clock.advance(0);
      const [socket] = sockets;
      if (!socket) throw new Error("nothing was dialled");
      const send = vi.spyOn(socket, "send").mockImplementation((text) => {
        socket.sent.push(text);
        if (text.includes("first")) ENDS[how](socket);
      });
      socket.accepts();
      if (how === "begins to close within the frame") socket.ends();
      const outcomes = await Promise.all(turns.map(({ outcome }) => outcome));
      expect(outcomes).toMatchObject([
        { status: "failed", error: { code: "connection-lost", delivery: "unknown" } },
        { status: "failed", error: { code: "connection-lost", delivery: "not-sent", input: "second" } },
        { status: "failed", error: { code: "connection-lost", delivery: "not-sent", input: "third" } },
      ]);
      expect(send).toHaveBeenCalledTimes(1);
      await client.close({ force: true });
    },
  );
});

test("the token function is not called after a listener has closed the client", async () => {
  const authToken = vi.fn(() => "a-token-of-some-length");
  const { client, clock, sockets } = rig({ authToken });
  client.on("status", (status) => {
    if (status === "ready") void client.close({ force: true });
  });
  const turn = client.prompt("hello");
  await clock.advance(0);
  sockets[0]?.accepts();
  expect(await turn.outcome).toMatchObject({
    status: "failed",
    error: { code: "closed", delivery: "not-sent" },
  });
  expect(authToken).not.toHaveBeenCalled();
});
