import { isAgentwireError } from "agentwire/acp";
import { describe, expect, test } from "vitest";
import { type AgentTurn, END, world } from "./support/agent.ts";

const CANCELLED = { stopReason: "cancelled" };

/** An agent that says something, and ends when it is cancelled. */
const streams = async ({ say, cancelled }: AgentTurn) => {
  say("half");
  await cancelled;
  return CANCELLED;
};

const firstEvent = async (turn: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of turn) return;
};

describe("a cancel", () => {
  test("reaches the agent, and the turn ends with its answer", async () => {
    await using w = world(streams);
    const turn = w.client.prompt("go");
    await firstEvent(turn); // leaving the loop cancels
    const outcome = await turn.outcome;
    expect(outcome).toMatchObject({
      status: "cancelled",
      by: "user",
      partial: { text: "half", endedBy: CANCELLED },
    });
    expect(w.agent.methods()).toContain("session/cancel");
  });

  test("before the prompt is sent sends nothing", async () => {
    await using w = world(() => END);
    const turn = w.client.prompt("go");
    expect(await turn.cancel()).toMatchObject({ status: "cancelled" });
    await w.client.connect();
    expect(w.agent.methods()).not.toContain("session/prompt");
  });

  test("answers an open permission, after it was sent", async () => {
    await using w = world(
      async ({ permission }) => {
        await permission({ toolCallId: "c1", title: "x" }); // hangs for ever without an answer, like gemini
        return CANCELLED;
      },
      { onToolApproval: "manual" },
    );
    const turn = w.client.prompt("go");
    turn.on("approval", () => void turn.cancel());
    expect(await turn.outcome).toMatchObject({ status: "cancelled" });
    const lines = w.agent.heard.map(({ method, result }) => method ?? JSON.stringify(result));
    expect(lines.slice(-2)).toEqual(["session/cancel", '{"outcome":{"outcome":"cancelled"}}']);
    expect(turn.toolCalls).toMatchObject([{ state: "denied" }]);
    expect(w.client.pending).toEqual([]);
  });

  test("answers an open question", async () => {
    const form = { type: "object", properties: { a: { type: "string" } } };
    let answer: unknown;
    await using w = world(
      async ({ agent, sessionId }) => {
        answer = (
          await agent.ask("elicitation/create", {
            sessionId,
            mode: "form",
            message: "?",
            requestedSchema: form,
          })
        ).result;
        return CANCELLED;
      },
      { onQuestion: "manual" },
    );
    const turn = w.client.prompt("go");
    turn.on("question", () => void turn.cancel());
    await turn.outcome;
    expect(answer).toEqual({ action: "cancel" });
  });

  test("ends calls that run as abandoned, whatever the agent says of them", async () => {
    await using w = world(async ({ update, cancelled }) => {
      update({
        sessionUpdate: "tool_call",
        toolCallId: "a",
        title: "x",
        status: "pending",
        rawInput: { a: 1 },
      });
      update({
        sessionUpdate: "tool_call",
        toolCallId: "b",
        title: "y",
        status: "pending",
        rawInput: { a: 1 },
      });
      await cancelled;
      update({ sessionUpdate: "tool_call_update", toolCallId: "a", status: "completed", rawOutput: "late" });
      return CANCELLED;
    });
    const turn = w.client.prompt("go");
    await firstEvent(turn);
    await turn.outcome;
    expect(turn.toolCalls).toMatchObject([
      { id: "a", state: "abandoned", output: "late" },
      { id: "b", state: "abandoned" },
    ]);
  });

  test("that the agent ignores ends the agent, and the next prompt starts another", async () => {
    await using w = world(
      async ({ text, say, agent }) => {
        if (text === "hang") return new Promise(() => {});
        say(`start ${agent.starts}`);
        return END;
      },
      { cancelTimeout: 20 },
    );
    const turn = w.client.prompt("hang");
    turn.on("status", (status) => {
      if (status === "sent") void turn.cancel();
    });
    expect(await turn.outcome).toMatchObject({ status: "cancelled" });
    expect((await w.client.prompt("again").result).text).toBe("start 2");
  });

  test("that the agent answers with an error is a cancel", async () => {
    await using w = world(async ({ say, cancelled }) => {
      say("x");
      await cancelled;
      throw Object.assign(new Error("aborted"), { code: -32800 });
    });
    const turn = w.client.prompt("go");
    await firstEvent(turn);
    expect(await turn.outcome).toMatchObject({ status: "cancelled" });
  });

  test("by the agent completes the turn with its reason", async () => {
    await using w = world(() => CANCELLED);
    expect((await w.client.prompt("go").result).stopReason).toBe("cancelled");
  });

  test("is followed by the next prompt of the session", async () => {
    await using w = world((turn) => (turn.text === "one" ? streams(turn) : END));
    const conversation = w.client.conversation();
    const one = conversation.prompt("one");
    const two = conversation.prompt("two");
    await firstEvent(one);
    await two.result;
    const order = w.agent.heard.flatMap(({ method, params }) =>
      method === "session/prompt" ? [params.prompt[0].text] : method === "session/cancel" ? ["cancel"] : [],
    );
    expect(order).toEqual(["one", "cancel", "two"]);
  });
});

