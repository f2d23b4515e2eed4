import { codeyStep, codeyTool, type MockCodeyServer } from "agentwire/testing";
import { expect } from "vitest";
import { asked, collect, failureOf } from "../../helpers/codey.ts";
import { tapped } from "../../helpers/codey-sockets.ts";
import { onBoth } from "./both.ts";

/** The example of the protocol's description: `<<` from the server, `>>` from the client. */
const TRANSCRIPT = String.raw`
<< {"type":"Connected","session_id":"550e8400-e29b-41d4-a716-446655440000"}
>> {"type":"SendMessage","content":"list","agent_id":null}
<< {"type":"ThinkingDelta","agent_id":0,"content":"plan"}
<< {"type":"TextDelta","agent_id":0,"content":"Let me look."}
<< {"type":"ToolRequest","agent_id":0,"calls":[{"call_id":"toolu_1","name":"mcp_shell","params":{"command":"ls"},"background":false}]}
<< {"type":"ToolAwaitingApproval","agent_id":0,"call_id":"toolu_1","name":"mcp_shell","params":{"command":"ls"},"background":false}
>> {"type":"ToolDecision","call_id":"toolu_1","approved":true}
<< {"type":"ToolCompleted","agent_id":0,"call_id":"toolu_1","content":"a.txt\n"}
<< {"type":"TextDelta","agent_id":0,"content":"One file."}
<< {"type":"Finished","agent_id":0,"usage":{"output_tokens":12,"context_tokens":110,"cache_creation_tokens":3,"cache_read_tokens":7}}
>> {"type":"SendMessage","content":"delete it","agent_id":null}
<< {"type":"ToolRequest","agent_id":0,"calls":[{"call_id":"toolu_2","name":"mcp_shell","params":{"command":"rm a.txt"},"background":false}]}
<< {"type":"ToolAwaitingApproval","agent_id":0,"call_id":"toolu_2","name":"mcp_shell","params":{"command":"rm a.txt"},"background":false}
>> {"type":"Cancel"}
>> {"type":"GetState"}
<< {"type":"State","agents":[{"id":0,"name":null,"is_streaming":false}],"pending_approvals":[{"agent_id":0,"call_id":"toolu_2","name":"","params":null}]}
>> {"type":"ToolDecision","call_id":"toolu_2","approved":false}
>> {"type":"Ping"}
<< {"type":"Pong"}
>> {"type":"GetHistory"}
<< {"type":"History","messages":[]}
>> {"type":"SendMessage","content":"thanks","agent_id":null}
<< {"type":"Error","message":"Stream error: ApiError { status: 529, body: \"{\\\"type\\\":\\\"error\\\"}\" }","fatal":false}
`;

/** Behind its last line: what the client says after every Error, so that the server is surely done with the turn. */
const RESYNC = ['>> {"type":"Cancel"}', '>> {"type":"Ping"}', '<< {"type":"Pong"}'];

/** One side's lines of a transcript. What crosses on the wire has no order of its own. */
const side = (lines: readonly string[], mark: "<<" | ">>"): readonly string[] =>
  lines.filter((line) => line.startsWith(mark));

const linesOf = (server: MockCodeyServer): readonly string[] =>
  server.frames.map(({ direction, raw }) => `${direction === "s2c" ? "<<" : ">>"} ${raw}`);

const tap = tapped();

onBoth(
  "11: the client says every line of the transcript byte for byte, and understands every line of the server",
  {
    mock: { sessionId: () => "550e8400-e29b-41d4-a716-446655440000" },
    client: { onToolApproval: "manual", createWebSocket: tap.createWebSocket },
    warns: ["stray-message"], // the State, which somebody else has asked for
  },
  async ({ client, server }) => {
    server.answer = ({ content }) => {
      if (content === "thanks") return [codeyStep.apiError(529, '{"type":"error"}')];
      if (content === "delete it") return [codeyStep.calls(codeyTool.shell("rm a.txt"))];
      return [
        codeyStep.thinking("plan"),
        "Let me look.",
        codeyStep.usage({ output_tokens: 5 }),
        codeyStep.calls(codeyTool.shell("ls", "a.txt\n")),
        "One file.",
        codeyStep.usage({
          output_tokens: 7,
          context_tokens: 110,
          cache_creation_tokens: 3,
          cache_read_tokens: 7,
        }),
      ];
    };
    const list = client.prompt("list");
    client.reply(await asked(list), true);
    expect(await list.result).toMatchObject({
      text: "Let me look.One file.",
      thinking: "plan",
      toolCalls: [{ state: "done", output: "a.txt\n" }],
      usage: { outputTokens: 12, contextTokens: 110, cacheCreationTokens: 3, cacheReadTokens: 7 },
    });

    const remove = client.prompt("delete it");
    await asked(remove);
    // Behind the Cancel and before the denial no call of the client has room: it is said on its socket.
    client.on("frame", ({ direction, text }) => {
      if (direction === "out" && text === '{"type":"Cancel"}' && remove.status === "cancelling")
        tap.say('{"type":"GetState"}');
    });
    const messages = collect(client, "message");
    expect(await remove.cancel()).toMatchObject({ status: "cancelled" });
    expect(messages).toContainEqual(expect.objectContaining({ type: "State" }));

    expect((await client.getHistory()).messages).toEqual([]);
    const thanks = client.prompt("thanks");
    expect(await failureOf(thanks)).toMatchObject({ kind: "http", status: 529 });
    await client.ping();

    const expected = [
      ...TRANSCRIPT.trim().split("\n"),
      ...RESYNC,
      '>> {"type":"Ping"}',
      '<< {"type":"Pong"}',
    ];
    const lines = linesOf(server);
    for (const mark of [">>", "<<"] as const) expect(side(lines, mark)).toEqual(side(expected, mark));
  },
);
