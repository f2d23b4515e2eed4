import type { CassClient } from "agentwire/cass";
import { describe, expect, test } from "vitest";
import { FakeCass, fakeCass, say, tokenOf } from "../helpers/cass-fake.ts";
import { HastySocket } from "../helpers/hasty-socket.ts";

// The order in which users are told, where the suite of all clients cannot see it: what is on the wire by then, and sockets that
// call back while they are called.

type CassTurn = ReturnType<CassClient["prompt"]>;

/** The statuses of a turn from now on. */
function statusesOf(turn: CassTurn): readonly string[] {
  const statuses: string[] = [];
  turn.on("status", (status) => statuses.push(status));
  return statuses;
}

/** A server that has said who the user is, and answered each prompt, by the time that it was sent. */
const atOnce = ({ type }: Readonly<Record<string, unknown>>): readonly object[] => {
  if (type === "chat") return [say.thinking(), say.response("Hello")];
  return type === "auth" ? [say.authSuccess("u1")] : [];
};

/** A client on such a socket. */
function hasty(): FakeCass {
  const made: FakeCass = new FakeCass({
    createWebSocket: () => {
      const socket = new HastySocket(atOnce);
      made.sockets.push(socket);
      return socket;
    },
  });
  return made;
}

describe("one response", () => {
  test("is emitted as frame, message, status, event and end, in this order", async () => {
    const made = await fakeCass();
    const turn = made.client.prompt("hello");
    await made.settle();
    const log: string[] = [];
    made.client.on("frame", ({ direction }) => log.push(direction));
    made.client.on("message", () => log.push("message"));
    made.client.on("event", ({ type }) => log.push(`client ${type}`));
    turn.on("event", ({ type }) => log.push(`turn ${type}`));
    turn.on("status", (status) => log.push(status));
    await made.settle();
    log.length = 0;
    made.says(say.thinking(), say.response("Hello"));
    expect(log).toEqual([
      "in",
      "message",
      "streaming",
      "client thinking",
      "turn thinking",
      "in",
      "message",
      "client response",
      "turn response",
      "completed",
    ]);
  });

  test("sends the next prompt before the first turn's `outcome` resolves", async () => {
    const made = await fakeCass();
    const [first, second] = [made.client.prompt("one"), made.client.prompt("two")];
    await made.settle();
    const sent = first.outcome.then(() => made.sent);
    made.says(say.thinking(), say.response("Hello"));
    expect(await sent).toEqual(["chat one", "chat two"]);
    expect(second.status).toBe("sent");
  });

  // A frame is handled to its end before anything is told.
  test("sends the next prompt before `completed` is emitted", async () => {
    const made = await fakeCass();
    const turn = made.client.prompt("one");
    made.client.prompt("two");
    await made.settle();
    const sent: unknown[] = [];
    turn.on("status", (status) => {
      if (status === "completed") sent.push(made.sent);
    });
    made.says(say.thinking(), say.response("Hello"));
    expect(sent).toEqual([["chat one", "chat two"]]);
  });
});

describe("a socket that answers inside `send()`", () => {
  test("completes turn after turn, and each event is emitted once", async () => {
    const made = hasty();
    const turns = [made.client.prompt("one"), made.client.prompt("two"), made.client.prompt("three")];
    const events = turns.map((): string[] => []);
    for (const [index, turn] of turns.entries())
      turn.on("event", ({ type }) => void events[index]?.push(type));
    await made.greet();
    const results = await Promise.all(turns.map((turn) => turn.result));
    expect(results.map(({ text }) => text)).toEqual(["Hello", "Hello", "Hello"]);
    expect(events).toEqual(turns.map(() => ["thinking", "response"]));
    expect(made.sent.filter((frame) => frame.startsWith("chat"))).toEqual([
      "chat one",
      "chat two",
      "chat three",
    ]);
  });

  // The answer is an input of its own, behind the prompt.
  test("does not suppress the status `sent`", async () => {
    const made = hasty();
    const turn = made.client.prompt("one");
    const statuses = statusesOf(turn);
    await made.greet();
    await turn.outcome;
    expect(statuses).toEqual(["queued", "sent", "streaming", "completed"]);
  });

  test("and ends inside `close()` causes each status of the client once", async () => {
    const made = hasty();
    await made.greet();
    const statuses: string[] = [];
    made.client.on("status", (status) => statuses.push(status));
    await made.client.close();
    expect(statuses).toEqual(["draining", "closed"]);
    expect(made.clock.pending).toBe(0);
  });
});

test("a token is not used if its function closes the client", async () => {
  const token = tokenOf("u1", 7);
  const made: FakeCass = new FakeCass({
    token: () => {
      void made.client.close();
      return token;
    },
  });
  const turn = made.client.prompt("hello");
  const outcome = turn.outcome;
  await made.settle();
  if (made.sockets.length > 0) await made.greet();
  expect(await outcome).toMatchObject({ status: "failed", error: { code: "closed" } });
  expect(made.sockets.flatMap(({ sent }) => sent).filter((frame) => frame.includes(token))).toEqual([]);
  expect(made.urls.filter((url) => url.includes(token))).toEqual([]);
});

describe("a client that the caller's code closes sends its Close at once", () => {
  test("while a picture is read", async () => {
    const made = await fakeCass();
    const closes: number[] = [];
    const data = {
      size: 8,
      type: "image/png",
      arrayBuffer: async () => {
        void made.client.close();
        closes.push(made.socket.closes.length);
        return new ArrayBuffer(8);
      },
    };
    const turn = made.client.prompt({ message: "look", image: { data } });
    expect(closes).toEqual([1]);
    expect(await turn.outcome).toMatchObject({ status: "failed", error: { delivery: "not-sent" } });
  });

  test("while a fresh token is asked for", async () => {
    const closes: number[] = [];
    const made: FakeCass = new FakeCass({
      auth: "message",
      token: ({ fresh }) => {
        if (!fresh) return tokenOf("u1");
        void made.client.close();
        closes.push(made.socket.closes.length);
        return tokenOf("u1", 1);
      },
    });
    await made.open();
    made.says(say.connected(null), say.authError());
    expect(closes).toEqual([1]);
    await made.settle();
    expect(made.sent).toEqual(["auth"]);
  });
});

test("the token function is called after the listeners, and may prompt", async () => {
  const log: string[] = [];
  let turn: CassTurn | undefined;
  const made: FakeCass = new FakeCass({
    auth: "message",
    token: ({ fresh }) => {
      if (fresh) {
        log.push("token");
        turn = made.client.prompt("from the function");
      }
      return tokenOf("u1", fresh ? 1 : 0);
    },
  });
  await made.greet(null); // before it has authenticated
  made.client.on("message", () => log.push("message"));
  made.says(say.authError());
  expect(log).toEqual(["message", "token"]);
  await made.settle();
  made.says(say.authSuccess("u1"));
  expect(made.sent).toEqual(["auth", "auth", "chat from the function"]);
  expect(turn?.status).toBe("sent");
});
