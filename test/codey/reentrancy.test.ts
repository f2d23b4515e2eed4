import type { CodeyEvent } from "agentwire/codey";
import { describe, expect, test } from "vitest";
import { FAREWELL } from "../helpers/codey.ts";
import { fakePair, say } from "../helpers/codey-fake.ts";

// What happens when the user's own code acts at the worst moment. Each of these once hung, leaked or broke an order.

/** What a call throws. */
function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}

const CANCEL = ["SendMessage one", "Cancel", "ToolDecision c1 false", "Ping"];

describe("a turn that is cancelled with an open approval", () => {
  test("sends a prompt from the approval's abort listener after the Pong", async () => {
    const made = await fakePair({
      onToolApproval: (_, { signal }) => {
        signal.addEventListener("abort", () => void made.client.prompt("two"));
        return new Promise(() => {});
      },
    });
    const turn = made.client.prompt("one");
    made.says(say.request(["c1"]), say.asks("c1"));
    void turn.cancel();
    expect(made.sent).toEqual(CANCEL);
    made.says(say.pong);
    expect(made.sent).toEqual([...CANCEL, "SendMessage two"]);
    expect((await turn.outcome).status).toBe("cancelled");
  });

  test("does not send a prompt from its `toolCall` listener before the Pong", async () => {
    const made = await fakePair({ onToolApproval: "manual" });
    const turn = made.client.prompt("one");
    made.says(say.asks("c1"));
    turn.on("toolCall", ({ state }) => {
      if (state === "abandoned") made.client.prompt("two");
    });
    void turn.cancel();
    expect(made.sent).toEqual(CANCEL);
  });

  test("by a listener of the approval leaves nothing open, and sends one denial", async () => {
    let asked = 0;
    const made = await fakePair({
      approvalTimeout: 1_000,
      onToolApproval: (_, { signal }) => {
        asked++;
        signal.addEventListener("abort", () => void asked--);
        return new Promise(() => {});
      },
    });
    const turn = made.client.prompt("one");
    turn.on("approval", () => void turn.cancel());
    made.says(say.asks("c1"));
    expect(turn.pending).toEqual([]);
    made.says(say.pong);
    await made.settle();
    expect(made.sent).toEqual(CANCEL);
    expect(made.clock.pending).toBe(0);
    expect(turn.toolCalls).toMatchObject([{ state: "abandoned" }]);
    expect(made.client.decide("c1", true)).toMatchObject({ decision: "reject", by: "cancelled" });
    expect(asked).toBe(0);
  });

  test("by a rule leaves nothing open", async () => {
    const made = await fakePair({
      onToolApproval: "manual",
      toolPolicy: [
        {
          tool: "mcp_shell",
          when: () => {
            void turn.cancel();
            return true;
          },
          then: "ask",
        },
      ],
    });
    const turn = made.client.prompt("one");
    made.says(say.asks("c1"), say.pong);
    expect(turn.pending).toEqual([]);
    expect(made.sent).toEqual(CANCEL);
  });

  test("and closed by its status listener settles, and sends the denial before the Close", async () => {
    const made = await fakePair({ onToolApproval: "manual" });
    const turn = made.client.prompt("one");
    made.says(say.asks("c1"));
    turn.on("status", (status) => {
      if (status === "cancelling") void made.client.close();
    });
    void turn.cancel();
    expect((await turn.outcome).status).toBe("cancelled");
    expect(made.sent).toEqual([...CANCEL, ...FAREWELL]);
    await made.clock.advance(1_000);
    expect(made.clock.pending).toBe(0);
  });

  test("and closed by the approval's abort listener sends Cancel and denial before the Close", async () => {
    const made = await fakePair({
      onToolApproval: (_, { signal }) => {
        signal.addEventListener("abort", () => void made.client.close());
        return new Promise(() => {});
      },
    });
    const turn = made.client.prompt("one");
    made.says(say.asks("c1"));
    void turn.cancel();
    expect(made.sent).toEqual([...CANCEL, ...FAREWELL]);
    expect(made.socket.closes).toHaveLength(1);
    expect((await turn.outcome).status).toBe("cancelled");
  });

  test("by a close sends its Cancel before an abort listener can act", async () => {
    const made = await fakePair({
      onToolApproval: (_, { signal }) => {
        signal.addEventListener("abort", () => void made.client.close());
        return new Promise(() => {});
      },
    });
    const turn = made.client.prompt("one");
    made.says(say.asks("c1"));
    void made.client.close();
    expect(made.sent).toEqual(["SendMessage one", "Cancel", "ToolDecision c1 false", ...FAREWELL]);
    expect(await turn.outcome).toMatchObject({ status: "failed", error: { code: "closed" } });
  });
});

