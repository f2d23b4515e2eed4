import { agentStep } from "agentwire/testing";
import { expect, test } from "vitest";
import { choose, play } from "./support.ts";

const { tool } = agentStep;

test("`turn.started` says nothing: the prompt is in flight", () =>
  play({ mock: { script: ["Hello"] } }, async ({ world, id }) => {
    await world.prompt(id, "hi");
    expect(world.kinds).toEqual(["agent_message_chunk"]);
  }));

test("assistant text is an `agent_message_chunk` per delta, with one `messageId` for each message", () =>
  play(
    { mock: { script: [["One. ", tool({ name: "ls", output: "a" }), "Two. "], ["Three."]] } },
    async ({ world, id }) => {
      await world.prompt(id, "hi");
      await world.prompt(id, "again");
      expect(world.text).toBe("One. Two. Three.");
      expect(new Set(world.of("agent_message_chunk").map(({ messageId }) => messageId)).size).toBe(3);
    },
  ));

test("reasoning is an `agent_thought_chunk`", () =>
  play({ mock: { script: [[agentStep.reasoning("Hm."), "Yes."]] } }, async ({ world, id }) => {
    await world.prompt(id, "hi");
    expect(world.of("agent_thought_chunk").map(({ content }) => content)).toEqual([
      { type: "text", text: "Hm." },
    ]);
    expect(world.text).toBe("Yes.");
  }));

test("the user's message comes back only in a replay", () =>
  play({ mock: { script: ["Hello"] } }, async ({ world, id }) => {
    await world.prompt(id, "hi");
    expect(world.of("user_message_chunk")).toEqual([]);
    await world.agent.request("session/load", { sessionId: id, cwd: "/project", mcpServers: [] });
    expect(world.of("user_message_chunk").map(({ content }) => content)).toEqual([
      { type: "text", text: "hi" },
    ]);
  }));

test("an image by its bytes is `image`, any other file is `resource_link`, a diff is `resource`", () =>
  play(
    {
      mock: {
        script: [
          [
            agentStep.image("data:image/png;base64,AAAA"),
            agentStep.file("/a b.txt"),
            agentStep.file("src/c.ts", { diff: "@@ -1 +1 @@" }),
          ],
        ],
      },
    },
    async ({ world, id }) => {
      await world.prompt(id, "hi");
      expect(world.of("agent_message_chunk").map(({ content }) => content)).toEqual([
        { type: "image", data: "AAAA", mimeType: "image/png" },
        { type: "resource_link", name: "a b.txt", uri: "file:///a%20b.txt" },
        { type: "resource", resource: { uri: "src/c.ts", mimeType: "text/x-diff", text: "@@ -1 +1 @@" } },
      ]);
    },
  ));

test("`tool_call` is a pending call with its title, kind, input and places", () =>
  play(
    {
      mock: {
        script: [
          [
            tool({
              name: "edit_file",
              title: "Edit a.ts",
              kind: "edit",
              input: { path: "a.ts" },
              locations: [{ path: "/project/a.ts", line: 3 }],
            }),
            tool({ name: "odd" }),
          ],
        ],
      },
    },
    async ({ world, id }) => {
      await world.prompt(id, "hi");
      const [edit, odd] = world.of("tool_call");
      expect(edit).toMatchObject({
        status: "pending",
        name: "edit_file",
        title: "Edit a.ts",
        kind: "edit",
        rawInput: { path: "a.ts" },
        locations: [{ path: "/project/a.ts", line: 3 }],
      });
      expect(odd).toMatchObject({ title: "odd", kind: "other", rawInput: {} });
      expect(odd?.toolCallId).not.toBe(edit?.toolCallId);
    },
  ));

test("the start and the deltas of a `tool_result` are `in_progress`, with cumulative content", () =>
  play({ mock: { script: [[tool({ name: "run", streams: ["a\n", "b\n"] })]] } }, async ({ world, id }) => {
    await world.prompt(id, "hi");
    const content = (text: string) => [{ type: "content", content: { type: "text", text } }];
    expect(world.of("tool_call_update").map(({ toolCallId, sessionUpdate, ...rest }) => rest)).toEqual([
      { status: "in_progress" },
      { status: "in_progress", content: content("a\n") },
      { status: "in_progress", content: content("a\nb\n") },
      { status: "completed", content: content("a\nb\n"), rawOutput: "a\nb\n" },
    ]);
  }));

test("a completed `tool_result` is `completed` with its output, a failed one is `failed`", () =>
  play(
    {
      mock: {
        script: [[tool({ name: "a", output: { sky: "clear" } }), tool({ name: "b", error: "no such file" })]],
      },
    },
    async ({ world, id }) => {
      await world.prompt(id, "hi");
      const ends = world
        .of("tool_call_update")
        .filter(({ status }) => status === "completed" || status === "failed");
      expect(ends).toMatchObject([
        {
          status: "completed",
          content: [{ content: { type: "text", text: '{"sky":"clear"}' } }],
          rawOutput: { sky: "clear" },
        },
        {
          status: "failed",
          content: [{ content: { type: "text", text: expect.stringContaining("no such file") } }],
        },
      ]);
    },
  ));