describe("two prompts of one session", () => {
  test("are never on the wire together, also from two conversations", async () => {
    let running = 0;
    let most = 0;
    await using w = world(async ({ say }) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      say("x");
      running--;
      return END;
    });
    const one = w.client.conversation();
    await one.prompt("first").result;
    const other = w.client.conversation({ from: one.state });
    await Promise.all([one.prompt("a").result, other.prompt("b").result, one.prompt("c").result]);
    expect(most).toBe(1);
    expect(w.agent.methods().filter((method) => method === "session/new")).toHaveLength(1);
  });

  test("of two sessions run at once, on one process", async () => {
    let both: () => void = () => {};
    const meet = new Promise<void>((resolve) => {
      both = resolve;
    });
    let count = 0;
    await using w = world(async () => {
      if (++count === 2) both();
      await meet;
      return END;
    });
    await Promise.all([w.client.prompt("a").result, w.client.prompt("b").result]);
    expect(w.agent.starts).toBe(1);
  });
});

describe("a lost agent", () => {
  test("fails the turn as `connection-lost`, and its delivery is unknown", async () => {
    await using w = world(({ say, agent }) => {
      say("half");
      setImmediate(() => agent.end());
      return undefined;
    });
    const turn = w.client.prompt("go");
    const outcome = await turn.outcome;
    expect(outcome).toMatchObject({
      status: "failed",
      error: { code: "connection-lost", delivery: "unknown" },
      partial: { text: "half" },
    });
  });

  test("withdraws what it asked", async () => {
    await using w = world(
      ({ permission, agent }) => {
        void permission({ toolCallId: "c", title: "x" });
        setImmediate(() => agent.end());
        return undefined;
      },
      { onToolApproval: "manual" },
    );
    const settled: unknown[] = [];
    w.client.on("settled", (request) => settled.push(request.type === "approval" ? request.ruling.by : ""));
    await w.client.prompt("go").outcome;
    expect(settled).toEqual(["disconnected"]);
    expect(w.client.pending).toEqual([]);
  });

  test.each([
    ["resumes", { sessionCapabilities: { resume: {} } }, "session/resume"],
    ["loads", { loadSession: true }, "session/load"],
  ])("is started again by the next prompt, which %s the session", async (_, capabilities, method) => {
    await using w = world({
      capabilities,
      script: ({ text, agent, say }) => {
        if (text === "die") {
          agent.end();
          return undefined;
        }
        say(text);
        return END;
      },
    });
    const conversation = w.client.conversation();
    await conversation.prompt("one").result;
    await conversation.prompt("die").outcome;
    expect((await conversation.prompt("two").result).text).toBe("two");
    expect(w.agent.starts).toBe(2);
    expect(w.agent.methods()).toContain(method);
    expect(w.client.capabilities.survivesReconnect).toBe(true);
  });

  test("that cannot continue a session fails the prompt as `context-lost`, before it is sent", async () => {
    await using w = world(({ text, agent }) => {
      if (text === "die") agent.end();
      return text === "die" ? undefined : END;
    });
    const conversation = w.client.conversation();
    await conversation.prompt("one").result;
    await conversation.prompt("die").outcome;
    const outcome = await conversation.prompt("two").outcome;
    expect(outcome).toMatchObject({
      status: "failed",
      error: { code: "context-lost", delivery: "not-sent", input: "two" },
    });
  });

  test("is not started again for the same prompt", async () => {
    await using w = world(({ agent }) => {
      agent.end();
      return undefined;
    });
    await w.client.prompt("go").outcome;
    expect(w.agent.starts).toBe(1);
  });
});

describe("close()", () => {
  test("cancels what runs, closes the sessions, and ends the stream", async () => {
    const w = world({ script: streams, capabilities: { sessionCapabilities: { close: {} } } });
    const turn = w.client.prompt("go");
    turn.on("event", () => void w.client.close());
    const outcome = await turn.outcome;
    await w.client.close();
    expect(outcome).toMatchObject({ status: "failed", error: { code: "closed" } });
    expect(w.agent.isClosed).toBe(true);
    expect(w.agent.methods().slice(-2)).toEqual(["session/cancel", "session/close"]);
    expect(w.client.status).toBe("closed");
  });

  test("while the agent starts hands the prompt back", async () => {
    const w = world({ answers: { initialize: () => undefined } });
    const turn = w.client.prompt("go");
    await w.client.close({ force: true });
    const outcome = await turn.outcome;
    expect(
      outcome.status === "failed" && isAgentwireError(outcome.error, "closed") && outcome.error.input,
    ).toBe("go");
  });
});
