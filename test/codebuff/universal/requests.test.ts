import type { CodebuffClientOptions } from "agentwire/codebuff";
import { describe, expect, test } from "vitest";
import { json } from "../../helpers/codebuff-requests.ts";
import { action, server, Universal } from "../../helpers/codebuff-universal.ts";
import { expectInvariants } from "../../universal/invariants.ts";

const ACT: Partial<CodebuffClientOptions> = { tools: { act: () => json({ done: true }) } };
const ASKED: Partial<CodebuffClientOptions> = { ...ACT, onToolApproval: "manual" };

const announced = (toolCallId: string, a: number) =>
  server.chunk({ type: "tool_call", toolCallId, toolName: "act", input: { a } });
const reported = (toolCallId: string) =>
  server.chunk({ type: "tool_result", toolCallId, toolName: "act", output: json({ done: true }) });

/** A client of the original server with its prompt under way. */
async function asked(options: Partial<CodebuffClientOptions>): Promise<Universal> {
  const made = await Universal.of("codebuff", options);
  await made.prompt();
  return made;
}

interface Row {
  readonly name: string;
  readonly options?: Partial<CodebuffClientOptions>;
  readonly says: readonly object[];
}

const ROWS: readonly Row[] = [
  { name: "tool-request", says: [server.chunk("I act."), server.call()] },
  {
    name: "tool-request-announced",
    says: [
      announced("t1", 1),
      announced("t2", 2),
      server.call(),
      reported("t1"),
      server.call({ requestId: "r2", input: { a: 2 } }),
      reported("t2"),
    ],
  },
  {
    name: "tool-request-other-shape",
    says: [
      action("tool-call-request", { toolCallId: "r1", toolName: "act", toolArgs: { a: 1 } }),
      reported("r1"),
    ],
  },
  {
    name: "tool-request-media",
    options: {
      tools: {
        act: () => [
          { type: "json", value: "a picture" },
          { type: "media", data: "iVBO", mediaType: "image/png" },
        ],
      },
    },
    says: [server.call()],
  },
  {
    name: "tool-request-denied",
    options: { ...ACT, onToolApproval: () => ({ decision: "reject", reason: "not now" }) },
    says: [server.call()],
  },
  { name: "tool-request-unhandled", options: {}, says: [server.call()] },
  {
    name: "tool-request-failed",
    options: {
      tools: {
        act: () => {
          throw new Error("no such file");
        },
      },
    },
    says: [server.call()],
  },
  {
    name: "read-files",
    options: { onReadFiles: () => ({ "a.txt": "hello\n" }) },
    says: [server.files()],
  },
  {
    name: "read-files-denied",
    options: {
      onReadFiles: () => ({ "a.txt": "hello\n" }),
      toolPolicy: [{ tool: "read_files", then: "deny" }],
    },
    says: [server.files()],
  },
];

describe("universal events of a server's request", () => {
  test.each(ROWS)("$name, and the server gets its answer", async ({ name, options = ACT, says }) => {
    const made = await asked(options);
    await made.hears(...says);
    expect(made.sent.filter((type) => type.endsWith("-response"))).toHaveLength(
      says.filter((message) => /-request"|read-files"/.test(JSON.stringify(message))).length,
    );
    await made.hears(server.response());
    await made.expectGolden(name);
  });

  test("`read-files-request` gives the same events as `read-files`", async () => {
    const made = await asked({ onReadFiles: () => ({ "a.txt": "hello\n" }) });
    await made.hears(
      action("read-files-request", { requestId: "rf-1", filePaths: ["a.txt", "missing.txt"] }),
      server.response(),
    );
    await made.expectGolden("read-files");
  });

  const QUESTIONS = {
    questions: [
      {
        question: "Tabs?",
        header: "Style",
        options: [{ label: "tabs" }, { label: "spaces", description: "two" }],
      },
      { question: "Which?", options: ["a", "b"], multiSelect: true },
    ],
  };
  const question = server.call({ toolName: "ask_user", input: QUESTIONS });

  test("a question has an answer and a result, but no permission: ask-user", async () => {
    const made = await asked({ onQuestion: () => [["spaces"], ["a", "b", "and c"]] });
    await made.hears(question, server.response());
    await made.expectGolden("ask-user");
  });

  test("a question that the user skips is rejected by the user: ask-user-skipped", async () => {
    const made = await asked({ onQuestion: "manual" });
    await made.hears(question);
    expect(made.client.answer("r1", null)).toMatchObject({ by: "reply" });
    await made.hears(server.response());
    await made.expectGolden("ask-user-skipped");
  });

  test("a question announced by a `tool_call` chunk is asked once, by its request", async () => {
    const made = await asked({ onQuestion: () => [["tabs"], ["a"]] });
    await made.hears(
      server.chunk({ type: "tool_call", toolCallId: "t1", toolName: "ask_user", input: QUESTIONS }),
      question,
      server.response(),
    );
    const events = await made.events();
    const questions = events.filter(({ type }) => type.startsWith("question."));
    expect(questions).toMatchObject([
      {
        type: "question.requested",
        data: { question_id: "ses_1.1", metadata: { request_id: "r1", native_id: "r1" }, call_id: "t1" },
      },
      { type: "question.resolved", data: { question_id: "ses_1.1", call_id: "t1", status: "answered" } },
    ]);
    expect(events.some(({ type }) => type.startsWith("permission."))).toBe(false);
  });
});

