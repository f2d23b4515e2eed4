import { CodeyClient, type CodeyClientOptions } from "agentwire/codey";
import { ManualClock } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { type CodeyTurn, FAREWELL } from "../helpers/codey.ts";
import { FakePair, fakePair, say } from "../helpers/codey-fake.ts";
import { FakeSocket } from "../helpers/fake-socket.ts";
import { HastySocket } from "../helpers/hasty-socket.ts";

// Sockets that call back while they are called, and callers that act while they are asked how to connect.

const SESSION = { type: "Connected", session_id: "session-1" };

/** A client on a hasty socket, which has not connected yet, and everything that it tells. */
function hasty(
  answers: Readonly<Record<string, readonly object[]>>,
  options: Partial<CodeyClientOptions> = {},
) {
  const clock = new ManualClock();
  const socket = new HastySocket(({ type }) => answers[String(type)] ?? []);
  const client = new CodeyClient({
    url: "ws://localhost",
    clock,
    keepalive: false,
    createWebSocket: () => socket,
    ...options,
  });
  return {
    client,
    socket,
    clock,
    async greet(): Promise<void> {
      void client.connect();
      await clock.advance(0);
      socket.accepts();
      socket.says(SESSION);
      await clock.advance(0);
    },
  };
}

const ANSWER = { SendMessage: [say.text("Hello "), say.text("world"), say.finished()] };

/** The statuses of a turn from now on. */
function statusesOf(turn: CodeyTurn): readonly string[] {
  const statuses: string[] = [];
  turn.on("status", (status) => statuses.push(status));
  return statuses;
}

/** Types of the frames, both ways, as they are told. */
function framesOf(client: CodeyClient): readonly string[] {
  const frames: string[] = [];
  client.on("frame", ({ direction, text }) => frames.push(`${direction} ${JSON.parse(text).type}`));
  return frames;
}

describe("a socket that answers inside `send()`", () => {
  test("completes the turn before `prompt()` returns", async () => {
    const made = hasty(ANSWER);
    await made.greet();
    const turn = made.client.prompt("one");
    expect(turn).toMatchObject({ status: "completed", text: "Hello world" });
    expect((await turn.result).text).toBe("Hello world");
    expect(made.clock.pending).toBe(0);
  });

  // The answer is an input of its own, behind the prompt.
  test("does not suppress the status `sent`", async () => {
    const made = hasty(ANSWER);
    const turn = made.client.prompt("one");
    const statuses = statusesOf(turn);
    await made.greet();
    expect(statuses).toEqual(["queued", "sent", "streaming", "completed"]);
  });

  test("has its frames emitted after the frame that they answer", async () => {
    const made = hasty(ANSWER);
    await made.greet();
    const frames = framesOf(made.client);
    made.client.prompt("one");
    expect(frames).toEqual(["out SendMessage", "in TextDelta", "in TextDelta", "in Finished"]);
  });

  test("has its Pong emitted after the Ping", async () => {
    const made = hasty({ Ping: [say.pong] });
    await made.greet();
    const frames = framesOf(made.client);
    expect(await made.client.ping()).toBe(0);
    expect(frames).toEqual(["out Ping", "in Pong"]);
  });

  test("has every event emitted once, in order", async () => {
    const made = hasty(ANSWER);
    const turn = made.client.prompt("one");
    const events: string[] = [];
    turn.on("event", ({ type }) => events.push(type));
    await made.greet();
    expect(events).toEqual(["TextDelta", "TextDelta", "Finished"]);
  });

  test("settles a turn inside `cancel()`, and each status is emitted once", async () => {
    const made = hasty({ Ping: [say.pong] });
    await made.greet();
    const turn = made.client.prompt("one");
    const statuses = statusesOf(turn);
    await made.clock.advance(0);
    void turn.cancel();
    expect(turn.status).toBe("cancelled");
    expect(statuses).toEqual(["sent", "cancelling", "cancelled"]);
    expect(made.clock.pending).toBe(0);
  });

  test("gives each queued turn its own answer, in order", async () => {
    const made = hasty(ANSWER);
    const turns = ["one", "two", "three"].map((text) => made.client.prompt(text));
    await made.greet();
    const results = await Promise.all(turns.map((turn) => turn.result));
    expect(results.map(({ text }) => text)).toEqual(["Hello world", "Hello world", "Hello world"]);
    expect(made.socket.sent.map((frame) => JSON.parse(frame).content)).toEqual(["one", "two", "three"]);
  });

  test("never causes nested calls of listeners", async () => {
    const made = hasty(ANSWER);
    let depth = 0;
    let deepest = 0;
    const listener = (act: () => void) => (): void => {
      deepest = Math.max(deepest, ++depth);
      act();
      depth--;
    };
    const turn = made.client.prompt("one");
    let again: CodeyTurn | undefined;
    turn.on(
      "status",
      listener(() => {
        if (turn.status === "completed") again ??= made.client.prompt("two");
      }),
    );
    made.client.on(
      "event",
      listener(() => {}),
    );
    await made.greet();
    await turn.result;
    await again?.result;
    expect(deepest).toBe(1);
  });
});

