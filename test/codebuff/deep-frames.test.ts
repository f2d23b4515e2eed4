import { expect, test, vi } from "vitest";
import { LiveTurn } from "../../src/core/turn/live-turn.ts";
import { gate, once } from "../helpers/codebuff.ts";
import { json, original } from "../helpers/codebuff-requests.ts";
import { deepened, LEVELS } from "../helpers/deep.ts";
import { eventsOf, failureOf } from "../helpers/turns.ts";

const MCP = { type: "stdio", command: "c", args: ["a"], env: { A: "b" } };

/** Every message of a server, as it names a prompt. */
const messagesFor = (id: string): Readonly<Record<string, object>> => ({
  ack: { type: "ack", txid: 1_000_000, success: false, error: "no" },
  "text chunk": { type: "response-chunk", userInputId: id, chunk: "more" },
  "object chunk": {
    type: "response-chunk",
    userInputId: id,
    chunk: { type: "tool_result", output: [{ value: 1 }] },
  },
  "chunk of a sub-agent": {
    type: "response-chunk",
    userInputId: `${id}-sub`,
    chunk: { type: "text", text: "a" },
  },
  "prompt-response": {
    type: "prompt-response",
    promptId: id,
    sessionState: { mainAgentState: { messageHistory: [{ role: "user" }] } },
    toolCalls: [{ toolName: "a", toolCallId: "b", input: { c: 1 } }],
    toolResults: [{ output: 1 }],
    output: { type: "lastMessage", value: [1] },
  },
  "prompt-error": { type: "prompt-error", userInputId: id, message: "m", error: "e", remainingBalance: 1 },
  "action-error": { type: "action-error", message: "m", error: "e", remainingBalance: 1 },
  "init-response": {
    type: "init-response",
    usage: 1,
    remainingBalance: 1,
    agentNames: { a: "b" },
    balanceBreakdown: { c: 1 },
  },
  "tool-call-request": {
    type: "tool-call-request",
    userInputId: id,
    requestId: "r1",
    toolName: "write",
    input: { path: "a", questions: [{ question: "q" }] },
    timeout: 1,
  },
  "MCP tool-call-request": {
    type: "tool-call-request",
    userInputId: id,
    requestId: "r2",
    toolName: "t",
    input: {},
    mcpConfig: MCP,
  },
  "read-files": { type: "read-files", requestId: "r3", filePaths: ["a"] },
  "request-mcp-tool-data": {
    type: "request-mcp-tool-data",
    requestId: "r4",
    mcpConfig: MCP,
    toolNames: ["a"],
  },
  "subagent-response-chunk": {
    type: "subagent-response-chunk",
    userInputId: id,
    agentId: "a",
    agentType: "t",
    chunk: "c",
  },
  "message-cost-response": { type: "message-cost-response", promptId: id, credits: 1, agentId: "a" },
  "handlesteps-log-chunk": {
    type: "handlesteps-log-chunk",
    userInputId: id,
    agentId: "a",
    level: "info",
    data: { a: 1 },
  },
  "usage-response": { type: "usage-response", usage: 1, remainingBalance: 1, balanceBreakdown: { a: 1 } },
  "request-reconnect": { type: "request-reconnect", reason: "r" },
  unknown: { type: "unheard", data: { a: 1 } },
});

const HANDLERS = {
  tools: { "*": () => json(1) },
  onReadFiles: () => ({ a: "text" }),
  onMcpToolCall: () => json(1),
  onMcpTools: () => [],
};

/** Without these the prompt has a hole, or no end. */
const ANSWERS = ["text chunk", "object chunk", "prompt-response", "prompt-error"];

