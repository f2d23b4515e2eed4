/**
 * A user's program that uses each entry with an optional peer for the first time, as an ES module and from CommonJS. `npm run check -- peers`
 * runs it in apps with other versions of the peers. It prints for each entry `works`, or the error.
 */
import { createRequire } from "node:module";
import { isAgentwireError } from "agentwire";
import { AcpClient } from "agentwire/acp";
import { mcpServers } from "agentwire/codebuff-run/tools";
import { MockAcpAgent } from "agentwire/testing";
import { ManualClock } from "agentwire/testing/agent";

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
  const { createChat } = await import("agentwire/chat");
  const { MockAgent } = await import("agentwire/testing/agent");
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

await tell("agentwire/react", showChat);
await tell("agentwire/react in CommonJS", () => require("agentwire/react").useOwnChat.name);
await tell("agentwire/ink", () => import("agentwire/ink"));
await tell("agentwire/schemas", async () => useSchemas(await import("agentwire/schemas")));
await tell("agentwire/schemas in CommonJS", () => useSchemas(require("agentwire/schemas")));
await tell("agentwire/acp", () => prompt(AcpClient));
await tell("agentwire/acp in CommonJS", () => prompt(require("agentwire/acp").AcpClient));
const [server] = mcpServers({ absent: { command: process.execPath, args: ["--version"] } });
const context = { signal: new AbortController().signal, clock: new ManualClock(), warn: () => {} };
await tell("MCP servers", () => server?.tools(context));
console.log(JSON.stringify(said));
process.exit(); // what a broken entry has left must not hold the check