test("`permission.requested` is `session/request_permission` behind its call, with once, always and reject", () =>
  play(
    {
      mock: {
        script: [
          [
            "Now. ",
            tool({ name: "shell", input: { command: "ls" }, approval: true, grant: "`ls`", output: "a" }),
          ],
        ],
      },
      permission: choose("once"),
    },
    async ({ world, id }) => {
      await world.prompt(id, "hi");
      const [request] = world.permissions;
      const [call] = world.of("tool_call");
      expect(request).toEqual({
        sessionId: id,
        toolCall: expect.objectContaining({
          toolCallId: call?.toolCallId,
          title: "shell",
          rawInput: { command: "ls" },
        }),
        options: [
          { optionId: "once", name: "Allow once", kind: "allow_once" },
          { optionId: "always", name: "Always allow: `ls`", kind: "allow_always" },
          { optionId: "reject", name: "Reject", kind: "reject_once" },
        ],
      });
      expect(world.kinds).toEqual([
        "agent_message_chunk",
        "tool_call",
        "session/request_permission",
        "tool_call_update",
        "tool_call_update",
      ]);
    },
  ));

test("`permission.resolved` follows the response: the chosen option, and reject for `cancelled`", async () => {
  for (const [answer, decision] of [
    [choose("once"), "once"],
    [choose("always"), "always"],
    [choose("reject"), "reject"],
    [() => ({ outcome: { outcome: "cancelled" } }), "reject"],
  ] as const)
    await play(
      { mock: { script: [[tool({ name: "shell", approval: true })]] }, permission: answer },
      async ({ world, id, mock }) => {
        await world.prompt(id, "hi");
        expect(mock.decisions).toMatchObject([{ decision }]);
        expect(world.of("tool_call_update").at(-1)?.status).toBe(
          decision === "reject" ? "failed" : "completed",
        );
      },
    );
});

test("`question.requested` is a form with a field for each question, where the client has forms", () =>
  play(
    {
      mock: {
        script: [
          [
            agentStep.question({
              questions: [
                {
                  question: "Which?",
                  header: "File",
                  options: ["a", { label: "b", description: "the other" }],
                },
                { question: "All of?", options: ["x", "y"], multiSelect: true },
                "Why?",
              ],
            }),
          ],
        ],
      },
      elicitation: () => ({
        action: "accept",
        content: { question_1: "a", question_2: ["x", "y"], question_2_custom: "z", question_3: "because" },
      }),
    },
    async ({ world, id, mock }) => {
      await world.prompt(id, "hi");
      expect(world.elicitations).toMatchObject([
        {
          sessionId: id,
          mode: "form",
          requestedSchema: {
            required: ["question_3"],
            properties: {
              question_1: {
                type: "string",
                title: "File",
                description: "Which?",
                oneOf: [
                  { const: "a", title: "a" },
                  { const: "b", title: "b", description: "the other" },
                ],
              },
              question_1_custom: { type: "string" },
              question_2: { type: "array", items: { anyOf: [{ const: "x" }, { const: "y" }] } },
              question_3: { type: "string", title: "Why?" },
            },
          },
        },
      ]);
      expect(mock.answers).toMatchObject([{ answers: [["a"], ["x", "y", "z"], ["because"]] }]);
    },
  ));

test("`question.requested` with one choice is a permission request, where the client has no forms", () =>
  play(
    {
      mock: { script: [[agentStep.question({ questions: [{ question: "Which?", options: ["a", "b"] }] })]] },
      permission: choose("answer-2"),
      offers: {},
    },
    async ({ world, id, mock }) => {
      await world.prompt(id, "hi");
      expect(world.permissions).toMatchObject([
        {
          toolCall: { title: "Which?" },
          options: [
            { optionId: "answer-1", name: "a", kind: "allow_once" },
            { optionId: "answer-2", name: "b", kind: "allow_once" },
            { optionId: "reject", kind: "reject_once" },
          ],
        },
      ]);
      expect(mock.answers).toMatchObject([{ answers: [["b"]] }]);
    },
  ));

test("any other `question.requested` is declined, where the client has no forms", () =>
  play(
    { mock: { script: [[agentStep.question("Why?"), "Well."]] }, offers: {} },
    async ({ world, id, mock }) => {
      await world.prompt(id, "hi");
      expect([world.permissions, world.elicitations]).toEqual([[], []]);
      expect(mock.answers).toMatchObject([{ answers: undefined }]);
      expect(world.text).toBe("Well.");
    },
  ));

