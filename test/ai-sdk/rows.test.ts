import type { UIMessageChunk } from "ai";
import { describe, expect, test } from "vitest";
import type { ContentPart } from "../../src/universal/events.ts";
import { Script } from "../universal/build.ts";
import { chunksOf, messageOf } from "./support.ts";

const script = (metadata = {}): Script => new Script().session().turn("go", metadata);

/** The chunks between the start of the turn and its end. */
async function inTurn(made: Script): Promise<UIMessageChunk[]> {
  const chunks = await chunksOf(made.turnEnded().events);
  await messageOf(chunks);
  expect(chunks.slice(0, 2).map(({ type }) => type)).toEqual(["start", "start-step"]);
  expect(chunks.slice(-2).map(({ type }) => type)).toEqual(["finish-step", "finish"]);
  return chunks.slice(2, -2);
}

const endOf = async (made: Script): Promise<UIMessageChunk[]> => (await chunksOf(made.events)).slice(2);

const item = (made: Script, ...content: ContentPart[]): Script => {
  made.item({ content });
  return made;
};

const status = (label: string, detail: string | null = null, json?: unknown): Script => {
  const made = script();
  made.status(label, detail, json);
  return made;
};

const PNG = "data:image/png;base64,aGk=";

describe("the rows of the table", () => {
  test("`turn.started`", async () => {
    const [start, step] = await chunksOf(script({ prompt_id: "msg_1" }).events);
    expect(start).toEqual({
      type: "start",
      messageId: "ses_1/trn_1",
      messageMetadata: { promptId: "msg_1" },
    });
    expect(step).toEqual({ type: "start-step" });
  });

  test("assistant text", async () => {
    const made = script();
    made.message(["Hello ", "you"]);
    expect(await inTurn(made)).toEqual([
      { type: "text-start", id: "ses_1/itm_2" },
      { type: "text-delta", id: "ses_1/itm_2", delta: "Hello " },
      { type: "text-delta", id: "ses_1/itm_2", delta: "you" },
      { type: "text-end", id: "ses_1/itm_2" },
    ]);
  });

  test("reasoning, public only", async () => {
    const made = script();
    made.message(["Hm"], { type: "reasoning" });
    made.item({ content: [{ type: "reasoning", text: "secret", visibility: "private" }] });
    expect((await inTurn(made)).map(({ type }) => type)).toEqual([
      "reasoning-start",
      "reasoning-delta",
      "reasoning-end",
    ]);
  });

  test("user item", async () => {
    expect(await inTurn(script())).toEqual([]);
  });

  test("image or file", async () => {
    const made = item(
      script(),
      { type: "image", path: PNG, mime: null },
      { type: "image", path: "https://example.com/a.gif", mime: "image/gif" },
      { type: "file_ref", path: "data:audio/mpeg;base64,aGk=", action: "read", diff: null },
      { type: "file_ref", path: "src/a.ts", action: "patch", diff: "@@" },
      { type: "image", path: "javascript:alert(1)", mime: null },
    );
    item(
      made,
      { type: "reasoning", text: "Look", visibility: "public" },
      { type: "image", path: PNG, mime: "image/png" },
    );
    expect((await inTurn(made)).filter(({ type }) => type.endsWith("file"))).toEqual([
      { type: "file", url: PNG, mediaType: "image/png" },
      { type: "file", url: "https://example.com/a.gif", mediaType: "image/gif" },
      { type: "file", url: "data:audio/mpeg;base64,aGk=", mediaType: "audio/mpeg" },
      expect.objectContaining({ type: "data-file", data: { path: "src/a.ts", action: "patch", diff: "@@" } }),
      expect.objectContaining({
        type: "data-file",
        data: { path: "javascript:alert(1)", action: "read", diff: null },
      }),
      { type: "reasoning-file", url: PNG, mediaType: "image/png" },
    ]);
  });

  test("`tool_call`, `tool_result`", async () => {
    const made = script();
    made.result(made.call("read_file", { path: "a" }), "whole", { pieces: ["wh", "ol"] });
    const of = { toolCallId: "ses_1/call_1", toolName: "read_file", dynamic: true, providerExecuted: true };
    const output = { type: "tool-output-available", toolCallId: "ses_1/call_1" };
    expect(await inTurn(made)).toEqual([
      { type: "tool-input-start", ...of },
      { type: "tool-input-available", ...of, input: { path: "a" } },
      { ...output, output: "wh", preliminary: true },
      { ...output, output: "whol", preliminary: true },
      { ...output, output: "whole" },
    ]);
  });

  test("a failed `tool_result`", async () => {
    const made = script();
    made.result(made.call(), "no such file", { status: "failed" });
    expect((await inTurn(made)).at(-1)).toEqual({
      type: "tool-output-error",
      toolCallId: "ses_1/call_1",
      errorText: "no such file",
    });
  });

  test("a long output is shown whole each time, but not so often that it takes quadratic time", async () => {
    const made = script();
    const piece = "x".repeat(1_000);
    made.result(made.call(), piece.repeat(1_000), { pieces: Array.from({ length: 1_000 }, () => piece) });
    const chunks = await inTurn(made);
    const sent = chunks.reduce((sum, chunk) => sum + JSON.stringify(chunk).length, 0);
    expect(sent).toBeLessThan(25 * 1_000_000);
    expect(chunks.at(-1)).toMatchObject({ output: piece.repeat(1_000) });
  });

  const link = { permission_id: "ses_1.1", item_id: "itm_2", call_id: "call_1" } as const;
  const approval = { type: "tool-approval-request", approvalId: "ses_1.1", toolCallId: "ses_1/call_1" };
  const response = { type: "tool-approval-response", approvalId: "ses_1.1" };

  test("`permission.resolved` by policy", async () => {
    const made = script();
    const ids = made.call();
    made.permission("requested", link).permission("accept", { ...link, reason: "policy" });
    made.result(ids);
    expect((await inTurn(made)).slice(2, 4)).toEqual([
      { ...approval, isAutomatic: true },
      { ...response, approved: true, reason: "policy" },
    ]);
  });

  test("`permission.resolved` by the user elsewhere", async () => {
    const made = script();
    const ids = made.call();
    made.permission("requested", link).permission("accept", { ...link, reason: "user" });
    made.result(ids);
    expect((await inTurn(made)).map(({ type }) => type)).not.toContain("tool-approval-request");
  });

  test("a rejected call", async () => {
    const made = script();
    const ids = made.call();
    made.permission("requested", link).permission("reject", { ...link, reason: "timeout" });
    made.result(ids, "denied", { status: "failed" });
    expect((await inTurn(made)).slice(2)).toEqual([
      approval,
      { ...response, approved: false, reason: "timeout" },
      { type: "tool-output-denied", toolCallId: "ses_1/call_1" },
    ]);
  });

  test("a question that nobody could answer here", async () => {
    const made = script();
    const ids = made.call("ask_user", {});
    made.question("requested", { call_id: ids.call });
    made.question("answered", { call_id: ids.call, response: "Yes" });
    made.result(ids, "{}");
    const chunks = await inTurn(made);
    expect(chunks.map(({ type }) => type)).toEqual([
      "tool-input-start",
      "tool-input-available",
      "tool-output-available",
    ]);
    expect(chunks.at(-1)).toMatchObject({ toolCallId: "qst_1", output: [["Yes"]], providerExecuted: true });
  });

  test("a call of `ask_user` without a question stays a tool", async () => {
    const made = script();
    made.result(made.call("ask_user", {}), "nobody was asked", { status: "failed" });
    expect((await inTurn(made)).at(-1)).toMatchObject({ errorText: "nobody was asked" });
  });

  test("sub-agent", async () => {
    const made = script();
    const agent = made.subagent("file-picker", "Fletcher");
    made.message(["I ", "look"], { parent: agent });
    made.tool("read_file", {}, "ok", agent);
    made.complete(agent);
    const chunks = await inTurn(made);
    const data = { type: "file-picker", name: "Fletcher", status: "running" };
    expect(chunks.filter(({ type }) => type === "data-subagent")).toEqual([
      { type: "data-subagent", id: "ses_1/itm_2", data: { ...data, text: "" } },
      { type: "data-subagent", id: "ses_1/itm_2", data: { ...data, text: "I " } },
      { type: "data-subagent", id: "ses_1/itm_2", data: { ...data, text: "I look" } },
      { type: "data-subagent", id: "ses_1/itm_2", data: { ...data, text: "I look", status: "done" } },
    ]);
    expect(chunks.find(({ type }) => type === "tool-input-start")).toMatchObject({
      toolMetadata: { agent: "ses_1/itm_2" },
    });
  });

  test("other status", async () => {
    expect(await inTurn(status("thinking", "hard", { memories: 1 }))).toEqual([
      {
        type: "data-status",
        data: { label: "thinking", detail: "hard", json: { memories: 1 } },
        transient: true,
      },
    ]);
    expect(await inTurn(status("connection.lost", "1006"))).toEqual([
      { type: "data-status", data: { label: "connection.lost", detail: "1006" }, transient: true },
    ]);
    const failed = script();
    failed.item({ kind: "status", content: [{ type: "status", label: "download", detail: null }] }, "failed");
    expect(await inTurn(failed)).toMatchObject([{ data: { label: "download", failed: true } }]);
  });

  test("`system`, `unknown`, data", async () => {
    const made = script();
    made.item({ kind: "system", content: [{ type: "text", text: "news" }] });
    made.item({ kind: "unknown", content: [{ type: "json", json: { odd: 1 } }] });
    expect(await inTurn(made)).toEqual([
      { type: "data-status", data: { label: "system", detail: "news" }, transient: true },
      { type: "custom", kind: "agentwire.json", providerMetadata: { agentwire: { json: { odd: 1 } } } },
    ]);
  });

  test("label `title`", async () => {
    expect(await inTurn(status("title", "Tests"))).toEqual([
      { type: "data-title", id: "title", data: { title: "Tests" } },
    ]);
  });

  test("`error`, turn goes on", async () => {
    const made = script().error("a small problem", { code: "mock.small", turn_id: "trn_1" });
    expect(await inTurn(made)).toEqual([
      { type: "data-error", data: { message: "a small problem", code: "mock.small" }, transient: true },
    ]);
  });

  test("`turn.ended` completed; usage, cost", async () => {
    const usage = {
      input_tokens: 3,
      output_tokens: 2,
      cache_read_tokens: 1,
      context_tokens: 9,
      context_window: 100,
    };
    const cost = { total: 3, currency: "credits" };
    const made = script().turnEnded({ usage, cost, model: "m", stop_reason: "max_tokens" });
    expect(await endOf(made)).toEqual([
      { type: "message-metadata", messageMetadata: { context: { used: 9, size: 100 } } },
      { type: "finish-step" },
      {
        type: "finish",
        finishReason: "length",
        messageMetadata: {
          status: "completed",
          stopReason: "max_tokens",
          model: "m",
          cost,
          usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5, cacheReadTokens: 1 },
        },
      },
    ]);
  });

  test.each([
    [undefined, "stop"],
    ["refusal", "content-filter"],
  ])("the stop reason %s", async (stop_reason, finishReason) => {
    const made = script().turnEnded(stop_reason === undefined ? {} : { stop_reason });
    expect((await endOf(made)).at(-1)).toMatchObject({ finishReason });
  });

  test("`turn.ended` cancelled", async () => {
    const made = script();
    made.delta(made.start(), "So far");
    made.turnEnded({ status: "cancelled" });
    expect((await endOf(made)).map(({ type }) => type)).toEqual([
      "text-start",
      "text-delta",
      "text-end",
      "finish-step",
      "message-metadata",
      "abort",
    ]);
  });

  test("`turn.ended` failed", async () => {
    const made = script()
      .error("it broke", { code: "mock.failed", turn_id: "trn_1" })
      .turnEnded({ status: "failed" });
    expect(await endOf(made)).toEqual([
      { type: "finish-step" },
      { type: "message-metadata", messageMetadata: { status: "failed" } },
      { type: "error", errorText: expect.stringContaining("it broke") },
    ]);
  });

  test.each([
    ["completed", "finish"],
    ["error", "error"],
    ["terminated", "abort"],
  ] as const)("`session.ended` %s in a turn", async (reason, type) => {
    expect((await endOf(script().sessionEnded({ reason }))).at(-1)?.type).toBe(type);
  });

  test("a turn that failed before it began", async () => {
    const made = new Script().session().error("refused").turnEnded({ status: "failed" });
    expect((await chunksOf(made.events)).at(-1)?.type).toBe("error");
  });

  test("`agent.unparsed`", async () => {
    const made = script().add("agent.unparsed", { error: "odd", location: "mock/frame", raw_hash: null });
    expect(await inTurn(made)).toEqual([]);
  });
});

