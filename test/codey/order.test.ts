import type { CodeyClient, CodeyClientOptions } from "agentwire/codey";
import { describe, expect, test } from "vitest";
import { changed } from "../helpers/changed.ts";
import type { CodeyTurn } from "../helpers/codey.ts";
import { FakePair, fakePair, say } from "../helpers/codey-fake.ts";

// The order in which users are told, where the suite of all clients cannot see it: approvals, what is on the wire by then, and
// questions to the caller.

const CANCEL = ["Cancel", "ToolDecision c1 false"];

/** Whatever a client and a turn of it tell from now on, in short. */
function transcript(client: CodeyClient, turn: CodeyTurn, log: string[] = []): readonly string[] {
  client.on("frame", ({ direction, text }) => log.push(`${direction} ${JSON.parse(text).type}`));
  client.on("message", () => log.push("message"));
  client.on("status", (status) => log.push(`client ${status}`));
  client.on("sessionStarted", () => log.push("sessionStarted"));
  client.on("event", ({ type }) => log.push(`client event ${type}`));
  client.on("approval", ({ id }) => log.push(`client approval ${id}`));
  turn.on("status", (status) => log.push(`turn ${status}`));
  turn.on("event", ({ type }) => log.push(`turn event ${type}`));
  turn.on("toolCall", ({ id, state }) => log.push(`${id} ${state}`));
  turn.on("approval", ({ id }) => log.push(`turn approval ${id}`));
  return log;
}

/** A turn whose call waits for a decision; nobody has been told of it who listens from now on. */
async function asking(options: Partial<CodeyClientOptions> = {}) {
  const made = await fakePair({ onToolApproval: "manual", ...options });
  const turn = made.client.prompt("one");
  made.says(say.request(["c1"]), say.asks("c1"));
  return { made, turn };
}

describe("a turn with an approval", () => {
  test("is told message by message: the call before its event, the approval behind it, the end last", async () => {
    const { made, turn, log } = await listening({ onToolApproval: "manual" });
    made.says(say.text("let me see"));
    expect(log.splice(0)).toEqual([
      "in TextDelta",
      "message",
      "turn streaming",
      "client event TextDelta",
      "turn event TextDelta",
    ]);
    made.says(say.asks("c1"));
    expect(log.splice(0)).toEqual([
      "in ToolAwaitingApproval",
      "message",
      "c1 awaiting",
      "client event ToolAwaitingApproval",
      "turn event ToolAwaitingApproval",
      "turn approval c1",
      "client approval c1",
    ]);
    made.client.reply("c1", true);
    expect(log.splice(0)).toEqual([
      "out ToolDecision",
      "c1 approved",
      "c1 running",
      "client event ToolStarted",
      "turn event ToolStarted",
    ]);
    made.says(say.started("c1"), say.completed("c1"), say.text("done"));
    expect(log.splice(0)).toEqual([
      "in ToolStarted",
      "message",
      "in ToolCompleted",
      "message",
      "c1 done",
      "client event ToolCompleted",
      "turn event ToolCompleted",
      "in TextDelta",
      "message",
      "client event TextDelta",
      "turn event TextDelta",
    ]);
    made.says(say.finished());
    expect(log).toEqual([
      "in Finished",
      "message",
      "client event Finished",
      "turn event Finished",
      "turn completed",
    ]);
    expect((await turn.outcome).status).toBe("completed");
  });

  test("is stopped in this order: Cancel, denial and Ping on the wire, its call, its end", async () => {
    const { made, turn, log } = await listening({ onToolApproval: "manual" });
    made.says(say.asks("c1"));
    log.length = 0;
    void turn.cancel();
    const frames = (): string[] => log.filter((word) => /^(out|in)/.test(word));
    const others = (): string[] => log.filter((word) => !/^(out|in|message)/.test(word));
    expect(frames()).toEqual(["out Cancel", "out ToolDecision", "out Ping"]);
    expect(others()).toEqual(["turn cancelling", "c1 abandoned"]);
    made.says(say.pong);
    expect(others()).toEqual(["turn cancelling", "c1 abandoned", "turn cancelled"]);
  });
});