test("a sub-agent is a call of kind `other` with its name, and its text is the content", () =>
  play(
    {
      mock: {
        script: [
          [
            agentStep.subagent({
              type: "file-picker",
              name: "File Picker",
              prompt: "Find it.",
              steps: [agentStep.text("Found ", { deltas: "whole" }), tool({ name: "ls" }), "it."],
            }),
          ],
        ],
      },
    },
    async ({ world, id }) => {
      await world.prompt(id, "hi");
      const [agent, inner] = world.of("tool_call");
      expect(agent).toMatchObject({
        title: "File Picker",
        name: "file-picker",
        kind: "other",
        rawInput: { prompt: "Find it." },
      });
      expect(inner).toMatchObject({ name: "ls" });
      const said = world.of("tool_call_update").filter(({ toolCallId }) => toolCallId === agent?.toolCallId);
      expect(said.findLast(({ content }) => content)).toMatchObject({
        content: [{ content: { type: "text", text: "Found \n\nit." } }],
      });
      expect(said.at(-1)?.status).toBe("completed");
      expect(world.text).toBe("");
    },
  ));

const STATUSES = [
  agentStep.status("thinking", "hard"),
  agentStep.status("title", "A title"),
  agentStep.data({ odd: 1 }),
];

test("other statuses and unknown messages are notices, and `title` is the session's title", () =>
  play({ mock: { script: [STATUSES] } }, async ({ world, id }) => {
    await world.prompt(id, "hi");
    expect(world.of("session_info_update")).toMatchObject([{ title: "A title" }]);
    expect(world.of("notice")).toMatchObject([
      { severity: "info", title: "thinking", description: "hard" },
      { severity: "info", title: "unknown", description: expect.stringContaining("odd") },
    ]);
  }));

test("a client without notices gets none", () =>
  play(
    { mock: { script: [[...STATUSES, agentStep.error("a problem"), agentStep.notice("n")]] }, offers: {} },
    async ({ world, id }) => {
      await world.prompt(id, "hi");
      expect(world.kinds).toEqual(["session_info_update"]);
    },
  ));

test("usage is a `usage_update` only if the size of the window is known, with the session's cost", () =>
  play(
    {
      mock: {
        script: [
          [
            agentStep.usage({ inputTokens: 3, outputTokens: 4 }),
            agentStep.cost(2),
            agentStep.context({ used: 5 }),
          ],
          [agentStep.context({ used: 6, size: 100 }), agentStep.cost(3)],
        ],
      },
    },
    async ({ world, id }) => {
      expect(await world.prompt(id, "hi")).toEqual({
        stopReason: "end_turn",
        usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
      });
      expect(world.of("usage_update")).toEqual([]);
      await world.prompt(id, "again");
      expect(world.of("usage_update").at(-1)).toMatchObject({
        used: 6,
        size: 100,
        cost: { amount: 5, currency: "credits" },
      });
    },
  ));

test("an `error` that does not end the turn is a notice", () =>
  play({ mock: { script: [[agentStep.error("a problem", "mock.small"), "On."]] } }, async ({ world, id }) => {
    expect(await world.prompt(id, "hi")).toMatchObject({ stopReason: "end_turn" });
    expect(world.of("notice")).toMatchObject([
      { severity: "error", title: "a problem", description: "mock.small" },
    ]);
  }));

test("a completed turn is `end_turn`", () =>
  play({ mock: { script: ["Hello"] } }, async ({ world, id }) => {
    expect(await world.prompt(id, "hi")).toEqual({ stopReason: "end_turn" });
  }));

test("a cancelled turn is `cancelled`", () =>
  play({ mock: { script: [["On ", agentStep.hang()]] } }, async ({ world, id }) => {
    const response = world.prompt(id, "hi");
    await world.until(({ text }) => text !== "");
    await world.cancel(id);
    expect(await response).toEqual({ stopReason: "cancelled" });
  }));

test("a failed turn is the error -32603 with its text as the message, and no notice", () =>
  play(
    { mock: { script: [[agentStep.fail("the model is overloaded", { kind: "overloaded" })]] } },
    async ({ world, id }) => {
      await expect(world.prompt(id, "hi")).rejects.toMatchObject({
        code: -32_603,
        message: expect.stringContaining("the model is overloaded"),
        data: { code: expect.any(String), details: null },
      });
      expect(world.of("notice")).toEqual([]);
    },
  ));

test("a turn that fails for lack of a login is the error -32000", () =>
  play(
    { mock: { script: [[agentStep.fail("sign in first", { kind: "auth", status: 401 })]] } },
    async ({ world, id }) => {
      await expect(world.prompt(id, "hi")).rejects.toMatchObject({
        code: -32_000,
        message: expect.stringContaining("sign in first"),
      });
    },
  ));

test("after `session.ended` the next prompt gets an answer or an error, and hangs never", () =>
  play({ mock: { script: [[agentStep.close("for good")], ["Back."]] } }, async ({ world, id }) => {
    await expect(world.prompt(id, "hi")).rejects.toMatchObject({ code: -32_603 });
    await world.prompt(id, "again").catch(() => {});
  }));
