import { toUniversal } from "agentwire/acp";
import { checkTranscript, type UniversalEvent } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { type AgentTurn, END, OPTIONS, world } from "./support/agent.ts";

const CALL = {
  toolCallId: "c1",
  title: "Run it",
  kind: "execute",
  status: "pending",
  rawInput: { command: "rm x" },
};

/** Asks once, says the outcome, and ends. */
const asks =
  (call: object = CALL, options: readonly object[] = OPTIONS) =>
  async ({ permission, say, update }: AgentTurn) => {
    const outcome = await permission(call, options);
    say(JSON.stringify(outcome));
    const { toolCallId } = call as { toolCallId: string };
    if (outcome.outcome === "selected" && outcome.optionId === "x2")
      update({ sessionUpdate: "tool_call_update", toolCallId, status: "completed", rawOutput: "done" });
    return END;
  };

const said = (optionId: string): string => JSON.stringify({ outcome: "selected", optionId });

async function transcriptOf(stream: AsyncIterable<UniversalEvent>): Promise<readonly UniversalEvent[]> {
  const events: UniversalEvent[] = [];
  for await (const event of stream) events.push(event);
  expect(checkTranscript(events)).toEqual([]);
  return events;
}

describe("a permission request", () => {
  test("is denied if nobody can be asked", async () => {
    await using w = world(asks());
    const { text, toolCalls } = await w.client.prompt("go").result;
    expect(text).toBe(said("x3"));
    expect(toolCalls).toMatchObject([{ name: "execute", input: { command: "rm x" }, state: "denied" }]);
    expect(w.warnings).toEqual(["tool-denied"]);
  });

  test.each([
    ["once", "once", "x2", "done"],
    ["always", "always", "x2", "done"],
    ["reject", "reject", "x3", "denied"],
    ["true", true, "x2", "done"],
  ] as const)("is answered by the kind of its options: %s", async (_, decision, option, state) => {
    await using w = world(asks(), { onToolApproval: () => decision });
    const turn = w.client.prompt("go");
    const events = transcriptOf(toUniversal(turn));
    const { text, toolCalls } = await turn.result;
    expect(text).toBe(said(option));
    expect(toolCalls[0]?.state).toBe(state);
    const types = (await events).map(({ type }) => type);
    expect(types.indexOf("permission.requested")).toBeLessThan(types.indexOf("permission.resolved"));
  });

  test('takes the agent\'s own `always` only with `always: "agent"`', async () => {
    await using w = world(asks(), { onToolApproval: () => "always", always: "agent" });
    expect((await w.client.prompt("go").result).text).toBe(said("x1"));
  });

  test("is allowed without asking after `always`, for the same input alone", async () => {
    let asked = 0;
    const inputs = ["rm x", "rm x", "rm y"];
    let at = 0;
    await using w = world(
      async (turn) => asks({ ...CALL, toolCallId: `c${at}`, rawInput: { command: inputs[at++] } })(turn),
      {
        onToolApproval: () => {
          asked++;
          return "always";
        },
      },
    );
    const conversation = w.client.conversation();
    for (const _ of inputs) await conversation.prompt("go").result;
    expect(asked).toBe(2);
    expect(w.client.grants).toHaveLength(2);
  });

  test("without an input gets no grant", async () => {
    await using w = world(asks({ toolCallId: "c1", title: "Something" }), { onToolApproval: () => "always" });
    await w.client.prompt("go").result;
    expect(w.client.grants).toEqual([]);
  });

  test("without a fitting option is cancelled, with a warning", async () => {
    const only = [{ optionId: "a", name: "Always", kind: "allow_always" }];
    await using w = world(asks(CALL, only), { onToolApproval: () => true });
    expect((await w.client.prompt("go").result).text).toBe('{"outcome":"cancelled"}');
    expect(w.warnings).toEqual(["no-such-option"]);
  });

  test("is rejected if the callback throws, and once", async () => {
    await using w = world(asks(), {
      onToolApproval: () => {
        throw new Error("no");
      },
    });
    expect((await w.client.prompt("go").result).text).toBe(said("x3"));
    expect(w.agent.heard.filter(({ result }) => result?.outcome)).toHaveLength(1);
  });

  test("is cancelled when nobody decides in time", async () => {
    await using w = world(asks(), { onToolApproval: "manual", approvalTimeout: 20 });
    expect((await w.client.prompt("go").result).text).toBe('{"outcome":"cancelled"}');
  });

  test("is decided by id from anywhere; a late decision does nothing", async () => {
    await using w = world(asks(), { onToolApproval: "manual" });
    const turn = w.client.prompt("go");
    turn.on("approval", ({ id }) => {
      w.client.decide(id, "reject");
      expect(w.client.decide(id, "once").decision).toBe("reject");
    });
    expect((await turn.result).text).toBe(said("x3"));
    expect(w.client.pending).toEqual([]);
  });

  test("shows the agent's diff as its claim", async () => {
    const call = {
      ...CALL,
      kind: "edit",
      content: [{ type: "diff", path: "/p/a.txt", oldText: "a\n", newText: "b\n" }],
    };
    await using w = world(asks(call), {
      onToolApproval: ({ preview }) => {
        expect(preview).toEqual([
          { path: "/p/a.txt", diff: "-a\n+b", by: "agent", old_text: "a\n", new_text: "b\n" },
        ]);
        return true;
      },
    });
    expect((await w.client.prompt("go").result).text).toBe(said("x2"));
  });

  test("for a call that was decided before is about a new call", async () => {
    await using w = world(
      async ({ permission }) => {
        await permission(CALL);
        await permission(CALL);
        return END;
      },
      { onToolApproval: () => true },
    );
    const { toolCalls } = await w.client.prompt("go").result;
    expect(toolCalls.map(({ id, state }) => [id, state])).toEqual([
      ["c1", "abandoned"],
      ["c1~2", "abandoned"],
    ]);
  });

  test("of a session without a turn is cancelled", async () => {
    await using w = world(() => END);
    const conversation = w.client.conversation();
    await conversation.prompt("go").result;
    const { result } = await w.agent.ask("session/request_permission", {
      sessionId: "s1",
      toolCall: CALL,
      options: OPTIONS,
    });
    expect(result).toEqual({ outcome: { outcome: "cancelled" } });
  });

  test("makes its call, and its output begins behind the answer (kimi)", async () => {
    await using w = world(
      async ({ update, permission }) => {
        const grows = (text: string, sessionUpdate: string) =>
          update({
            sessionUpdate,
            toolCallId: "k1",
            status: "in_progress",
            title: "Shell",
            content: [{ type: "content", content: { type: "text", text } }],
          });
        grows("", "tool_call");
        grows('{"command"', "tool_call_update");
        grows('{"command":"ls"}', "tool_call_update");
        await permission({ toolCallId: "k1", title: "Shell: ls" });
        update({
          sessionUpdate: "tool_call_update",
          toolCallId: "k1",
          status: "completed",
          content: [{ type: "content", content: { type: "text", text: "a.txt" } }],
        });
        return END;
      },
      { onToolApproval: () => true },
    );
    const turn = w.client.prompt("go");
    const events = transcriptOf(toUniversal(turn));
    const { toolCalls } = await turn.result;
    expect(toolCalls).toMatchObject([
      {
        id: "k1",
        state: "done",
        output: "a.txt",
        input: { title: "Shell: ls", content: '{"command":"ls"}' },
      },
    ]);
    const types = (await events).map((event) =>
      event.type.startsWith("item.") && "item" in event.data
        ? `${event.type} ${event.data.item.kind}`
        : event.type,
    );
    expect(types.indexOf("permission.resolved")).toBeLessThan(types.indexOf("item.started tool_result"));
    expect(types.filter((type) => type === "item.started tool_call")).toHaveLength(1);
  });
});
