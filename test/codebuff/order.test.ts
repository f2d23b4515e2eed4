import type { CodebuffClient } from "agentwire/codebuff";
import { describe, expect, test } from "vitest";
import { FakeCodebuff, fakeRunning, say, TOKEN } from "../helpers/codebuff-fake.ts";
import { json } from "../helpers/codebuff-requests.ts";
import { HastySocket } from "../helpers/hasty-socket.ts";

// The order in which users are told, where the suite of all clients cannot see it: what is on the wire by then, requests of the
// server, and sockets that call back while they are called.

type CodebuffTurn = ReturnType<CodebuffClient["prompt"]>;

/** The statuses of a turn from now on. */
function statusesOf(turn: CodebuffTurn): readonly string[] {
  const statuses: string[] = [];
  turn.on("status", (status) => statuses.push(status));
  return statuses;
}

describe("the frame is on the wire before its status event:", () => {
  test("`identify` before `handshaking`", async () => {
    const made = new FakeCodebuff();
    const sent: unknown[] = [];
    made.client.on("status", (status) => {
      if (status === "handshaking") sent.push(made.sent);
    });
    await made.open();
    expect(sent).toEqual([["identify"]]);
  });

  test("the cancel before `cancelling`", async () => {
    const { made, turn } = await fakeRunning();
    const sent: unknown[] = [];
    turn.on("status", (status) => {
      if (status === "cancelling") sent.push(made.sent.at(-1));
    });
    void turn.cancel();
    expect(sent).toEqual(["cancel-user-input"]);
  });

  test("the prompt before `sent`", async () => {
    const made = new FakeCodebuff();
    const turn = made.client.prompt("go");
    const sent: unknown[] = [];
    turn.on("status", (status) => {
      if (status === "sent") sent.push(made.sent.at(-1));
    });
    await made.open();
    made.says(say.unknown(0));
    await made.settle();
    expect(sent).toEqual(["prompt"]);
  });
});

describe("a request of the server", () => {
  const act = (made: () => FakeCodebuff, turn: () => CodebuffTurn) => ({
    "cancels the turn": () => void turn().cancel(),
    "closes the client": () => void made().client.close({ force: true }),
    "loses the link": () => made().socket.ends(),
  });

  test.each(["cancels the turn", "closes the client", "loses the link"] as const)(
    "whose handler %s is abandoned, and its late result is not sent",
    async (deed) => {
      let given: (() => void) | undefined;
      const { made, turn } = await fakeRunning({
        reconnect: false,
        tools: {
          act: () => {
            act(
              () => made,
              () => turn,
            )[deed]();
            return new Promise((resolve) => {
              given = () => resolve(json("too late"));
            });
          },
        },
      });
      const states: string[] = [];
      turn.on("toolCall", ({ state }) => states.push(state));
      made.says(say.calls(turn, "act"));
      given?.();
      await made.settle();
      expect(made.socket.sent.filter((frame) => frame.includes("too late"))).toEqual([]);
      expect(states.at(-1)).toBe("abandoned");
      expect(states).not.toContain("done");
    },
  );

  test("whose handler makes a prompt is answered, and so is that prompt", async () => {
    let second: CodebuffTurn | undefined;
    const { made, turn } = await fakeRunning({
      tools: {
        act: () => {
          second = made.client.prompt("another");
          return json(1);
        },
      },
    });
    made.says(say.calls(turn, "act"));
    await made.settle();
    expect(made.sent.filter((type) => type === "tool-call-response" || type === "prompt").sort()).toEqual([
      "prompt",
      "prompt",
      "tool-call-response",
    ]);
    if (second) made.says(say.chunk(second, "b"), say.response(second));
    expect((await second?.result)?.text).toBe("b");
  });

  test("reports its states in order, and `done` before the frame of its answer", async () => {
    const { made, turn } = await fakeRunning({
      toolPolicy: [],
      onToolApproval: "manual",
      tools: { act: () => json(1) },
    });
    const log: string[] = [];
    turn.on("toolCall", ({ state }) => log.push(state));
    turn.on("approval", () => log.push("approval"));
    made.client.on("frame", ({ direction, text }) => {
      if (direction === "out") log.push(JSON.parse(text).data.type);
    });
    made.says(say.calls(turn, "act"));
    expect(log).toEqual(["requested", "awaiting", "approval"]);
    made.client.decide("r1", true);
    await made.settle();
    expect(log.slice(3)).toEqual(["approved", "running", "done", "tool-call-response"]);
  });

  // A signal's abort runs code of the user, and is told like everything else.
  test("aborts its handler's signal after earlier notifications are delivered", async () => {
    const seen: string[] = [];
    const { made, turn } = await fakeRunning({
      tools: {
        act: (_, { signal }) => {
          signal.addEventListener("abort", () => seen.push("abort"));
          return new Promise(() => {});
        },
      },
    });
    made.says(say.calls(turn, "act"));
    await made.settle();
    made.client.on("message", () => {
      if (seen.length === 0) void turn.cancel();
      seen.push("first");
    });
    made.client.on("message", () => seen.push("second"));
    made.says(say.chunk(turn, "more"));
    expect(seen).toEqual(["first", "second", "abort"]);
  });
});

