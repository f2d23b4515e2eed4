import { type Step, step } from "agentwire/testing";
import { expect } from "vitest";
import { gate } from "../../helpers/codebuff.ts";
import { asking, onBoth, type Scene } from "./both.ts";
import { action, actionsTo, heard, link, lose, sentOn, works } from "./wire.ts";

/** Lets the server ask for things, and go on once as many answers as questions have come. */
async function ask({ client, server }: Scene, ...requests: readonly Step[]): Promise<void> {
  const hold = gate();
  server.answer = async function* () {
    yield* requests;
    await hold.passed;
    yield "done";
  };
  const turn = client.prompt("ask");
  const answers = /^(tool-call|read-files)-response$|^mcp-tool-data$/;
  await server.waitFor(
    () => sentOn(server, 1).filter((type) => answers.test(type)).length === requests.length,
  );
  hold.open();
  expect((await turn.result).text).toBe("done");
}

const open = { wait: false } as const;
const json = (value: unknown) => [{ type: "json", value }];

onBoth(
  "checklist 13: a tool is run and answered in both shapes of the request",
  (profile) => ({
    ...asking(profile),
    client: { tools: { add: ({ input }) => [{ type: "json", value: Number(input["a"]) + 1 }] } },
  }),
  async (scene) => {
    await ask(
      scene,
      step.toolCall({ ...open, requestId: "r1", toolName: "add", input: { a: 1 } }),
      step.plannedToolCall({ ...open, toolCallId: "r2", toolName: "add", toolArgs: { a: 2 } }),
    );
    expect(actionsTo(scene.server, "tool-call-response")).toEqual([
      { type: "tool-call-response", requestId: "r1", output: json(2) },
      { type: "tool-call-response", requestId: "r2", output: json(3) },
    ]);
  },
);

onBoth(
  "checklist 13: files are read under both names of the request, every path is answered, and a missing one is null",
  (profile) => ({
    ...asking(profile),
    client: { onReadFiles: (paths) => ({ [String(paths[0])]: "hello\n", "unasked.txt": "no" }) },
  }),
  async (scene) => {
    await ask(
      scene,
      step.readFiles(["a.txt", "missing.txt"], { ...open, requestId: "r1" }),
      step.readFiles(["b.txt"], { ...open, requestId: "r2", name: "read-files-request" }),
    );
    expect(actionsTo(scene.server, "read-files-response")).toEqual([
      { type: "read-files-response", requestId: "r1", files: { "a.txt": "hello\n", "missing.txt": null } },
      { type: "read-files-response", requestId: "r2", files: { "b.txt": "hello\n" } },
    ]);
  },
);

onBoth(
  "checklist 13: the tools of an MCP server are listed by its handler",
  (profile) => ({
    ...asking(profile),
    client: { onMcpTools: () => [{ name: "search", inputSchema: { type: "object" } }] },
  }),
  async (scene) => {
    await ask(scene, step.requestMcpTools({ ...open, requestId: "r1", mcpConfig: { command: "npx" } }));
    expect(actionsTo(scene.server, "mcp-tool-data")).toEqual([
      {
        type: "mcp-tool-data",
        requestId: "r1",
        tools: [{ name: "search", inputSchema: { type: "object" } }],
      },
    ]);
  },
);

onBoth(
  "checklist 13: what nobody is registered for is answered all the same: an error, null, no tools",
  asking,
  async (scene) => {
    const unhandled: string[] = [];
    scene.client.on("protocolWarning", ({ kind }) => kind === "unhandled-request" && unhandled.push(kind));
    await ask(
      scene,
      step.toolCall({ ...open, requestId: "r1", toolName: "write_file", input: {} }),
      step.readFiles(["a.txt"], { ...open, requestId: "r2" }),
      step.requestMcpTools({ ...open, requestId: "r3", mcpConfig: { url: "https://mcp.example" } }),
    );
    expect(actionsTo(scene.server, "tool-call-response")).toEqual([
      {
        type: "tool-call-response",
        requestId: "r1",
        output: json({ errorMessage: expect.stringContaining("write_file") }),
      },
    ]);
    expect(actionsTo(scene.server, "read-files-response")).toMatchObject([{ files: { "a.txt": null } }]);
    expect(actionsTo(scene.server, "mcp-tool-data")).toEqual([
      { type: "mcp-tool-data", requestId: "r3", tools: [] },
    ]);
    expect(unhandled).toHaveLength(3);
  },
);

