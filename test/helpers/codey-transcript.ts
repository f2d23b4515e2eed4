/** The session of the transcript. */
export const SESSION = "550e8400-e29b-41d4-a716-446655440000";

/** The example of the protocol's description, line by line: `<<` from the server, `>>` from the client. */
export const TRANSCRIPT: readonly string[] = String.raw`
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
`
  .trim()
  .split("\n");
