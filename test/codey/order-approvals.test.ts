import { describe, expect, test } from "vitest";
import { type CodeyTurn, FAREWELL } from "../helpers/codey.ts";
import { askingPair, type FakePair, fakePair, say } from "../helpers/codey-fake.ts";

// Approvals: who is told of them, in which order, and what becomes of them when somebody acts who is told, or asked.

const CANCEL = ["Cancel", "ToolDecision c1 false"];

describe("an approval", () => {
  /** Who listens behind one that does `deed`, and is told of the approval all the same. */
  const toldBehind = async (deed: (made: FakePair, turn: CodeyTurn) => void): Promise<readonly string[]> => {
    const made = await fakePair({ onToolApproval: "manual" });
    const turn = made.client.prompt("one");
    const behind: string[] = [];
    turn.on("approval", () => deed(made, turn));
    turn.on("approval", () => behind.push("turn"));
    made.client.on("approval", () => behind.push("client"));
    await made.settle();
    made.says(say.request(["c1"]), say.asks("c1"));
    return behind;
  };

  test("is not emitted to further listeners once a listener has decided it", async () => {
    expect(await toldBehind((made) => void made.client.decide("c1", true))).toEqual([]);
  });

  test("is not emitted to further listeners once a listener has cancelled its turn", async () => {
    expect(await toldBehind((_, turn) => void turn.cancel())).toEqual([]);
  });

  test("is not emitted to further listeners once a listener has closed the client", async () => {
    expect(await toldBehind((made) => void made.client.close())).toEqual([]);
  });

  test("that a listener decides still emits each state of its call to every listener, in order", async () => {
    const made = await fakePair({ onToolApproval: "manual" });
    const turn = made.client.prompt("one");
    const [first, second]: [string[], string[]] = [[], []];
    turn.on("toolCall", ({ state }) => first.push(state));
    made.client.on("approval", ({ id }) => void made.client.decide(id, true));
    turn.on("toolCall", ({ state }) => second.push(state));
    await made.settle();
    made.says(say.request(["c1"]), say.asks("c1"));
    expect(first).toEqual(["requested", "awaiting", "approved", "running"]);
    expect(second).toEqual(first);
  });

  // The gate is asked before anything is told.
  test("that a `toolCall` listener decides is not emitted", async () => {
    const made = await fakePair({ onToolApproval: "manual" });
    const turn = made.client.prompt("one");
    const told: string[] = [];
    turn.on("toolCall", ({ id, state }) => {
      if (state === "awaiting") made.client.decide(id, true);
    });
    made.client.on("approval", ({ id }) => told.push(id));
    await made.settle();
    made.says(say.request(["c1"]), say.asks("c1"));
    expect(made.sent.at(-1)).toBe("ToolDecision c1 true");
    expect(told).toEqual([]);
  });

  test("emits each state of its call to every listener, even if a listener cancels the turn", async () => {
    const { made, turn } = await askingPair();
    const behind: string[] = [];
    turn.on("toolCall", ({ state }) => {
      if (state === "approved") void turn.cancel();
    });
    turn.on("toolCall", ({ state }) => behind.push(state));
    made.client.decide("c1", true);
    expect(behind).toEqual(["approved", "running", "abandoned"]);
  });

  test("that is open is emitted once to a new listener, in a microtask, unless decided by then", async () => {
    const { made, turn } = await askingPair();
    const told: string[] = [];
    turn.on("approval", ({ id }) => told.push(`turn ${id}`));
    made.client.on("approval", ({ id }) => told.push(`client ${id}`));
    expect(told).toEqual([]);
    await made.settle();
    expect(told).toEqual(["turn c1", "client c1"]);
    made.client.on("approval", () => told.push("late"));
    made.client.decide("c1", true);
    await made.settle();
    expect(told).toEqual(["turn c1", "client c1"]);
  });

  // Who begins to listen while it is told has it as what stands.
  test("is emitted once to a listener that another listener adds meanwhile", async () => {
    const made = await fakePair({ onToolApproval: "manual" });
    const turn = made.client.prompt("one");
    const told: string[] = [];
    turn.on("approval", () => {
      turn.on("approval", ({ id }) => told.push(`turn ${id}`));
      made.client.on("approval", ({ id }) => told.push(`client ${id}`));
    });
    await made.settle();
    made.says(say.request(["c1"]), say.asks("c1"));
    await made.settle();
    expect(told.sort()).toEqual(["client c1", "turn c1"]);
  });

  test("that times out is denied on the wire before its signal aborts", async () => {
    const seen: unknown[] = [];
    const { made, turn } = await askingPair({
      approvalTimeout: 1_000,
      onToolApproval: (_, { signal }) => {
        signal.addEventListener("abort", () => seen.push("abort", made.sent.at(-1)));
        return new Promise(() => {});
      },
    });
    turn.on("toolCall", ({ state }) => seen.push(state));
    await made.clock.advance(1_000);
    expect(seen).toEqual(["denied", "abort", "ToolDecision c1 false"]);
  });

  // A signal's abort runs code of the user, and is told like everything else.
  test("aborts its signal after the listeners of the current event, not inside of one", async () => {
    const seen: string[] = [];
    const { made, turn } = await askingPair({
      onToolApproval: (_, { signal }) => {
        signal.addEventListener("abort", () => seen.push("abort"));
        return new Promise(() => {});
      },
    });
    turn.on("toolCall", ({ state }) => {
      if (state !== "running") return;
      made.client.on("frame", () => seen.push("frame"));
    });
    made.client.on("message", () => {
      made.client.decide("c1", true);
      seen.push("first");
    });
    made.client.on("message", () => seen.push("second"));
    made.says(say.retrying());
    expect(seen).toEqual(["first", "second", "abort"]);
  });
});