describe("a request for the tools of an MCP server, which names no prompt", () => {
  const search = { name: "search", inputSchema: { type: "object" } } as const;
  const request = action("request-mcp-tool-data", {
    requestId: "m1",
    mcpConfig: { type: "stdio", command: "npx", env: { KEY: "secret" } },
  });
  const OPTIONS: Partial<CodebuffClientOptions> = { onMcpTools: () => [search], onToolApproval: "manual" };

  test("is a call of the running turn, with its approval and its result", async () => {
    const made = await asked(OPTIONS);
    await made.hears(request);
    made.client.decide("m1", true);
    await made.settle();
    await made.hears(server.response());
    const events = await made.events();
    expectInvariants(events);
    const told = events.slice(4).map((event) => ("item" in event.data ? event.data.item.kind : event.type));
    expect(told).toEqual([
      ...["tool_call", "tool_call", "permission.requested", "permission.resolved"],
      ...["tool_result", "tool_result", "turn.ended"],
    ]);
    expect(events.at(-2)?.data).toMatchObject({
      item: { status: "completed", content: [{ output: JSON.stringify([search]) }] },
    });
  });

  test("is an unsolicited turn while no turn runs", async () => {
    const made = await Universal.of("codebuff", OPTIONS);
    made.talk();
    await made.hears(request);
    made.client.decide("m1", false);
    await made.settle();
    made.stream.close();
    const events = await made.events();
    expectInvariants(events);
    expect(events[1]).toMatchObject({ type: "turn.started", data: { metadata: { unsolicited: true } } });
    expect(events.find((event) => event.type === "permission.resolved")).toMatchObject({
      data: { status: "reject", reason: "user" },
    });
    expect(JSON.stringify(events)).toContain("Denied by the user.");
  });

  test("emits each of its states on the client", async () => {
    const made = await Universal.of("codebuff", OPTIONS);
    const states: string[] = [];
    made.client.on("toolCall", ({ id, state }) => states.push(`${id} ${state}`));
    await made.hears(request);
    made.client.decide("m1", true);
    await made.settle();
    expect(states).toEqual(["requested", "approved", "running", "done"].map((state) => `m1 ${state}`));
  });

  test("shows the server without its environment in the approval of a tool call", async () => {
    const made = await asked({ onMcpToolCall: () => json(1), onToolApproval: () => true });
    const mcpConfig = { type: "stdio", command: "npx", args: ["srv"], env: { KEY: "secret" } };
    await made.hears(server.call({ mcpConfig }));
    const events = await made.events();
    expect(events.find((event) => event.type === "permission.requested")).toMatchObject({
      data: { metadata: { mcp_server: { type: "stdio", command: "npx", args: ["srv"] } } },
    });
    expect(JSON.stringify(events)).not.toContain("secret");
  });
});