describe("the words", () => {
  test("branch", async () => {
    const [start] = await chunksOf(script({ branch_of: "ses_1/trn_0" }).events);
    expect(start).toMatchObject({ messageMetadata: { branchOf: "ses_1/trn_0" } });
  });

  test("plan", async () => {
    const entries = [{ content: "Test", status: "pending" }];
    expect(await inTurn(status("plan", null, { entries }))).toEqual([
      { type: "data-plan", id: "plan", data: { entries } },
    ]);
  });

  test("context", async () => {
    expect(await inTurn(status("context", null, { used: 5, size: 10 }))).toEqual([
      { type: "message-metadata", messageMetadata: { context: { used: 5, size: 10 } } },
    ]);
  });

  test("notice", async () => {
    expect(await inTurn(status("notice", "Slow today", { severity: "warning" }))).toEqual([
      { type: "data-notice", id: "ses_1/itm_2", data: { severity: "warning", text: "Slow today" } },
    ]);
  });

  test("compaction", async () => {
    const made = status("compaction", null, { state: "started" });
    made.status("compaction", null, { state: "completed", summary: "short" });
    expect(await inTurn(made)).toEqual([
      { type: "data-compaction", id: "compaction", data: { state: "started" } },
      { type: "data-compaction", id: "compaction", data: { state: "completed", summary: "short" } },
    ]);
  });

  test("mode, model, commands", async () => {
    const choice = { current: "a", available: [{ id: "a", name: "A" }] };
    const made = status("mode", null, choice);
    made.status("model", null, choice);
    const available = [{ name: "test", description: "Run the tests" }];
    made.status("commands", null, { available });
    expect(await inTurn(made)).toEqual([
      { type: "data-mode", data: choice, transient: true },
      { type: "data-model", data: choice, transient: true },
      { type: "data-commands", data: { available }, transient: true },
    ]);
  });

  test("tool facts", async () => {
    const made = script();
    made.item({
      kind: "tool_call",
      native_item_id: "c",
      content: [
        {
          type: "tool_call",
          name: "edit",
          arguments: "{}",
          call_id: "c",
          title: "Edit a.ts",
          tool_kind: "edit",
          locations: [{ path: "a.ts", line: 3 }],
        },
      ],
    });
    expect((await inTurn(made))[0]).toMatchObject({
      title: "Edit a.ts",
      toolMetadata: { kind: "edit", locations: [{ path: "a.ts", line: 3 }] },
    });
  });

  test("call state: a call that was denied without a request", async () => {
    const made = script();
    const ids = made.call();
    const result = made.start({ kind: "tool_result", native_item_id: ids.call, parent_id: ids.item });
    made.add("item.completed", {
      item: {
        item_id: result,
        native_item_id: ids.call,
        parent_id: ids.item,
        kind: "tool_result",
        role: "tool",
        content: [{ type: "tool_result", call_id: ids.call, output: "the server said no" }],
        status: "failed",
      },
      state: "denied",
    });
    const chunks = await inTurn(made);
    expect(chunks.slice(-3).map(({ type }) => type)).toEqual([
      "tool-approval-request",
      "tool-approval-response",
      "tool-output-denied",
    ]);
  });

  test("call state: a call that the end of the turn abandons", async () => {
    const made = script();
    made.call();
    expect((await inTurn(made)).at(-1)).toMatchObject({ type: "tool-output-error" });
  });

  const call = (args: string): ContentPart => ({
    type: "tool_call",
    name: "write",
    arguments: args,
    call_id: "c",
  });

  test("streamed arguments", async () => {
    const made = script();
    const id = made.start({ kind: "tool_call", native_item_id: "c", content: [call("")] });
    made.delta(id, '{"pa', "tool_arguments").delta(id, 'th":1}', "tool_arguments").complete(id);
    const chunks = await inTurn(made);
    expect(chunks.slice(0, 4)).toMatchObject([
      { type: "tool-input-start" },
      { type: "tool-input-delta", inputTextDelta: '{"pa' },
      { type: "tool-input-delta", inputTextDelta: 'th":1}' },
      { type: "tool-input-available", input: { path: 1 } },
    ]);
  });

  test("streamed arguments that were cut", async () => {
    const made = script();
    const id = made.start({ kind: "tool_call", native_item_id: "c", content: [call("")] });
    made.delta(id, '{"pa', "tool_arguments");
    made.complete(id, { status: "failed", content: [call(JSON.stringify('{"pa'))] });
    expect((await inTurn(made)).at(-1)).toMatchObject({ type: "tool-input-error", input: '{"pa' });
  });

  test("citation", async () => {
    const made = script();
    const id = made.start();
    made.delta(id, "As they say.");
    const annotations = [
      { url: "https://example.com", title: "Example", start: 0, end: 2 },
      { path: "docs/a.md" },
      { url: "javascript:alert(1)" },
    ];
    made.complete(id, { content: [{ type: "text", text: "As they say.", annotations }] });
    const chunks = await inTurn(made);
    expect(chunks.slice(2)).toMatchObject([
      {
        type: "text-end",
        citations: [
          {
            source: { sourceType: "url", url: "https://example.com", title: "Example" },
            startIndex: 0,
            endIndex: 2,
          },
          { source: { sourceType: "document", title: "docs/a.md" } },
          { source: { sourceType: "document", title: "javascript:alert(1)" } },
        ],
      },
      { type: "source-url", url: "https://example.com", title: "Example" },
      { type: "source-document", filename: "docs/a.md" },
      { type: "source-document" },
    ]);
  });

  test("prompt id", async () => {
    const [start] = await chunksOf(script({ prompt_id: "msg_7" }).events);
    expect(start).toMatchObject({ messageMetadata: { promptId: "msg_7" } });
  });

  test("a further message of the user in the turn", async () => {
    const made = script();
    made.user([{ type: "text", text: "also the docs" }]);
    expect(await inTurn(made)).toEqual([
      { type: "steering-message", id: "ses_1/itm_2", parts: [{ type: "text", text: "also the docs" }] },
    ]);
  });
});