describe("a question of the agent", () => {
  const questions = [{ question: "Tabs or spaces?", options: [{ label: "tabs" }, { label: "spaces" }] }];

  test("that a listener answers does not reach later listeners", async () => {
    const { made, turn } = await fakeRunning({ onQuestion: "manual" });
    const behind: string[] = [];
    turn.on("question", ({ id }) => void made.client.answer(id, "tabs"));
    turn.on("question", () => behind.push("turn"));
    made.client.on("question", () => behind.push("client"));
    made.says(say.calls(turn, "ask_user", { questions }, "q1"));
    await made.settle();
    expect(behind).toEqual([]);
    expect(made.sent.at(-1)).toBe("tool-call-response");
  });

  test("does not reach later listeners if a listener cancels its turn", async () => {
    const { made, turn } = await fakeRunning({ onQuestion: "manual" });
    const behind: string[] = [];
    turn.on("question", () => void turn.cancel());
    turn.on("question", () => behind.push("turn"));
    made.client.on("question", () => behind.push("client"));
    made.says(say.calls(turn, "ask_user", { questions }, "q1"));
    expect(behind).toEqual([]);
  });

  test("that is open reaches a new listener once, in a microtask", async () => {
    const { made, turn } = await fakeRunning({ onQuestion: "manual" });
    made.says(say.calls(turn, "ask_user", { questions }, "q1"));
    const told: string[] = [];
    turn.on("question", ({ id }) => told.push(`turn ${id}`));
    made.client.on("question", ({ id }) => told.push(`client ${id}`));
    expect(told).toEqual([]);
    await made.settle();
    expect(told).toEqual(["turn q1", "client q1"]);
  });
});

describe("a token function", () => {
  test("that closes the client does not get its token sent", async () => {
    const made: FakeCodebuff = new FakeCodebuff({
      authToken: () => {
        void made.client.close({ force: true });
        return "too-late";
      },
    });
    const turn = made.client.prompt("go");
    await made.open();
    if (made.client.status !== "closed") made.says(say.unknown(0));
    await made.settle();
    expect(await turn.outcome).toMatchObject({ status: "failed", error: { code: "closed" } });
    expect(made.sockets.flatMap(({ sent }) => sent).filter((frame) => frame.includes("too-late"))).toEqual(
      [],
    );
  });

  test("that cancels its own turn keeps the prompt from being sent", async () => {
    const made: FakeCodebuff = new FakeCodebuff({
      authToken: () => {
        void turn.cancel();
        return TOKEN;
      },
    });
    const turn = made.client.prompt("go");
    await made.open();
    made.says(say.unknown(0));
    await made.settle();
    expect(turn.status).toBe("cancelled");
    expect(made.sent).not.toContain("prompt");
  });
});

/** A server that has answered the identify, and each prompt with "Hello world", by the time that it was sent. */
const atOnce = ({ type, txid, data }: Readonly<Record<string, unknown>>): readonly object[] => {
  if (type !== "action") return [say.ack(txid)];
  const { promptId: id } = data as { readonly promptId: string };
  return [say.ack(txid), say.chunk({ id }, "Hello "), say.chunk({ id }, "world"), say.response({ id })];
};

describe("a socket that answers inside `send()`", () => {
  test("completes the handshake and turn after turn", async () => {
    const made = new FakeCodebuff({}, () => new HastySocket(atOnce));
    const turns = [made.client.prompt("one"), made.client.prompt("two"), made.client.prompt("three")];
    const events: string[][] = turns.map(() => []);
    for (const [index, turn] of turns.entries())
      turn.on("event", ({ type }) => void events[index]?.push(type));
    await made.open();
    const results = await Promise.all(turns.map((turn) => turn.result));
    expect(results.map(({ text }) => text)).toEqual(turns.map(() => "Hello world"));
    expect(events).toEqual(turns.map(() => ["response-chunk", "response-chunk", "prompt-response"]));
    expect(made.sent).toEqual(["identify", "prompt", "prompt", "prompt"]);
  });

  // The answer is an input of its own, behind the prompt.
  test("does not hide the status `sent`", async () => {
    const made = new FakeCodebuff({}, () => new HastySocket(atOnce));
    const turn = made.client.prompt("one");
    const statuses = statusesOf(turn);
    await made.open();
    await turn.outcome;
    expect(statuses).toEqual(["queued", "sent", "streaming", "completed"]);
  });

  test("has its frames reported after the frame that they answer", async () => {
    const made = new FakeCodebuff({}, () => new HastySocket(atOnce));
    const frames: string[] = [];
    made.client.on("frame", ({ direction }) => frames.push(direction));
    const turn = made.client.prompt("one");
    await made.open();
    await turn.outcome;
    expect(frames).toEqual(["out", "in", "out", "in", "in", "in", "in"]);
  });

  test("and ends inside `close()` causes each client status once", async () => {
    const made = new FakeCodebuff({}, () => new HastySocket(atOnce));
    await made.open();
    await made.client.prompt("one").outcome;
    const statuses: string[] = [];
    made.client.on("status", (status) => statuses.push(status));
    await made.client.close();
    expect(statuses).toEqual(["draining", "closed"]);
    expect(made.clock.pending).toBe(0);
  });
});
