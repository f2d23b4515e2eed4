/**
 * A user's program that uses each entry with an optional peer for the first time, as an ES module and from CommonJS. `npm run check -- peers`
 * runs it in apps with other versions of the peers. It prints for each entry `works`, or the error.
 */
import { createRequire } from "node:module";
import { isAgentwireError } from "agentwire";
import { AcpClient } from "agentwire/acp";
import { createChat } from "agentwire/chat";
import { mcpServers } from "agentwire/codebuff-run/tools";
import { MockAcpAgent } from "agentwire/testing";
import { ManualClock, MockAgent } from "agentwire/testing/agent";

const require = createRequire(import.meta.url);
const said: Record<string, string> = {};

async function tell(name: string, use: () => unknown): Promise<void> {
  try {
    await use();
    said[name] = "works";
  } catch (error) {
    said[name] = isAgentwireError(error, "unsupported") ? error.message : `threw ${String(error)}`;
  }
}

interface Renderer {
  readonly create: (element: unknown) => { toJSON(): unknown; unmount(): void };
}

/** Shows a chat with all hooks, until the answer of a mock is on the screen. */
async function showChat(): Promise<void> {
  const { createElement } = await import("react");
  const { create }: Renderer = require("react-test-renderer");
  const { ChatProvider, useAgentChat, useConnection, useOwnChat, usePending, useSeconds } = await import(
    "agentwire/react"
  );
  const Shown = (): string => {
    const texts = useAgentChat(undefined, ({ messages }) =>
      JSON.stringify(messages.map(({ parts }) => parts)),
    );
    return `${useConnection().status} ${usePending().length} ${useSeconds(Date.now())} ${texts}`;
  };
  const App = () => {
    const chat = useOwnChat(() => {
      const made = createChat(new MockAgent());
      made.send("hello");
      return made;
    });
    return createElement(ChatProvider, { chat }, createElement(Shown));
  };
  const screen = create(createElement(App));
  for (let look = 0; look < 1_000; look++) {
    if (String(screen.toJSON()).includes("said: ")) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  const shown = String(screen.toJSON());
  screen.unmount();
  if (!shown.startsWith("ready 0 0 ") || !shown.includes("said: ")) throw new Error(`it showed ${shown}`);
}

/** Uses the schemas with the app's own zod. */
async function useSchemas(schemas: typeof import("agentwire/schemas")): Promise<void> {
  const z = await import("zod");
  const ours = z.object({ part: schemas.contentPartSchema });
  ours.parse({ part: { type: "text", text: "a" } });
  if (ours.safeParse({ part: { type: "text" } }).success) throw new Error("a wrong part was taken");
}

/** Prompts an ACP agent in this process. */
async function prompt(Client: typeof AcpClient): Promise<void> {
  const agent = new MockAcpAgent();
  const client = new Client({ createStream: () => agent.connect() });
  try {
    await client.prompt("hello").result;
  } finally {
    await client.close();
    await agent.stop();
  }
}

/** Gives an agent to an ACP client that says nothing. */
async function serve({ acpAgent }: typeof import("agentwire/acp/agent")): Promise<void> {
  const stream = { readable: new ReadableStream(), writable: new WritableStream() };
  const connection = await acpAgent(() => new MockAgent()).connect(stream);
  await connection.close();
}

/** The last prompt is what the page has sent. */
const prompted = [{ id: "m1", role: "user" as const, parts: [{ type: "text" as const, text: "hello" }] }];

/** Answers a page of the AI SDK. */
async function transport({ AgentwireChatTransport }: typeof import("agentwire/ai-sdk")): Promise<void> {
  const sending = new AgentwireChatTransport(createChat(new MockAgent()));
  const chunks = await sending.sendMessages({
    chatId: "c1",
    trigger: "submit-message",
    messageId: undefined,
    messages: prompted,
    abortSignal: undefined,
  });
  const types: string[] = [];
  for await (const { type } of chunks) types.push(type);
  if (types.at(-1) !== "finish") throw new Error(`it sent ${types.join()}`);
  await sending.close();
}

/** Answers an AG-UI client. */
async function run({ agUiAgent }: typeof import("agentwire/ag-ui")): Promise<void> {
  const chat = createChat(new MockAgent());
  const types: string[] = [];
  const messages = [{ id: "m1", role: "user" as const, content: "hello" }];
  const input = { threadId: "t1", runId: "r1", messages, tools: [], context: [] };
  for await (const { type } of agUiAgent(chat).run(input)) types.push(type);
  if (types.at(-1) !== "RUN_FINISHED") throw new Error(`it sent ${types.join()}`);
  await chat.close();
}

/** Makes a client that is traced, if the app has set up OpenTelemetry. */
async function trace({ withTelemetry }: typeof import("agentwire/otel")): Promise<void> {
  await withTelemetry(new MockAgent()).client().close();
}

await tell("agentwire/react", showChat);
await tell("agentwire/react in CommonJS", () => require("agentwire/react").useOwnChat.name);
await tell("agentwire/ink", () => import("agentwire/ink"));
await tell("agentwire/schemas", async () => useSchemas(await import("agentwire/schemas")));
await tell("agentwire/schemas in CommonJS", () => useSchemas(require("agentwire/schemas")));
await tell("agentwire/acp", () => prompt(AcpClient));
await tell("agentwire/acp in CommonJS", () => prompt(require("agentwire/acp").AcpClient));
await tell("agentwire/acp/agent", async () => serve(await import("agentwire/acp/agent")));
await tell("agentwire/acp/agent in CommonJS", () => serve(require("agentwire/acp/agent")));
await tell("agentwire/ai-sdk", async () => transport(await import("agentwire/ai-sdk")));
await tell("agentwire/ai-sdk in CommonJS", () => transport(require("agentwire/ai-sdk")));
await tell("agentwire/ag-ui", async () => run(await import("agentwire/ag-ui")));
await tell("agentwire/ag-ui in CommonJS", () => run(require("agentwire/ag-ui")));
await tell("agentwire/otel", async () => trace(await import("agentwire/otel")));
await tell("agentwire/otel in CommonJS", () => trace(require("agentwire/otel")));
const [server] = mcpServers({ absent: { command: process.execPath, args: ["--version"] } });
const context = { signal: new AbortController().signal, clock: new ManualClock(), warn: () => {} };
await tell("MCP servers", () => server?.tools(context));
console.log(JSON.stringify(said));
process.exit(); // what a broken entry has left must not hold the check