/** A client whose every word is logged, and of a turn that was sent. */
async function listening(options: Partial<CodeyClientOptions> = {}) {
  const made = await fakePair(options);
  const turn = made.client.prompt("one");
  const log: string[] = [];
  transcript(made.client, turn, log);
  await made.settle();
  log.length = 0;
  return { made, turn, log };
}

describe("when it is told, it is on the wire:", () => {
  changed("socket writes precede whatever is told of them: `cancelling` was told before anything was sent")(
    "Cancel and denials, for a listener of `cancelling`",
    async () => {
      const { made, turn } = await asking();
      const sent: unknown[] = [];
      turn.on("status", (status) => {
        if (status === "cancelling") sent.push(made.sent.slice(1, 3));
      });
      void turn.cancel();
      expect(sent).toEqual([CANCEL]);
    },
  );

  test("the prompt, for a listener of `sent`, and each frame, for a listener of `frame`", async () => {
    const made = new FakePair();
    const turn = made.client.prompt("one");
    const seen: (readonly [string, string | undefined])[] = [];
    turn.on("status", (status) => {
      if (status === "sent") seen.push([status, made.sent.at(-1)]);
    });
    made.client.on("frame", ({ direction, text }) => {
      if (direction === "out") seen.push([JSON.parse(text).content, made.sent.at(-1)]);
    });
    await made.greet();
    expect(seen.sort()).toEqual([
      ["one", "SendMessage one"],
      ["sent", "SendMessage one"],
    ]);
  });

  changed("a session is begun to its end before it is told: `ready` was told before what waited was sent")(
    "what waited for a session, for a listener of `ready`",
    async () => {
      const made = new FakePair();
      made.client.prompt("one");
      const sent: unknown[] = [];
      made.client.on("status", (status) => {
        if (status === "ready") sent.push(made.sent);
      });
      await made.greet();
      expect(sent).toEqual([["SendMessage one"]]);
    },
  );

  test("a denial, for who hears of the approval's end by its signal", async () => {
    const sent: unknown[] = [];
    const { made, turn } = await asking({
      onToolApproval: (_, { signal }) => {
        signal.addEventListener("abort", () => sent.push(made.sent.slice(1, 3)));
        return new Promise(() => {});
      },
    });
    void turn.cancel();
    expect(sent).toEqual([CANCEL]);
  });

  test("the decision, right behind `reply()` in a listener", async () => {
    const { made } = await asking();
    const sent: unknown[] = [];
    const off = made.client.on("event", () => {
      off();
      made.client.reply("c1", true);
      sent.push(made.sent.at(-1));
    });
    made.says(say.text("thinking aloud"));
    expect(sent).toEqual(["ToolDecision c1 true"]);
  });

  test("the prompt, right behind `prompt()` in a listener, and before the next listener is told", async () => {
    const made = await fakePair();
    const turn = made.client.prompt("one");
    const sent: unknown[] = [];
    turn.on("status", (status) => {
      if (status !== "completed") return;
      made.client.prompt("two");
      sent.push(made.sent.at(-1));
    });
    turn.on("status", (status) => {
      if (status === "completed") sent.push(made.sent.at(-1));
    });
    await made.settle();
    made.says(say.finished());
    expect(sent).toEqual(["SendMessage two", "SendMessage two"]);
  });
});

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

  test("that a listener has replied to is not told to those behind it", async () => {
    expect(await toldBehind((made) => void made.client.reply("c1", true))).toEqual([]);
  });

  const notOpen =
    "an approval is over as soon as its turn is: those behind were told of one that nobody could decide";

  changed(notOpen)("of a turn that a listener has cancelled is not told to those behind it", async () => {
    expect(await toldBehind((_, turn) => void turn.cancel())).toEqual([]);
  });

  changed(notOpen)("of a client that a listener has closed is not told to those behind it", async () => {
    expect(await toldBehind((made) => void made.client.close())).toEqual([]);
  });

  test("of which a listener has replied shows each state of its call to all, in order", async () => {
    const made = await fakePair({ onToolApproval: "manual" });
    const turn = made.client.prompt("one");
    const [first, second]: [string[], string[]] = [[], []];
    turn.on("toolCall", ({ state }) => first.push(state));
    made.client.on("approval", ({ id }) => void made.client.reply(id, true));
    turn.on("toolCall", ({ state }) => second.push(state));
    await made.settle();
    made.says(say.request(["c1"]), say.asks("c1"));
    expect(first).toEqual(["requested", "awaiting", "approved", "running"]);
    expect(second).toEqual(first);
  });

  changed(
    "the gate is asked before anything is told, so that a listener may decide as soon as it hears of the call",
  )("can be replied to by who hears that its call waits, and is then told to nobody", async () => {
    const made = await fakePair({ onToolApproval: "manual" });
    const turn = made.client.prompt("one");
    const told: string[] = [];
    turn.on("toolCall", ({ id, state }) => {
      if (state === "awaiting") made.client.reply(id, true);
    });
    made.client.on("approval", ({ id }) => told.push(id));
    await made.settle();
    made.says(say.request(["c1"]), say.asks("c1"));
    expect(made.sent.at(-1)).toBe("ToolDecision c1 true");
    expect(told).toEqual([]);
  });

  changed(
    "each listener is told each state of a call: those behind one that replied were told the newest alone",
  )("that a listener decides while it hears of the call hides no state from those behind it", async () => {
    const { made, turn } = await asking();
    const behind: string[] = [];
    turn.on("toolCall", ({ state }) => {
      if (state === "approved") void turn.cancel();
    });
    turn.on("toolCall", ({ state }) => behind.push(state));
    made.client.reply("c1", true);
    expect(behind).toEqual(["approved", "running", "abandoned"]);
  });

  test("that is open is told once to who begins to listen, in a microtask, and not if it is decided by then", async () => {
    const { made, turn } = await asking();
    const told: string[] = [];
    turn.on("approval", ({ id }) => told.push(`turn ${id}`));
    made.client.on("approval", ({ id }) => told.push(`client ${id}`));
    expect(told).toEqual([]);
    await made.settle();
    expect(told).toEqual(["turn c1", "client c1"]);
    made.client.on("approval", () => told.push("late"));
    made.client.reply("c1", true);
    await made.settle();
    expect(told).toEqual(["turn c1", "client c1"]);
  });

  changed(
    "who begins to listen while it is told has it as what stands: the client's new listener was told that, and by the delivery under way",
  )("is told once to a listener that another one adds while it is told", async () => {
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

  test("whose time is over is denied on the wire before its signal tells", async () => {
    const seen: unknown[] = [];
    const { made, turn } = await asking({
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

  changed(
    "a signal's abort runs code of the user, and is told like everything else: it came while a listener ran",
  )("has its signal aborted behind what was to be told before, and not inside of a listener", async () => {
    const seen: string[] = [];
    const { made, turn } = await asking({
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
      made.client.reply("c1", true);
      seen.push("first");
    });
    made.client.on("message", () => seen.push("second"));
    made.says(say.retrying());
    expect(seen).toEqual(["first", "second", "abort"]);
  });
});

describe("who is asked", () => {
  test("for an approval is asked behind its listeners, and not when one of them has replied", async () => {
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
      if (id === "c1") made.client.reply(id, false);
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
      after: [...CANCEL, "Ping"],
    },
    { does: "loses the link", deed: (made: FakePair) => made.socket.ends(), after: [] },
    {
      does: "replies",
      deed: (made: FakePair) => void made.client.reply("c1", false),
      after: ["ToolDecision c1 false"],
    },
  ];

  test.each(deeds)("for an approval and $does has answered too late", async ({ deed, after }) => {
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
    "for a rule and $does has answered too late",
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

  test("for a rule may prompt: it is sent in its turn", async () => {
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