onBoth(
  "checklist 13: a handler that throws is an answer too, and so is a call for a prompt that is unknown",
  (profile) => ({
    ...asking(profile),
    client: {
      tools: {
        "*": () => {
          throw new Error("disk full");
        },
      },
      onReadFiles: () => Promise.reject(new Error("disk full")),
    },
  }),
  async (scene) => {
    await ask(
      scene,
      step.toolCall({ ...open, requestId: "r1", toolName: "any", input: {} }),
      step.toolCall({ ...open, requestId: "r2", toolName: "any", input: {}, userInputId: "nobody" }),
      step.readFiles(["a.txt"], { ...open, requestId: "r3" }),
    );
    const outputs = new Map(
      actionsTo(scene.server, "tool-call-response").map(({ requestId, output }) => [requestId, output]),
    );
    expect(outputs.get("r1")).toEqual(json({ errorMessage: expect.stringContaining("disk full") }));
    expect(outputs.get("r2")).toEqual(json({ errorMessage: expect.any(String) }));
    expect(actionsTo(scene.server, "read-files-response")).toMatchObject([{ files: { "a.txt": null } }]);
  },
);

onBoth(
  "checklist 13: a cancelled prompt's tool is stopped and answered; a later call for it is answered without being run",
  (profile) => {
    let runs = 0;
    return {
      mock: { unreadFrame: "queue" },
      mistakes: profile === "proxy" ? ["unknown-action"] : ["answer-unknown-request"], // the test asks in its place
      client: {
        tools: {
          slow: (_, { signal }) => {
            if (++runs > 1) throw new Error("run again");
            return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
          },
        },
      },
    };
  },
  async ({ client, server }) => {
    const hold = gate();
    server.answer = async function* () {
      yield step.toolCall({ ...open, requestId: "r1", toolName: "slow", input: {} });
      await hold.passed;
    };
    const asked = heard(client, "tool-call-request");
    const turn = client.prompt("hello");
    await asked;
    await turn.cancel();
    await server.waitFor(() => actionsTo(server, "tool-call-response").length === 1);
    const again = { userInputId: turn.id, requestId: "r2", toolName: "slow", input: {} };
    link(server).send(action({ type: "tool-call-request", ...again }));
    await server.waitFor(() => actionsTo(server, "tool-call-response").length === 2);
    const cancelled = json({ errorMessage: expect.stringContaining("cancelled") });
    for (const { output } of actionsTo(server, "tool-call-response")) expect(output).toEqual(cancelled);
    hold.open();
  },
);

onBoth(
  "checklist 13: a tool that never comes to an end is answered before the server gives up",
  (profile) => ({
    ...asking(profile),
    client: { tools: { stuck: () => new Promise(() => {}) }, keepalive: false, stallTimeout: 0 },
  }),
  async ({ client, clock, server }) => {
    const hold = gate();
    server.answer = async function* () {
      yield step.toolCall({ ...open, requestId: "r1", toolName: "stuck", input: {}, timeout: 2_000 });
      await hold.passed;
    };
    const asked = heard(client, "tool-call-request");
    const turn = client.prompt("hello");
    await asked;
    await clock.advance(6_999); // the server waits for 5 s more than the tool may take
    await server.waitFor(() => actionsTo(server, "tool-call-response").length === 1);
    expect(actionsTo(server, "tool-call-response")).toMatchObject([
      { output: json({ errorMessage: expect.any(String) }) },
    ]);
    hold.open();
    await turn.result;
  },
);

onBoth(
  "checklist 13: an id that an earlier connection has used is another request on the next one",
  {
    client: { onReadFiles: () => ({}) },
    mistakes: ["unknown-action", "answer-unknown-request"], // the test asks in the mock's place
  },
  async ({ client, server }) => {
    for (let connection = 1; connection <= 2; connection++) {
      await works(client);
      link(server).send(action({ type: "read-files", requestId: "r1", filePaths: ["a.txt"] }));
      await server.waitFor(() => actionsTo(server, "read-files-response").length === connection);
      if (connection === 1) await lose(client, () => link(server).drop());
    }
  },
);