describe("a callback", () => {
  test("for an approval is called after the listeners, and not if a listener has decided", async () => {
    const seen: string[] = [];
    const made = await fakePair({
      onToolApproval: ({ id }) => {
        seen.push(`asked ${id}`);
        return true;
      },
    });
    const turn = made.client.prompt("one");
    turn.on("approval", ({ id }) => {
      seen.push(`told ${id}`);
      if (id === "c1") made.client.decide(id, false);
    });
    await made.settle();
    made.says(say.request(["c1", "c2"]), say.asks("c1"), say.asks("c2"));
    await made.settle();
    expect(seen).toEqual(["told c1", "told c2", "asked c2"]);
    expect(made.sent.slice(1)).toEqual(["ToolDecision c1 false", "ToolDecision c2 true"]);
  });

  /** What a callback may do before it returns. */
  const deeds = [
    {
      does: "cancels the turn",
      deed: (_: FakePair, turn: CodeyTurn) => void turn.cancel(),
      after: [...CANCEL, "Ping"],
    },
    {
      does: "closes the client",
      deed: (made: FakePair) => void made.client.close(),
      after: [...CANCEL, ...FAREWELL],
    },
    { does: "loses the link", deed: (made: FakePair) => made.socket.ends(), after: [] },
    {
      does: "replies",
      deed: (made: FakePair) => void made.client.decide("c1", false),
      after: ["ToolDecision c1 false"],
    },
  ];

  test.each(deeds)("for an approval that $does answers too late", async ({ deed, after }) => {
    const made: FakePair = await fakePair({
      onToolApproval: () => {
        deed(made, turn);
        return true;
      },
    });
    const turn = made.client.prompt("one");
    const states: string[] = [];
    turn.on("toolCall", ({ state }) => states.push(state));
    made.says(say.request(["c1"]), say.asks("c1"));
    await made.settle();
    expect(made.sent.slice(1)).toEqual(after);
    expect(states).not.toContain("approved");
    expect(turn.pending).toEqual([]);
  });

  test.each(deeds.filter(({ does }) => does !== "replies"))(
    "for a rule that $does answers too late",
    async ({ deed, after }) => {
      const when = (): boolean => {
        deed(made, turn);
        return true;
      };
      const made: FakePair = await fakePair({ toolPolicy: [{ tool: "mcp_shell", when, then: "allow" }] });
      const turn = made.client.prompt("one");
      made.says(say.request(["c1"]), say.asks("c1"));
      await made.settle();
      expect(made.sent.slice(1)).toEqual(after);
    },
  );

  test("for a rule may prompt, and the prompt waits for its turn", async () => {
    let second: CodeyTurn | undefined;
    const when = (): boolean => {
      second = made.client.prompt("two");
      return true;
    };
    const made: FakePair = await fakePair({ toolPolicy: [{ tool: "mcp_shell", when, then: "allow" }] });
    const first = made.client.prompt("one");
    made.says(say.request(["c1"]), say.asks("c1"), say.finished());
    expect(made.sent).toEqual(["SendMessage one", "ToolDecision c1 true", "SendMessage two"]);
    made.says(say.text("b"), say.finished());
    expect((await first.outcome).status).toBe("completed");
    expect((await second?.result)?.text).toBe("b");
  });
});