describe("a turn whose link is lost during its cancel", () => {
  test("settles if a `frame` listener ends the link", async () => {
    const made = await fakePair();
    const turn = made.client.prompt("one");
    made.client.on("frame", ({ text }) => {
      if (text.includes("Cancel")) made.socket.ends(1006);
    });
    void turn.cancel();
    expect((await turn.outcome).status).toBe("cancelled");
    expect(made.clock.pending).toBe(0);
  });

  test("settles if a status listener ends the link", async () => {
    const made = await fakePair();
    const turn = made.client.prompt("one");
    turn.on("status", (status) => {
      if (status === "cancelling") made.socket.ends(1006);
    });
    void turn.cancel();
    expect((await turn.outcome).status).toBe("cancelled");
  });
});

describe("a turn that fails", () => {
  test("sends a prompt from the approval's abort listener after the Pong", async () => {
    const made = await fakePair({
      onToolApproval: (_, { signal }) => {
        signal.addEventListener("abort", () => void made.client.prompt("two"));
        return new Promise(() => {});
      },
    });
    const turn = made.client.prompt("one");
    made.says(say.asks("c1"), say.error());
    expect(made.sent).toEqual(CANCEL);
    made.says(say.pong);
    expect(made.sent).toEqual([...CANCEL, "SendMessage two"]);
    expect(await turn.outcome).toMatchObject({ status: "failed", error: { code: "turn-failed" } });
  });

  test("with a fatal error refuses a prompt from its status listener", async () => {
    const made = await fakePair();
    const turn = made.client.prompt("one");
    const refused: unknown[] = [];
    turn.on("status", (status) => {
      if (status === "failed") refused.push(thrownBy(() => made.client.prompt("two")));
    });
    made.says(say.error("over", true));
    expect(made.sent).toEqual(["SendMessage one", ...FAREWELL]);
    expect(await turn.outcome).toMatchObject({ status: "failed", error: { fatal: true } });
    expect(refused).toMatchObject([{ code: "closed" }]);
    expect(made.client.status).toBe("closed");
  });

  test("stays failed if a `frame` listener cancels it, and sends one Cancel", async () => {
    const made = await fakePair();
    const turn = made.client.prompt("one");
    made.client.on("frame", ({ text }) => {
      if (text.includes("Cancel")) void turn.cancel();
    });
    made.says(say.error());
    expect(made.sent).toEqual(["SendMessage one", "Cancel", "Ping"]);
    made.says(say.pong);
    expect(await turn.outcome).toMatchObject({ status: "failed", error: { code: "turn-failed" } });
  });
});