for (const levels of LEVELS) {
  test.each(Object.keys(messagesFor("")))(
    `%s with any field nested ${levels} levels deep: the turn settles, and the client goes on`,
    async (name) => {
      let opened = gate();
      await using pair = await original(HANDLERS, async function* () {
        yield "part";
        await opened.passed;
        yield " and rest";
      });
      const { client, server } = pair;
      const message = messagesFor("@id@")[name] ?? {};
      const frame = name === "ack" ? message : { type: "action", data: message };
      for (const [field, text] of deepened(frame, levels)) {
        opened = gate();
        const turn = client.prompt("hello");
        const warned = once(client, "protocolWarning");
        await once(client, "event");
        server.connections.at(-1)?.send(text.replaceAll("@id@", turn.id));
        expect(await warned, field).toMatchObject({
          kind: "frame-failed",
          message: expect.stringMatching("nested deeper"),
        });
        opened.open();
        // What says whose part or end it is may itself be what is nested.
        const isKnown = !["type", "data", "data.type", "data.userInputId", "data.promptId"].includes(field);
        if (ANSWERS.includes(name) && isKnown)
          expect(await failureOf(turn), field).toMatchObject({
            code: "turn-failed",
            kind: expect.stringMatching(/unreadable-(chunk|response)/),
          });
        else expect((await turn.result).text, field).toBe("part and rest");
      }
      expect((await client.prompt("again").result).text).toBe("part and rest");
      expect(server.connections).toHaveLength(1);
    },
  );
}

test("a request nested too deeply is answered with a refusal, even without a handler", async () => {
  for (const handlers of [HANDLERS, {}]) {
    const asked = gate();
    await using pair = await original(handlers, async function* () {
      yield "part";
      await asked.passed;
    });
    const { client, server } = pair;
    const turn = client.prompt("hello");
    await once(client, "event");
    for (const [id, name] of [
      ["r1", "tool-call-request"],
      ["r2", "MCP tool-call-request"],
      ["r3", "read-files"],
      ["r4", "request-mcp-tool-data"],
    ] as const) {
      const data = { ...messagesFor(turn.id)[name] };
      const frame = deepened({ type: "action", data }, 6_000).get("an unknown field") ?? "";
      server.connections.at(-1)?.send(frame);
      await server.waitFor(({ frames }) =>
        frames.some(({ direction, raw }) => direction === "c2s" && raw.includes(`"requestId":"${id}"`)),
      );
    }
    asked.open();
    await turn.result;
  }
});

test("a turn fails if its completion throws, and the next turn runs", async () => {
  await using pair = await original({}, () => ["answer"]);
  const { client } = pair;
  using complete = vi.spyOn(LiveTurn.prototype, "complete").mockImplementationOnce(() => {
    throw new RangeError("Maximum call stack size exceeded");
  });
  const warned = once(client, "protocolWarning");
  const turn = client.prompt("hello");
  const events = eventsOf(turn);
  expect(await failureOf(turn)).toMatchObject({
    code: "turn-failed",
    kind: "unreadable-response",
    partial: { text: "answer" },
  });
  expect(await warned).toMatchObject({ kind: "frame-failed", cause: expect.any(RangeError) });
  expect(complete).toHaveBeenCalledTimes(1);
  expect(events.length).toBeGreaterThan(0);
  expect((await client.prompt("again").result).text).toBe("answer");
});

test("a prompt-response that cannot be handled does not block a requested reconnect", async () => {
  const more = gate();
  await using pair = await original({ keepalive: false }, async function* ({ data }) {
    yield "part";
    if (data.prompt === "first") await more.passed;
  });
  const { client, server } = pair;
  const first = client.prompt("first");
  await once(client, "event");
  const asked = once(client, "reconnectRequested");
  server.connections[0]?.send('{"type":"action","data":{"type":"request-reconnect"}}');
  await asked;
  const next = client.prompt("next");
  const data = { ...messagesFor(first.id)["prompt-response"] };
  const frame = deepened({ type: "action", data }, 6_000).get("an unknown field") ?? "";
  server.connections[0]?.send(frame);
  expect(await failureOf(first)).toMatchObject({ code: "turn-failed", kind: "unreadable-response" });
  expect((await next.result).text).toBe("part");
  expect(server.connections).toHaveLength(2);
  more.open();
});
