import { createChat } from "agentwire/chat";
import { codey } from "agentwire/codey";
import { agentStep, codeyStep, codeyTool, MockAgent, MockCodeyServer } from "agentwire/testing";
import type { UniversalEvent } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { until } from "../../examples/support/until.ts";
import { allOf } from "../universal/all-of.ts";
import { goldenOptions } from "../universal/golden-options.ts";

// What users of other libraries ask for in public: section 10.1 of the document on universal events.

const ASKS = () => [...agentStep.tool({ name: "rm", id: "call_1", approval: true, output: "gone" }), "Done."];

describe("a feature that users of other libraries ask for", () => {
  test("replay with approvals: a reader continues after its last event, and open requests stay pending", async () => {
    const agent = new MockAgent({ script: ASKS });
    const client = agent.client();
    const stream = agent.toUniversal(client.prompt("go", { read: false }));
    let seen = 0;
    for await (const { type, sequence } of stream) {
      seen = sequence;
      if (type === "permission.requested") break;
    }
    expect(client.pending.map(({ id }) => id)).toEqual(["call_1"]);
    client.decide("call_1", "once");
    const later = await allOf(stream.events({ after: seen }));
    expect(later[0]).toMatchObject({
      sequence: seen + 1,
      type: "permission.resolved",
      data: { status: "accept" },
    });
    expect(later.at(-1)?.type).toBe("turn.ended");
    await client.close();
  });

  test("approvals and a lost connection: each request ends once, and a late decision does nothing", async () => {
    const agent = new MockAgent({ script: ASKS });
    const chat = createChat(agent);
    chat.send("go");
    await until(chat, ({ pending }) => pending.length === 1);
    agent.disconnect();
    await until(chat, ({ busy, connection }) => !busy && connection.status === "ready");
    expect(chat.getSnapshot().pending).toEqual([]);
    expect(chat.decide("call_1", "once")).toEqual({ ok: true });
    expect(agent.decisions).toMatchObject([{ id: "call_1", by: "disconnected" }]);
    const [part] = chat.getSnapshot().messages.at(-1)?.parts ?? [];
    expect(part).toMatchObject({
      type: "tool",
      state: "denied",
      approval: { status: "reject", reason: "disconnected" },
    });
    await chat.close();
  });

  test("no approval handler: the call is denied at once, and the turn completes", async () => {
    await using server = await MockCodeyServer.start({
      answer: () => [codeyStep.calls(codeyTool.shell("ls", "a.txt\n")), "As you like."],
    });
    const chat = createChat(codey({ url: server.url }));
    chat.send("go");
    await until(chat, ({ messages }) => messages.at(-1)?.status === "completed");
    const [call] = chat.getSnapshot().messages.at(-1)?.parts ?? [];
    expect(call).toMatchObject({ type: "tool", state: "denied", approval: { reason: "policy" } });
    await chat.close();
  });

  test("deterministic fakes: the same script gives the same events", async () => {
    const play = async (): Promise<readonly UniversalEvent[]> => {
      const agent = new MockAgent({ script: ["One two three."], deltas: 2 });
      const client = agent.client();
      const events = await allOf(agent.toUniversal(client.prompt("go", { read: false }), goldenOptions()));
      await client.close();
      return events;
    };
    expect(await play()).toEqual(await play());
  });
});
