import { CodeyClient, type CodeyClientOptions } from "agentwire/codey";
import { FakeClient } from "./fake-client.ts";
import { FakeSocket } from "./fake-socket.ts";

/** A client on a socket that says what the test says, at the very moment at which it says it. */
export class FakePair extends FakeClient<CodeyClient> {
  readonly client: CodeyClient;

  constructor(options: Partial<CodeyClientOptions> = {}) {
    super();
    this.client = new CodeyClient({
      url: "ws://localhost",
      clock: this.clock,
      keepalive: false,
      createWebSocket: () => this.dialled(new FakeSocket()),
      ...options,
    });
  }

  /** What was sent on the present socket, in short: `SendMessage hello`, `ToolDecision c1 true`, `Cancel`. */
  get sent(): readonly string[] {
    return this.socket.sent
      .map((text): Record<string, unknown> => JSON.parse(text))
      .map(({ type, content, call_id, approved }) => [type, content, call_id, approved])
      .map((words) => words.filter((word) => word !== undefined).join(" "));
  }

  /** Opens the next connection. */
  async greet(sessionId = "session-1"): Promise<void> {
    await this.open();
    this.says({ type: "Connected", session_id: sessionId });
    await this.settle();
  }
}

/** A client that is ready. */
export async function fakePair(options: Partial<CodeyClientOptions> = {}): Promise<FakePair> {
  const made = new FakePair(options);
  await made.greet();
  return made;
}

/** A turn whose call, `c1`, waits for a decision. Who listens from now on has not been told of it. */
export async function askingPair(
  options: Partial<CodeyClientOptions> = {},
): Promise<{ readonly made: FakePair; readonly turn: ReturnType<CodeyClient["prompt"]> }> {
  const made = await fakePair({ onToolApproval: "manual", ...options });
  const turn = made.client.prompt("one");
  made.says(say.request(["c1"]), say.asks("c1"));
  return { made, turn };
}

/** Messages of the server. */
export const say = {
  text: (content: string, agent_id = 0) => ({ type: "TextDelta", agent_id, content }) as const,
  thinking: (content: string, agent_id = 0) => ({ type: "ThinkingDelta", agent_id, content }) as const,
  request: (ids: readonly string[], agent_id = 0) =>
    ({
      type: "ToolRequest",
      agent_id,
      calls: ids.map((call_id) => ({ call_id, name: "mcp_shell", params: {}, background: false })),
    }) as const,
  asks: (call_id: string, agent_id = 0, params: object = {}) =>
    ({
      type: "ToolAwaitingApproval",
      agent_id,
      call_id,
      name: "mcp_shell",
      params,
      background: false,
    }) as const,
  started: (call_id: string, agent_id = 0) =>
    ({ type: "ToolStarted", agent_id, call_id, name: "mcp_shell" }) as const,
  delta: (call_id: string, content: string, agent_id = 0) =>
    ({ type: "ToolDelta", agent_id, call_id, content }) as const,
  completed: (call_id: string, content = "", agent_id = 0) =>
    ({ type: "ToolCompleted", agent_id, call_id, content }) as const,
  toolError: (call_id: string, error = "broke", agent_id = 0) =>
    ({ type: "ToolError", agent_id, call_id, error }) as const,
  finished: (output_tokens = 10, agent_id = 0) =>
    ({
      type: "Finished",
      agent_id,
      usage: { output_tokens, context_tokens: 100, cache_creation_tokens: 3, cache_read_tokens: 7 },
    }) as const,
  retrying: (attempt = 1) => ({ type: "Retrying", agent_id: 0, attempt, error: "no key" }) as const,
  error: (message = "broke", fatal = false) => ({ type: "Error", message, fatal }) as const,
  pong: { type: "Pong" } as const,
};
