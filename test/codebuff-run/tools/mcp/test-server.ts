import { spawn } from "node:child_process";
import { ProtocolError, Server } from "@modelcontextprotocol/server";

/** An answer of any form: the tests also send what the protocol does not have. */
type Answer = never;

const PICTURE = "iVBORw0=";

const cancelled: string[] = [];

function nested(levels: number): unknown {
  return JSON.parse("[".repeat(levels) + "]".repeat(levels));
}

/** What each tool of the test server answers. */
const ANSWERS: Readonly<
  Record<string, (input: Readonly<Record<string, unknown>>, signal: AbortSignal) => unknown>
> = {
  echo: (input) => ({ content: [{ type: "text", text: JSON.stringify(input) }] }),
  texts: () => ({
    content: [
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ],
  }),
  picture: () => ({ content: [{ type: "image", data: PICTURE, mimeType: "image/png" }] }),
  sound: () => ({ content: [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }] }),
  resource: () => ({
    content: [
      { type: "resource", resource: { uri: "file:///a", text: "größe" } },
      { type: "resource", resource: { uri: "file:///b", blob: "AAAA", mimeType: "application/pdf" } },
    ],
  }),
  link: () => ({ content: [{ type: "resource_link", uri: "file:///far", name: "far" }] }),
  structured: () => ({ content: [], structuredContent: { sum: 5 } }),
  empty: () => ({ content: [] }),
  nested: ({ levels }) => ({ content: [], structuredContent: { a: nested(Number(levels)) } }),
  nestedText: ({ levels }) => ({ content: [{ type: "text", text: JSON.stringify(nested(Number(levels))) }] }),
  nestedError: ({ levels }) => {
    throw new ProtocolError(-32_602, "no", { a: nested(Number(levels)) });
  },
  fails: () => ({
    isError: true,
    content: [
      { type: "text", text: "no such city" },
      { type: "text", text: "try another" },
    ],
  }),
  refuses: () => {
    throw new ProtocolError(-32_602, "city must be a text");
  },
  environment: ({ name }) => ({ content: [{ type: "text", text: String(process.env[String(name)]) }] }),
  pid: () => ({ content: [{ type: "text", text: String(process.pid) }] }),
  hangs: (_, signal) =>
    new Promise(() => {
      signal.addEventListener("abort", () => cancelled.push("hangs"), { once: true });
    }),
  cancelled: () => ({ content: [{ type: "text", text: cancelled.join() }] }),
  crashes: () => {
    console.error("out of memory, token abc-secret-xyz");
    process.exit(5);
  },
  // A process that ends for SIGKILL alone.
  grandchild: async () => {
    const code = 'process.on("SIGTERM", () => {}); console.log("up"); setInterval(() => {}, 1e6)';
    const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    return { content: [{ type: "text", text: String(child.pid) }] };
  },
  endlessLine: () => {
    process.stdout.write("x".repeat(17 * 1_048_576));
    return new Promise(() => {});
  },
};

const described = (name: string) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object" as const, properties: { name: { type: "string" } } },
});

/** A server of the official package. `isPaged`: its list has a page for each tool. */
export function testServer(isPaged = false): Server {
  const server = new Server({ name: "test", version: "1" }, { capabilities: { tools: {} } });
  const names = Object.keys(ANSWERS);
  server.setRequestHandler("tools/list", ({ params }) => {
    if (!isPaged) return { tools: names.map(described) };
    const at = Number(params?.cursor ?? 0);
    const next = at + 1 < names.length ? { nextCursor: String(at + 1) } : {};
    return { tools: names.slice(at, at + 1).map(described), ...next };
  });
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const answer = ANSWERS[params.name];
    if (!answer) throw new ProtocolError(-32_602, `no tool ${params.name}`);
    return (await answer(params.arguments ?? {}, mcpReq.signal)) as Answer;
  });
  return server;
}