describe("an approval of a request", () => {
  const permissions = async (made: Universal) =>
    (await made.events()).flatMap((event) =>
      event.type === "permission.requested" || event.type === "permission.resolved" ? [event.data] : [],
    );

  test.each<readonly [string, Partial<CodebuffClientOptions>, object]>([
    [
      "without a callback is rejected at once by the policy",
      { ...ACT, toolPolicy: [{ tool: /.*/, then: "ask" }] },
      { status: "reject", reason: "policy" },
    ],
    [
      "whose handler throws is rejected",
      {
        ...ACT,
        onToolApproval: () => {
          throw new Error("no");
        },
      },
      { status: "reject", reason: "policy" },
    ],
    [
      "that the user grants is accepted",
      { ...ACT, onToolApproval: () => true },
      { status: "accept", reason: "user" },
    ],
  ])("%s", async (_, options, expected) => {
    const made = await asked(options);
    await made.hears(server.call());
    expect(await permissions(made)).toMatchObject([{ status: "requested" }, expected]);
  });

  test("that nobody decides in time is rejected with the reason `timeout`", async () => {
    const made = await asked({ ...ASKED, approvalTimeout: 1_000 });
    await made.hears(server.call());
    await made.clock.advance(1_000);
    expect(await permissions(made)).toMatchObject([
      { status: "requested" },
      { status: "reject", reason: "timeout" },
    ]);
  });

  test("that is decided twice is resolved once", async () => {
    const made = await asked(ASKED);
    await made.hears(server.call());
    expect(made.client.decide("r1", "once")).toEqual(made.client.decide("r1", "reject"));
    await made.hears(server.response());
    expect(await permissions(made)).toMatchObject([
      { status: "requested" },
      { status: "accept", reason: "user" },
    ]);
  });

  test("with the decision `always` covers the next call of the tool, which has both events too", async () => {
    const made = await asked(ASKED);
    await made.hears(server.call());
    made.client.decide("r1", "always");
    await made.hears(server.call({ requestId: "r2" }));
    expect(await permissions(made)).toMatchObject([
      { permission_id: "ses_1.1", metadata: { request_id: "r1" }, status: "requested" },
      { permission_id: "ses_1.1", status: "accept_for_session", reason: "user" },
      { permission_id: "ses_1.2", metadata: { request_id: "r2" }, status: "requested" },
      { permission_id: "ses_1.2", status: "accept_for_session", reason: "policy" },
    ]);
  });

  test("with a reused id gets an id of its own, and keeps the server's id as the native one", async () => {
    const made = await Universal.of("codebuff", ACT);
    const talk = made.talk();
    for (const promptId of ["p-1", "p-2"]) {
      talk.prompt({ prompt: "go", promptId });
      await made.acknowledge();
      await made.hears(server.call({ userInputId: promptId }));
      await made.hears(server.response({}, promptId));
    }
    const requested = (await permissions(made)).filter(({ status }) => status === "requested");
    expect(requested).toMatchObject([
      { permission_id: "ses_1.1", metadata: { request_id: "r1", native_id: "r1" }, call_id: "r1" },
      { permission_id: "ses_1.2", metadata: { request_id: "r1~2", native_id: "r1" }, call_id: "r1~2" },
    ]);
    const calls = (await made.events()).flatMap((event) =>
      event.type === "item.completed" && event.data.item.kind === "tool_call" ? [event.data.item] : [],
    );
    expect(calls.map(({ native_item_id }) => native_item_id)).toEqual(["r1", "r1"]);
  });

  test("is rejected as cancelled when the prompt is cancelled: cancel-pending", async () => {
    const made = await Universal.of("codebuff", ASKED);
    const turn = await made.prompt();
    await made.hears(server.call());
    await turn.cancel();
    await made.settle();
    await made.expectGolden("cancel-pending");
    expect(made.sent.slice(-2)).toEqual(expect.arrayContaining(["cancel-user-input", "tool-call-response"]));
  });

  test("is rejected as disconnected when the socket is lost: server-close-pending", async () => {
    const made = await asked(ASKED);
    await made.hears(server.call());
    made.socket.ends(1006);
    await made.settle();
    await made.expectGolden("server-close-pending");
  });
});
