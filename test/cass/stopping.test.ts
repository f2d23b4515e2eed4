import { describe, expect, test } from "vitest";
import { fakeCass, say, serverTime, tokenOf } from "../helpers/cass-fake.ts";
import { failureOf } from "../helpers/turns.ts";

describe("a client that is closed because the server names another user", () => {
  const options = { requireConnected: false } as const;

  test("refuses prompts, even before the server answers the Close", async () => {
    const made = await fakeCass(options);
    const turn = made.client.prompt("hello");
    const again: unknown[] = [];
    turn.on("status", (status) => {
      if (status !== "failed") return;
      try {
        again.push(made.client.prompt("again").status);
      } catch (error) {
        again.push(error);
      }
    });
    made.says(say.connected("somebody-else"));
    await made.settle();
    expect(again).toMatchObject([{ code: "closed", cause: { code: "handshake-refused" } }]);
    expect(made.socket.closes).toEqual([[1000, ""]]);
  });

  test("gives the reason in every later error", async () => {
    const made = await fakeCass(options);
    made.says(say.connected("somebody-else"));
    made.socket.ends(1000);
    await made.settle();
    expect(made.client.status).toBe("closed");
    expect(() => made.client.prompt("again")).toThrow(
      expect.objectContaining({ cause: expect.objectContaining({ reason: "identity-mismatch" }) }),
    );
  });
});

describe('`cancel: "reconnect"`', () => {
  test("does not count a cancel as a dropped connection", async () => {
    const made = await fakeCass({ cancel: "reconnect" });
    for (let time = 0; time < 5; time++) {
      void made.client.prompt(`p${time}`).cancel();
      made.socket.ends(1000);
      await made.greet();
    }
    const [running, waiting] = [made.client.prompt("one"), made.client.prompt("two")];
    void running.cancel();
    made.socket.ends(1000);
    await made.greet();
    expect(waiting.status).toBe("sent");
  });

  test("closes the connection once every turn in flight is cancelled", async () => {
    const made = await fakeCass({ cancel: "reconnect", maxTurnsInFlight: 2 });
    const warm = made.client.prompt("warm");
    await made.answers("warm");
    await warm.result;
    const turns = ["one", "two", "three"].map((text) => made.client.prompt(text));
    void turns[0]?.cancel();
    expect(made.socket.closes).toEqual([]);
    void turns[1]?.cancel();
    expect(made.socket.closes).toEqual([[1000, ""]]);
  });

  test("reconnects once the turn before the cancelled turn is answered, then sends the next prompt", async () => {
    const made = await fakeCass({ cancel: "reconnect", maxTurnsInFlight: 2 });
    const warm = made.client.prompt("warm");
    await made.answers("warm");
    await warm.result;
    const turns = ["one", "two", "three"].map((text) => made.client.prompt(text));
    void turns[1]?.cancel();
    expect(made.socket.closes).toEqual([]);
    await made.answers("first");
    expect(made.sent.slice(1)).toEqual(["chat one", "chat two"]);
    expect(made.socket.closes).toEqual([[1000, ""]]);
    made.socket.ends(1000);
    await made.greet();
    expect(made.sent).toEqual(["chat three"]);
  });
});

describe("a client that is closed", () => {
  /** REST that answers nothing that is looked for. */
  const fetch = async () => ({
    status: 503,
    headers: { get: () => null },
    arrayBuffer: async () => new ArrayBuffer(0),
  });

  test("ends its search for lost replies: the connection was lost while it drained", async () => {
    const made = await fakeCass({ recover: true, fetch });
    const turn = made.client.prompt("hello");
    const closed = made.client.close({ drainTimeout: 5_000 });
    made.socket.ends();
    await made.settle();
    await closed;
    expect([made.clock.pending, await failureOf(turn)]).toMatchObject([0, { code: "connection-lost" }]);
    await expect(made.client.rest.getStatus()).rejects.toMatchObject({ code: "closed" });
  });

  test("ends its search for lost replies: a refusal was about to close it", async () => {
    const made = await fakeCass({ recover: true, fetch });
    const turn = made.client.prompt("hello");
    made.socket.ends();
    await made.greet("somebody-else");
    expect([made.client.status, turn.status]).toEqual(["draining", "recovering"]);
    const closed = made.client.close();
    made.socket.ends(1000);
    await closed;
    expect([made.clock.pending, await failureOf(turn)]).toMatchObject([0, { code: "closed" }]);
  });

  test("ends its search for lost replies: it did not reconnect", async () => {
    const made = await fakeCass({ recover: true, fetch, reconnect: false });
    const turn = made.client.prompt("hello");
    made.socket.ends();
    await made.settle();
    expect([made.client.status, turn.status]).toEqual(["closed", "recovering"]);
    await made.client.close();
    await made.settle();
    expect([made.clock.pending, await failureOf(turn)]).toMatchObject([0, { code: "closed" }]);
    await expect(made.client.rest.getStatus()).rejects.toMatchObject({ code: "closed" });
  });
});

test("close code 1009 fails the largest frame in flight, whose reply is not searched for", async () => {
  const fetched: string[] = [];
  const made = await fakeCass({
    recover: true,
    maxTurnsInFlight: 2,
    fetch: async (url) => {
      fetched.push(url);
      throw new Error("nothing there");
    },
  });
  const warm = made.client.prompt("warm");
  await made.answers("warm", { timestamp: serverTime(1) });
  await warm.result;
  const large = made.client.prompt("x".repeat(1_000), { recover: true });
  const small = made.client.prompt("small", { recover: false });
  made.socket.ends(1009);
  await made.settle();
  expect(await failureOf(large)).toMatchObject({ code: "payload-too-large" });
  expect(await failureOf(small)).toMatchObject({ code: "connection-lost" });
  expect(fetched).toEqual([]);
  expect(tokenOf("u1")).not.toBe("");
});