describe("a listener that cancels the turn", () => {
  test("on several calls abandons all of them", async () => {
    const made = await fakePair();
    const turn = made.client.prompt("one");
    turn.on("toolCall", () => void turn.cancel());
    made.says(say.request(["c1", "c2", "c3"]), say.pong);
    expect(turn.toolCalls.map(({ state }) => state)).toEqual(["abandoned", "abandoned", "abandoned"]);
  });

  test("on an approval abandons the call, which does not run", async () => {
    const made = await fakePair({ onToolApproval: "manual" });
    const turn = made.client.prompt("one");
    made.says(say.asks("c1"));
    turn.on("toolCall", ({ state }) => {
      if (state === "approved") void turn.cancel();
    });
    made.client.decide("c1", true);
    made.says(say.pong);
    expect(made.sent).toEqual(["SendMessage one", "ToolDecision c1 true", "Cancel", "Ping"]);
    expect(turn.toolCalls).toMatchObject([{ state: "abandoned" }]);
  });

  test("on the frame of a decision abandons the call, which is decided once", async () => {
    const made = await fakePair({ onToolApproval: "manual" });
    const turn = made.client.prompt("one");
    made.says(say.asks("c1"));
    made.client.on("frame", ({ text }) => {
      if (text.includes("ToolDecision")) void turn.cancel();
    });
    made.client.decide("c1", true);
    made.says(say.pong);
    expect(made.sent).toEqual(["SendMessage one", "ToolDecision c1 true", "Cancel", "Ping"]);
    expect(turn.toolCalls).toMatchObject([{ state: "abandoned" }]);
  });

  test("on the turn's end comes too late: the turn completes, and its usage is counted once", async () => {
    const made = await fakePair();
    const turn = made.client.prompt("one");
    const events: CodeyEvent[] = [];
    turn.on("event", (event) => {
      events.push(event);
      void turn.cancel();
    });
    made.says(say.finished(10), say.pong);
    expect(await turn.outcome).toMatchObject({
      status: "completed",
      result: { usage: { outputTokens: 10 } },
    });
    expect(events).toHaveLength(1);
    expect(made.sent).toEqual(["SendMessage one"]);
    const next = made.client.prompt("two");
    made.says(say.finished(15));
    const { usage } = await next.result;
    expect(usage).toMatchObject({ outputTokens: 5 });
    expect(usage?.inexact).toBeUndefined();
  });

  test("on an approval request prevents the callback", async () => {
    let asked = 0;
    const made = await fakePair({
      onToolApproval: () => {
        asked++;
        return true;
      },
    });
    const turn = made.client.prompt("one");
    turn.on("event", () => void turn.cancel());
    made.says(say.asks("c1"), say.pong);
    await made.settle();
    expect(asked).toBe(0);
    expect(made.sent).toEqual(CANCEL);
  });

  test("on a warning suppresses the event, and abandons a call that started despite its denial", async () => {
    const made = await fakePair();
    const turn = made.client.prompt("one");
    const events: CodeyEvent[] = [];
    made.says(say.asks("c1"));
    turn.on("event", (event) => void events.push(event));
    made.client.on("protocolWarning", () => void turn.cancel());
    made.says(say.started("c1"), say.pong);
    expect(turn.status).toBe("cancelled");
    expect(events).toEqual([]);
    expect(turn.toolCalls).toMatchObject([{ state: "abandoned" }]);
  });
});

test("a prompt from a `sessionStarted` listener is sent to the new session", async () => {
  const made = await fakePair({ reconnect: {} });
  const early: (readonly string[])[] = [];
  made.client.on("sessionStarted", () => {
    made.client.prompt("early");
    early.push(made.sent);
  });
  made.socket.ends(1006);
  await made.settle();
  await made.clock.advance(500);
  await made.greet("session-2");
  expect(early).toEqual([["SendMessage early"]]);
  expect(made.sent).toEqual(["SendMessage early"]);
});

test("a turn that is cancelled in the queue is not sent, but a prompt from its listener is", async () => {
  const made = await fakePair();
  const [first, second] = [made.client.prompt("one"), made.client.prompt("two")];
  second.on("status", (status) => {
    if (status === "cancelling") made.client.prompt("three");
  });
  first.on("status", (status) => {
    if (status === "cancelling") void second.cancel();
  });
  void first.cancel();
  made.says(say.pong);
  expect(made.sent).toEqual(["SendMessage one", "Cancel", "Ping", "SendMessage three"]);
  expect(await second.outcome).toMatchObject({ status: "cancelled", partial: { text: "" } });
});

test("an approval that the server decides itself is no longer open when its call's listener runs", async () => {
  const made = await fakePair({ onToolApproval: "manual" });
  const turn = made.client.prompt("one");
  made.says(say.asks("c1"));
  const open: number[] = [];
  turn.on("toolCall", () => void open.push(turn.pending.length));
  made.says(say.started("c1"));
  expect(open).toEqual([0]);
  expect(made.client.decide("c1", true)).toMatchObject({ decision: "reject", by: "elsewhere" });
  expect(made.sent).toEqual(["SendMessage one"]);
});

describe.each(["frame", "message"] as const)("a prompt from a listener of `%s`", (name) => {
  test.each([say.text("a"), say.finished(), say.error(), say.asks("c1")])(
    "does not get the message of that listener: %o",
    async (message) => {
      const made = await fakePair();
      const turns: ReturnType<typeof made.client.prompt>[] = [];
      const off = made.client.on(name, () => {
        off();
        turns.push(made.client.prompt("one"));
      });
      made.says(message);
      expect(turns.map(({ status, text, toolCalls }) => ({ status, text, toolCalls }))).toEqual([
        { status: "sent", text: "", toolCalls: [] },
      ]);
      made.says(say.text("b"), say.finished());
      expect((await turns[0]?.result)?.text).toBe("b");
    },
  );
});
