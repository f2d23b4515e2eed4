import { CodeyClient, type CodeyClientEvents, type CodeyClientOptions } from "agentwire/codey";
import { type CodeyConnection, ManualClock, type MockCodeyOptions, MockCodeyServer } from "agentwire/testing";

export { drain, gate } from "./codebuff.ts";
export { eventsOf, failureOf, heard, rejection, shown, thrown } from "./turns.ts";

export type CodeyTurn = ReturnType<CodeyClient["prompt"]>;

/** A mock server and a client of it, both on clocks that the test drives; both are closed at the end of the scope. */
export interface CodeyPair extends AsyncDisposable {
  readonly server: MockCodeyServer;
  readonly client: CodeyClient;
  /** The client's clock. */
  readonly clock: ManualClock;
  /** The server's clock: what its delays wait for. */
  readonly serverClock: ManualClock;
}

export interface CodeyPairOptions {
  readonly mock?: MockCodeyOptions;
  readonly client?: Partial<CodeyClientOptions>;
}

export async function codeyPair(options: CodeyPairOptions = {}): Promise<CodeyPair> {
  const clock = new ManualClock();
  const serverClock = new ManualClock();
  const server = await MockCodeyServer.start({ clock: serverClock, ...options.mock });
  const client = new CodeyClient({ url: server.url, clock, ...options.client });
  return {
    server,
    client,
    clock,
    serverClock,
    async [Symbol.asyncDispose]() {
      const closed = client.close({ force: true });
      await server.stop(); // the real server answers no Close, and the clock that would give it up stands still
      await closed;
    },
  };
}

/** Goes through every back-off from now on, and no further: the dial that follows needs real time. */
export function walkBackoff({ client, clock }: Pick<CodeyPair, "client" | "clock">): void {
  client.on("reconnecting", ({ delay }) => void clock.advance(delay));
}

/** Resolves when `client` next emits `name`, with the first argument of the event. */
export function once<Name extends keyof CodeyClientEvents & string>(
  client: CodeyClient,
  name: Name,
  fits: (value: CodeyClientEvents[Name][0]) => boolean = () => true,
): Promise<CodeyClientEvents[Name][0]> {
  return new Promise((resolve) => {
    const off = client.on(name, (...values) => {
      if (!fits(values[0])) return;
      off();
      resolve(values[0]);
    });
  });
}

/** Resolves once the client has the status. */
export async function status(client: CodeyClient, wanted: CodeyClient["status"]): Promise<void> {
  if (client.status !== wanted) await once(client, "status", (value) => value === wanted);
}

/** Resolves with the id of the turn's next call that waits for a decision, or of one that waits already. */
export function asked(turn: CodeyTurn, fits: (id: string) => boolean = () => true): Promise<string> {
  return new Promise((resolve) => {
    const controller = new AbortController();
    turn.on(
      "approval",
      ({ id }) => {
        if (!fits(id)) return;
        resolve(id);
        controller.abort();
      },
      { signal: controller.signal },
    );
  });
}

/** Resolves once a call of the turn has the state. */
export async function reached(turn: CodeyTurn, id: string, state: string): Promise<void> {
  const isThere = (): boolean => turn.toolCalls.some((call) => call.id === id && call.state === state);
  if (isThere()) return;
  await new Promise<void>((resolve) => {
    const off = turn.on("toolCall", () => {
      if (!isThere()) return;
      off();
      resolve();
    });
  });
}

/** The arguments of an event of the client, as they come. */
export function collect<Name extends keyof CodeyClientEvents & string>(
  client: CodeyClient,
  name: Name,
): readonly CodeyClientEvents[Name][0][] {
  const seen: CodeyClientEvents[Name][0][] = [];
  client.on(name, (...values) => void seen.push(values[0]));
  return seen;
}

/** The newest connection of the server. */
export function link(server: MockCodeyServer): CodeyConnection {
  const connection = server.connections.at(-1);
  if (!connection) throw new Error("Nobody has connected yet");
  return connection;
}

/** What clients sent, in short: `SendMessage hello`, `ToolDecision toolu_1 true`, `Cancel`. */
export function sent(server: MockCodeyServer): readonly string[] {
  return server.frames
    .filter(({ direction }) => direction === "c2s")
    .map(({ raw }): Record<string, unknown> => JSON.parse(raw))
    .map(({ type, content, call_id, approved }) => [type, content, call_id, approved])
    .map((words) => words.filter((word) => word !== undefined).join(" "));
}

/** A whole prompt, to be sure that the session works; resolves with its text. */
export async function works(client: CodeyClient): Promise<string> {
  const { text } = await client.prompt("are you there?").result;
  return text;
}

/** The last frames of a client that ends its link: three sends that will fail end the server's session. */
export const FAREWELL = ["Ping", "Ping", "Ping"] as const;

/** Frames of the server, for what no script would say. */
export const frame = {
  text: (content: string, agent_id = 0): string => JSON.stringify({ type: "TextDelta", agent_id, content }),
  thinking: (content: string, agent_id = 0): string =>
    JSON.stringify({ type: "ThinkingDelta", agent_id, content }),
  request: (...ids: readonly string[]): string =>
    JSON.stringify({
      type: "ToolRequest",
      agent_id: 0,
      calls: ids.map((call_id) => ({ call_id, name: "mcp_shell", params: {}, background: false })),
    }),
  awaiting: (call_id: string, name = "mcp_shell", params: unknown = {}): string =>
    JSON.stringify({ type: "ToolAwaitingApproval", agent_id: 0, call_id, name, params, background: false }),
  started: (call_id: string, name = "mcp_shell"): string =>
    JSON.stringify({ type: "ToolStarted", agent_id: 0, call_id, name }),
  delta: (call_id: string, content: string): string =>
    JSON.stringify({ type: "ToolDelta", agent_id: 0, call_id, content }),
  completed: (call_id: string, content: string): string =>
    JSON.stringify({ type: "ToolCompleted", agent_id: 0, call_id, content }),
  toolError: (call_id: string, error: string): string =>
    JSON.stringify({ type: "ToolError", agent_id: 0, call_id, error }),
  finished: (output_tokens = 10, agent_id = 0): string =>
    JSON.stringify({
      type: "Finished",
      agent_id,
      usage: { output_tokens, context_tokens: 100, cache_creation_tokens: 0, cache_read_tokens: 0 },
    }),
  error: (message: string, fatal = false): string => JSON.stringify({ type: "Error", message, fatal }),
  pong: '{"type":"Pong"}',
} as const;
