import { type CodeyScript, codeyStep, codeyTool, MockCodeyServer } from "agentwire/testing";
import { expect, test } from "vitest";
import { RawCodey } from "./mock-codey-raw-client.ts";

const SESSION = "550e8400-e29b-41d4-a716-446655440000";

const SCRIPTS: readonly CodeyScript[] = [
  [
    codeyStep.thinking("plan"),
    "Let me look.",
    codeyStep.usage({ output_tokens: 8 }),
    codeyStep.calls(codeyTool.shell("ls", "a.txt\n")),
    "One file.",
    codeyStep.usage({
      output_tokens: 4,
      context_tokens: 110,
      cache_creation_tokens: 3,
      cache_read_tokens: 7,
    }),
  ],
  [codeyStep.calls(codeyTool.shell("rm a.txt"))],
  [codeyStep.apiError(529, '{"type":"error"}')],
];

/** `>>` is what the client says, the rest is what it must hear, to the byte. */
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

test("plays the example of the protocol byte for byte, and finds nothing wrong with its client", async () => {
  await using server = await MockCodeyServer.start({
    sessionId: () => SESSION,
    answer: ({ number }) => SCRIPTS[number - 1] ?? [],
  });
  using client = await RawCodey.open(server);
  const lines = TRANSCRIPT.trim().split("\n");
  for (const line of lines) {
    const frame = line.slice(3);
    if (line.startsWith(">>")) client.say(frame);
    else expect(await client.raw.next()).toBe(frame);
  }
  expect(await client.barrier()).toEqual([]);
  expect(server.frames.slice(0, lines.length).map(({ direction, raw }) => [direction, raw])).toEqual(
    lines.map((line) => [line.startsWith(">>") ? "c2s" : "s2c", line.slice(3)]),
  );
  expect(server.violations).toEqual([]);
});