describe("a socket that ends inside `close()`", () => {
  test("causes each status of the client once, and leaves no timer", async () => {
    const made = hasty({});
    await made.greet();
    const statuses: string[] = [];
    made.client.on("status", (status) => statuses.push(status));
    await made.client.close();
    expect(statuses).toEqual(["draining", "closed"]);
    expect(made.clock.pending).toBe(0);
  });

  test("settles a running turn once, with a `Cancel` on the wire", async () => {
    const made = hasty({});
    await made.greet();
    const turn = made.client.prompt("one");
    const statuses = statusesOf(turn);
    await made.clock.advance(0);
    await made.client.close();
    expect(made.socket.sent.map((frame) => JSON.parse(frame).type)).toEqual([
      "SendMessage",
      "Cancel",
      ...FAREWELL,
    ]);
    expect(statuses).toEqual(["sent", "failed"]);
  });
});

describe("a socket that ends inside `send()`", () => {
  test.each([
    { how: "by an event", end: (socket: FakeSocket) => socket.ends() },
    {
      how: "and throws",
      end: (): never => {
        throw new Error("gone");
      },
    },
  ])("$how fails its turn once", async ({ end }) => {
    class Brittle extends FakeSocket {
      override send(data: string): void {
        super.send(data);
        end(this);
      }
    }
    const socket = new Brittle();
    const clock = new ManualClock();
    const client = new CodeyClient({
      url: "ws://localhost",
      clock,
      keepalive: false,
      createWebSocket: () => socket,
    });
    const turn = client.prompt("one");
    const statuses = statusesOf(turn);
    const losses: string[] = [];
    client.on("disconnected", ({ code }) => losses.push(code));
    await clock.advance(0);
    socket.accepts();
    socket.receives(JSON.stringify(SESSION));
    expect(await turn.outcome).toMatchObject({ status: "failed", error: { code: "connection-lost" } });
    expect(losses).toEqual(["connection-lost"]);
    expect(statuses.filter((status) => status !== "sent")).toEqual(["queued", "failed"]);
    expect(clock.pending).toBe(0);
  });
});

describe("a callback that acts on its client", () => {
  /** Each asks once, and closes the client then. */
  const ASKED: Readonly<Record<string, (close: () => void) => Partial<CodeyClientOptions>>> = {
    "for the address": (close) => ({
      url: () => {
        close();
        return "ws://localhost";
      },
    }),
    "for a socket": (close) => ({
      createWebSocket: () => {
        close();
        return new FakeSocket();
      },
    }),
  };

  test.each(Object.keys(ASKED))(
    "%s and closes it: the result is not used, and each status is emitted once",
    async (name) => {
      const sockets: FakeSocket[] = [];
      const close = (): void => void client.close();
      const clock = new ManualClock();
      const client: CodeyClient = new CodeyClient({
        url: "ws://localhost",
        clock,
        keepalive: false,
        createWebSocket: () => {
          const socket = new FakeSocket();
          sockets.push(socket);
          return socket;
        },
        ...ASKED[name]?.(close),
      });
      const statuses: string[] = [];
      client.on("status", (status) => statuses.push(status));
      const turn = client.prompt("one");
      expect(await turn.outcome).toMatchObject({ status: "failed", error: { code: "closed" } });
      expect(statuses).toEqual(["connecting", "closed"]);
      expect(sockets).toEqual([]);
      expect(clock.pending).toBe(0);
    },
  );

  test("for `shouldReconnect` and closes it: the client does not reconnect, whatever the result", async () => {
    const made: FakePair = await fakePair({
      reconnect: {
        shouldReconnect: () => {
          void made.client.close();
          return true;
        },
      },
    });
    const seen: string[] = [];
    made.client.on("status", (status) => seen.push(status));
    made.client.on("disconnected", () => seen.push("disconnected"));
    made.client.on("reconnecting", () => seen.push("reconnecting"));
    made.socket.ends();
    await made.settle();
    expect(seen).toEqual(["disconnected", "closed"]);
    expect(made.sockets).toHaveLength(1);
    expect(made.clock.pending).toBe(0);
  });

  test("for `shouldReconnect` and prompts: the prompt waits for the next session", async () => {
    let turn: CodeyTurn | undefined;
    const made: FakePair = await fakePair({
      reconnect: {
        shouldReconnect: () => {
          turn = made.client.prompt("two");
          return true;
        },
      },
    });
    made.socket.ends();
    await made.settle();
    await made.clock.advance(500);
    await made.greet("session-2");
    made.says(say.text("b"), say.finished());
    expect((await turn?.result)?.text).toBe("b");
  });
});

test("the address function is not called if a listener of `connecting` closes the client", async () => {
  let asked = 0;
  const made: FakePair = new FakePair({
    url: () => {
      asked++;
      return "ws://localhost";
    },
  });
  made.client.on("status", (status) => {
    if (status === "connecting") void made.client.close();
  });
  expect(await made.client.prompt("one").outcome).toMatchObject({
    status: "failed",
    error: { code: "closed" },
  });
  expect([asked, made.sockets.length, made.clock.pending]).toEqual([0, 0, 0]);
});
