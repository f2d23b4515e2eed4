import { codeyStep } from "agentwire/testing";
import { expect, test, vi } from "vitest";
import { LiveTurn } from "../../src/core/turn/live-turn.ts";
import { codeyPair, gate, once } from "../helpers/codey.ts";
import { deepened, LEVELS } from "../helpers/deep.ts";
import { failureOf } from "../helpers/turns.ts";

const CALL = { call_id: "c", name: "mcp_shell", params: { a: [1] }, background: false };

/** Every message of a server. */
const MESSAGES: readonly { readonly type: string; readonly [field: string]: unknown }[] = [
  { type: "Connected", session_id: "s" },
  { type: "TextDelta", agent_id: 0, content: "more" },
  { type: "ThinkingDelta", agent_id: 0, content: "hm" },
  { type: "ToolRequest", agent_id: 0, calls: [CALL] },
  { type: "ToolAwaitingApproval", agent_id: 0, ...CALL },
  { type: "ToolStarted", agent_id: 0, call_id: "c", name: "n" },
  { type: "ToolDelta", agent_id: 0, call_id: "c", content: "o" },
  { type: "ToolCompleted", agent_id: 0, call_id: "c", content: "o" },
  { type: "ToolError", agent_id: 0, call_id: "c", error: "e" },
  {
    type: "Finished",
    agent_id: 0,
    usage: { output_tokens: 1, context_tokens: 1, cache_creation_tokens: 1, cache_read_tokens: 1 },
  },
  { type: "Retrying", agent_id: 0, attempt: 1, error: "e" },
  { type: "History", messages: [{ role: "user", content: "c", timestamp: "t" }] },
  {
    type: "State",
    agents: [{ id: 0, name: "n", is_streaming: true }],
    pending_approvals: [{ agent_id: 0, ...CALL }],
  },
  { type: "Pong" },
  { type: "Error", message: "m", fatal: false },
  { type: "Unheard", data: { a: 1 } },
];

for (const levels of LEVELS) {
  test.each(MESSAGES)(
    `$type, with any field nested ${levels} levels deep: the client survives, and the turn settles`,
    async (message) => {
      let opened = gate();
      await using pair = await codeyPair({
        mock: {
          answer: async function* () {
            yield "part";
            await opened.passed;
            yield " and rest";
          },
        },
      });
      const { client, server } = pair;
      for (const [field, frame] of deepened(message, levels)) {
        opened = gate();
        const turn = client.prompt("hello");
        const warned = once(client, "protocolWarning");
        await once(client, "event");
        server.connections.at(-1)?.send(frame);
        expect(await warned, field).toMatchObject({
          kind: "frame-failed",
          message: expect.stringContaining("nested deeper"),
        });
        opened.open();
        const isEnd = ["Finished", "Error"].includes(message.type) && !["type", "agent_id"].includes(field);
        if (isEnd)
          expect(await failureOf(turn), field).toMatchObject({ code: "turn-failed", kind: "unreadable" });
        else expect((await turn.result).text, field).toBe("part and rest");
      }
      expect((await client.prompt("again").result).text).toBe("part and rest");
      expect(server.connections).toHaveLength(1);
    },
  );
}

test("an approval request that is nested too deeply is denied, because the server waits", async () => {
  await using pair = await codeyPair({
    mock: { answer: () => ["part", codeyStep.hang()] },
    client: { onToolApproval: () => true },
  });
  const { client, server } = pair;
  client.prompt("hello");
  await once(client, "event");
  const asks = { type: "ToolAwaitingApproval", agent_id: 0, ...CALL };
  server.connections.at(-1)?.send(deepened(asks, 6_000).get("params") ?? "");
  const denial = '{"type":"ToolDecision","call_id":"c","approved":false}';
  await server.waitFor(({ frames }) => frames.some(({ raw }) => raw === denial));
});

test("an Error that is nested too deeply ends the turn, whatever agent it names", async () => {
  await using pair = await codeyPair({ mock: { answer: () => ["part", codeyStep.hang()] } });
  const { client, server } = pair;
  const turn = client.prompt("hello");
  await once(client, "event");
  const error = { type: "Error", message: "m", fatal: false, agent_id: 7 };
  server.connections.at(-1)?.send(deepened(error, 6_000).get("message") ?? "");
  expect(await failureOf(turn)).toMatchObject({ code: "turn-failed", kind: "unreadable" });
});

test.each(["complete", "push"] as const)(
  "a turn that throws inside `%s` fails, and the next turn runs",
  async (method) => {
    await using pair = await codeyPair({ mock: { answer: () => ["answer"] } });
    const { client } = pair;
    using spy = vi.spyOn(LiveTurn.prototype, method).mockImplementationOnce(() => {
      throw new RangeError("Maximum call stack size exceeded");
    });
    const warned = once(client, "protocolWarning");
    expect(await failureOf(client.prompt("hello"))).toMatchObject({
      code: "turn-failed",
      kind: "unreadable",
    });
    expect(await warned).toMatchObject({ kind: "frame-failed", cause: expect.any(RangeError) });
    expect(spy).toHaveBeenCalled();
    expect((await client.prompt("again").result).text).toBe("answer");
  },
);
