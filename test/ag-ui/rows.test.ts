// Each row of the table at `toAgUi`, and each word of the universal events, by name.
import type { AgUiEvent } from "agentwire/ag-ui";
import type { ContentPart, TurnEndMetadata } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { Script } from "../universal/build.ts";
import { told } from "./support/judge.ts";
import { mapped, RUN } from "./support/mapped.ts";

/** The events between the start of the turn and its end. */
async function turnOf(
  play: (script: Script) => unknown,
  end: Partial<TurnEndMetadata> = {},
): Promise<AgUiEvent[]> {
  const script = new Script().session().turn("go");
  play(script);
  return (await mapped(script.turnEnded(end).events)).slice(2, -1);
}

async function lastOf(
  end: Partial<TurnEndMetadata>,
  play: (script: Script) => unknown = () => {},
): Promise<AgUiEvent | undefined> {
  const script = new Script().session().turn("go");
  play(script);
  return (await mapped(script.turnEnded(end).events)).at(-1);
}

const status = (label: string, json: unknown, detail: string | null = null): ContentPart[] => [
  { type: "status", label, detail },
  { type: "json", json },
];

const attribution = { subagentRunId: "ses_1:itm_3" };

describe("the rows of 9.5", () => {
  test("turn.started is RUN_STARTED, with the version of the protocol", async () => {
    const [first] = await mapped(new Script().session().turn("go").turnEnded().events);
    expect(first).toEqual({ type: "RUN_STARTED", ...RUN, protocolVersion: "1.0" });
  });

  test("turn.ended completed is RUN_FINISHED success, with usage and cost", async () => {
    const usage = { input_tokens: 10, output_tokens: 5, cache_read_tokens: 4, context_window: 100 };
    const cost = { total: 3, currency: "credits" };
    expect(await lastOf({ usage, cost, model: "m", stop_reason: "end_turn" })).toEqual({
      type: "RUN_FINISHED",
      ...RUN,
      outcome: { type: "success" },
      usage: [{ model: "m", inputTokens: 10, outputTokens: 5, totalTokens: 15, cachedInputTokens: 4 }],
      metadata: { agentwire: { turnId: "ses_1:trn_1", cost, model: "m", stopReason: "end_turn", usage } },
    });
  });

  test("turn.ended failed is RUN_ERROR with the error that ended the turn, and that error comes once", async () => {
    const script = new Script().session().turn("go").error("no credits", { code: "x.http_402" });
    const all = await mapped(script.turnEnded({ status: "failed" }).events);
    expect(told(all)).toEqual(["RUN_STARTED", "CUSTOM agentwire.turn", "RUN_ERROR x.http_402"]);
    expect(all.at(-1)).toMatchObject({ metadata: { agentwire: { error: "no credits" } } });
  });

  test("turn.ended cancelled is RUN_FINISHED cancelled", async () => {
    expect(await lastOf({ status: "cancelled" })).toMatchObject({ outcome: { type: "cancelled" } });
  });

  test("text is TEXT_MESSAGE_START, CONTENT for each piece that is not empty, and END", async () => {
    const all = await turnOf((script) => {
      script.message(["Hel", "", "lo"]);
      script.message([]);
    });
    expect(told(all)).toEqual([
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT Hel",
      "TEXT_MESSAGE_CONTENT lo",
      "TEXT_MESSAGE_END",
    ]);
    expect(all[0]).toMatchObject({ messageId: "ses_1:itm_2", role: "assistant" });
  });

  test("reasoning is the REASONING_ events, and private reasoning is left out", async () => {
    const all = await turnOf((script) => {
      script.message(["Hm"], { type: "reasoning" });
      const secret = script.start();
      script.add("item.delta", {
        item_id: secret,
        native_item_id: null,
        delta: "secret",
        part: { type: "reasoning", visibility: "private" },
      });
      script.complete(secret);
    });
    expect(told(all)).toEqual([
      "REASONING_START",
      "REASONING_MESSAGE_START",
      "REASONING_MESSAGE_CONTENT Hm",
      "REASONING_MESSAGE_END",
      "REASONING_END",
    ]);
  });

  test("tool_call and tool_result are TOOL_CALL_START, ARGS, END and RESULT", async () => {
    const all = await turnOf((script) => script.tool("read_file", { path: "a" }, "text"));
    expect(told(all)).toEqual([
      "TOOL_CALL_START read_file",
      'TOOL_CALL_ARGS {"path":"a"}',
      "TOOL_CALL_END",
      "TOOL_CALL_RESULT text",
    ]);
    expect(all.at(-1)).toMatchObject({ toolCallId: "ses_1:call_1", role: "tool", messageId: "ses_1:itm_3" });
  });

  test("the output of a running tool is CUSTOM tool_output", async () => {
    const all = await turnOf((script) => script.result(script.call(), "ab", { pieces: ["a", "b"] }));
    expect(all.filter(({ type }) => type === "CUSTOM")).toEqual([
      { type: "CUSTOM", name: "agentwire.tool_output", value: { toolCallId: "ses_1:call_1", delta: "a" } },
      { type: "CUSTOM", name: "agentwire.tool_output", value: { toolCallId: "ses_1:call_1", delta: "b" } },
    ]);
  });

  test("a call without a result gets one at the end, so that no page takes it for its own tool", async () => {
    const all = await turnOf((script) => script.call("rm"));
    expect(all.at(-1)).toMatchObject({
      type: "TOOL_CALL_RESULT",
      toolCallId: "ses_1:call_1",
      metadata: { agentwire: { state: "abandoned" } },
    });
  });

  test("permission.requested and permission.resolved are CUSTOM permission, where nobody can answer", async () => {
    const all = await turnOf((script) => {
      const { item, call } = script.call("rm");
      const link = { permission_id: "ses_1.1", item_id: item, call_id: call };
      script.permission("requested", link).permission("reject", { ...link, reason: "policy" });
    });
    expect(all.filter(({ type }) => type === "CUSTOM")).toMatchObject([
      { value: { id: "ses_1.1", toolCallId: "ses_1:call_1", status: "requested" } },
      { value: { id: "ses_1.1", toolCallId: "ses_1:call_1", status: "reject", reason: "policy" } },
    ]);
  });

  test("question.requested and question.resolved are CUSTOM question, where nobody can answer", async () => {
    const all = await turnOf((script) => {
      const link = { question_id: "ses_1.1" };
      script.question("requested", link).question("answered", { ...link, reason: "user" });
    });
    expect(all).toMatchObject([
      { name: "agentwire.question", value: { id: "ses_1.1", status: "requested" } },
      { name: "agentwire.question", value: { id: "ses_1.1", status: "answered", reason: "user" } },
    ]);
  });

  test("a status is CUSTOM status, a system item a system message, an unknown item RAW", async () => {
    const all = await turnOf((script) => {
      script.status("thinking", "hard", { memories: 1 });
      script.item({ kind: "system", content: [{ type: "text", text: "news" }] });
      script.item({ kind: "unknown", content: [{ type: "json", json: { type: "odd" } }] });
    });
    expect(all).toMatchObject([
      {
        name: "agentwire.status",
        value: { label: "thinking", detail: "hard", json: { memories: 1 } },
      },
      { type: "TEXT_MESSAGE_START", role: "system" },
      { delta: "news" },
      { type: "TEXT_MESSAGE_END" },
      { type: "RAW", event: { type: "odd" } },
    ]);
  });

  test("files and images of an answer are activities of the type file, and its data CUSTOM data", async () => {
    const all = await turnOf((script) =>
      script.item({
        content: [
          { type: "file_ref", path: "a.ts", action: "patch", diff: "@@" },
          { type: "image", path: "https://x/y.png", mime: "image/png" },
          { type: "json", json: { gesture: "nod" } },
        ],
      }),
    );
    expect(all).toMatchObject([
      {
        activityType: "file",
        messageId: "ses_1:itm_2:0",
        content: { path: "a.ts", action: "patch", diff: "@@" },
      },
      { activityType: "file", content: { path: "https://x/y.png", mediaType: "image/png" } },
      { type: "CUSTOM", name: "agentwire.data", value: { gesture: "nod" } },
    ]);
  });

  test("media of a tool result are parts of its message; a path of the agent's machine is not", async () => {
    const more: ContentPart[] = [
      { type: "image", path: "data:image/png;base64,AAAA", mime: null },
      { type: "image", path: "https://x/y.png", mime: "image/png" },
      { type: "image", path: "out/z.png", mime: "image/png" },
      { type: "file_ref", path: "data:audio/mp3;base64,BBBB", action: "read", diff: null },
      { type: "file_ref", path: "a.ts", action: "write", diff: "@@" },
    ];
    const all = await turnOf((script) => script.result(script.call(), "out", { more }));
    expect(all.at(-1)).toMatchObject({
      content: [
        { type: "text", text: "out" },
        { type: "image", source: { type: "data", value: "AAAA", mimeType: "image/png" } },
        { type: "image", source: { type: "url", value: "https://x/y.png", mimeType: "image/png" } },
        { type: "audio", source: { type: "data", value: "BBBB", mimeType: "audio/mp3" } },
      ],
      metadata: { agentwire: { files: [{ path: expect.any(String) }, { path: "a.ts", diff: "@@" }] } },
    });
  });

  test("an error that does not end the turn is CUSTOM error, in its place", async () => {
    const all = await turnOf((script) => script.error("odd", { code: "x.odd" }).message(["Hi"]));
    expect(told(all)[0]).toBe("CUSTOM agentwire.error");
    expect(all[0]).toMatchObject({ value: { message: "odd", code: "x.odd" } });
    const [last] = await turnOf((script) => script.error("odd"));
    expect(last).toMatchObject({ name: "agentwire.error" });
  });

  test("agent.unparsed is CUSTOM unparsed", async () => {
    const data = { error: "bad", location: "x/frame", raw_hash: null };
    expect(await turnOf((script) => script.add("agent.unparsed", data))).toMatchObject([
      { name: "agentwire.unparsed", value: data },
    ]);
  });

  test("the user's item and what comes between turns are left out", async () => {
    const script = new Script().session().turn("go").turnEnded().error("between");
    script.status("connection.lost");
    const all = await mapped(script.turn("again").turnEnded().sessionEnded().events);
    expect(told(all)).toEqual([
      "RUN_STARTED",
      "CUSTOM agentwire.turn",
      "RUN_FINISHED success",
      "RUN_STARTED",
      "CUSTOM agentwire.turn",
      "RUN_FINISHED success",
    ]);
    expect(all.filter((event) => event.type === "RUN_STARTED").map(({ runId }) => runId)).toEqual([
      "run",
      "run.2",
    ]);
  });
});

describe("the words of section 12", () => {
  test("branch: turn.started says what the turn replaces, a status which branch is shown", async () => {
    const script = new Script().session().turn("go", { branch_of: "m1" });
    script.item({ kind: "status", content: status("branch", { of: "m1", selected: "m2" }) });
    const all = await mapped(script.turnEnded().events);
    expect(all[1]).toMatchObject({ name: "agentwire.turn", value: { branchOf: "m1" } });
    expect(all[2]).toMatchObject({ value: { label: "branch", json: { of: "m1", selected: "m2" } } });
  });

  test("plan: an activity of the type plan, which the next plan of the turn replaces", async () => {
    const plan = (state: string) => ({ entries: [{ content: "a", status: state }] });
    const all = await turnOf((script) => {
      script.item({ kind: "status", content: status("plan", plan("pending")) });
      script.item({ kind: "status", content: status("plan", plan("completed")) });
    });
    const messageId = "ses_1:trn_1:plan";
    expect(all).toEqual([
      { type: "ACTIVITY_SNAPSHOT", messageId, activityType: "plan", content: plan("pending") },
      { type: "ACTIVITY_SNAPSHOT", messageId, activityType: "plan", content: plan("completed") },
    ]);
  });

  test("notice: an activity of the type notice", async () => {
    const content = status("notice", { severity: "warning" }, "Slow today");
    expect(await turnOf((script) => script.item({ kind: "status", content }))).toMatchObject([
      { activityType: "notice", content: { severity: "warning", text: "Slow today" } },
    ]);
  });

  test("compaction: activities of the type compaction", async () => {
    const all = await turnOf((script) => {
      script.item({ kind: "status", content: status("compaction", { state: "started" }) });
      script.item({ kind: "status", content: status("compaction", { state: "completed", summary: "s" }) });
    });
    expect(all).toMatchObject([
      { activityType: "compaction", content: { state: "started" } },
      { activityType: "compaction", content: { state: "completed", summary: "s" } },
    ]);
  });

  test.each(["context", "mode", "model", "commands"])("%s: a CUSTOM status with its label", async (label) => {
    const json = { current: "a", available: [] };
    const [event] = await turnOf((script) => script.item({ kind: "status", content: status(label, json) }));
    expect(event).toMatchObject({ name: "agentwire.status", value: { label, json } });
  });

  test("context of a turn: the usage in the metadata of the last event", async () => {
    const usage = { context_tokens: 40, context_window: 100 };
    const last = await lastOf({ usage });
    expect(last).toMatchObject({ metadata: { agentwire: { usage } } });
    expect(last).not.toHaveProperty("usage");
  });

  test("tool facts: the title, kind and locations are in the metadata of the call", async () => {
    const all = await turnOf((script) =>
      script.item({
        kind: "tool_call",
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
      }),
    );
    const metadata = {
      agentwire: { title: "Edit a.ts", kind: "edit", locations: [{ path: "a.ts", line: 3 }] },
    };
    expect(all[0]).toMatchObject({ type: "TOOL_CALL_START", metadata });
    expect(all[2]).toMatchObject({ type: "TOOL_CALL_END", metadata });
  });

  test.each(["done", "failed", "denied"] as const)(
    "call state: %s is in the metadata of the result",
    async (state) => {
      const all = await turnOf((script) => {
        const { item, call } = script.call();
        const id = script.start({ kind: "tool_result", parent_id: item });
        script.add("item.completed", {
          item: {
            item_id: id,
            native_item_id: null,
            parent_id: item,
            kind: "tool_result",
            role: "tool",
            content: [{ type: "tool_result", call_id: call, output: "out" }],
            status: state === "done" ? "completed" : "failed",
          },
          state,
        });
      });
      expect(all.at(-1)).toMatchObject({ metadata: { agentwire: { state } } });
    },
  );

  test("scope: CUSTOM permission says how long a decision holds", async () => {
    const all = await turnOf((script) => {
      const link = { permission_id: "ses_1.1" };
      script.permission("requested", link).permission("accept", { ...link, scope: "turn", reason: "user" });
    });
    expect(all.at(-1)).toMatchObject({ value: { status: "accept", scope: "turn" } });
  });

  test("streamed arguments: TOOL_CALL_ARGS for each piece, and no second time at the end", async () => {
    const part = { type: "tool_call", name: "edit", call_id: "c" } as const;
    const all = await turnOf((script) => {
      const id = script.start({ kind: "tool_call", content: [{ ...part, arguments: "" }] });
      script.delta(id, '{"a":', "tool_arguments").delta(id, "1}", "tool_arguments");
      script.complete(id, { content: [{ ...part, arguments: '{"a":1}' }] });
    });
    expect(told(all).slice(0, 4)).toEqual([
      "TOOL_CALL_START edit",
      'TOOL_CALL_ARGS {"a":',
      "TOOL_CALL_ARGS 1}",
      "TOOL_CALL_END",
    ]);
  });

  test("streamed arguments: a call whose arguments were cut says so", async () => {
    const part = { type: "tool_call", name: "edit", call_id: "c" } as const;
    const all = await turnOf((script) => {
      const id = script.start({ kind: "tool_call", content: [{ ...part, arguments: "" }] });
      script.delta(id, '{"a":', "tool_arguments");
      script.complete(id, { status: "failed", content: [{ ...part, arguments: '"{\\"a\\":"' }] });
    });
    expect(told(all)[1]).toBe('TOOL_CALL_ARGS {"a":');
    expect(all[2]).toMatchObject({ type: "TOOL_CALL_END", metadata: { agentwire: { isCut: true } } });
  });

  test("sub-agent: SUBAGENT_STARTED and SUBAGENT_FINISHED, and what it does names it", async () => {
    const all = await turnOf((script) => {
      const outer = script.start({
        kind: "status",
        content: status("subagent:picker", { agent_type: "picker", name: "Picker", prompt: "pick" }),
      });
      const inner = script.subagent("helper", "Helper", outer);
      script.message(["Hi"], { parent: inner });
      script.result(script.call("ls", {}, { parent: inner }));
      script.complete(inner, { status: "failed" });
      script.complete(outer);
    });
    expect(told(all)).toEqual([
      "SUBAGENT_STARTED",
      "SUBAGENT_STARTED",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT Hi",
      "TEXT_MESSAGE_END",
      "TOOL_CALL_START ls",
      "TOOL_CALL_ARGS {}",
      "TOOL_CALL_END",
      "TOOL_CALL_RESULT ok",
      "SUBAGENT_ERROR",
      "SUBAGENT_FINISHED",
    ]);
    expect(all[0]).toEqual({
      type: "SUBAGENT_STARTED",
      subagentRunId: "ses_1:itm_2",
      name: "Picker",
      description: "pick",
      metadata: { agentwire: { agentType: "picker" } },
    });
    expect(all[1]).toMatchObject({ ...attribution, parentSubagentRunId: "ses_1:itm_2", name: "Helper" });
    for (const event of all.slice(1, 10)) expect(event).toMatchObject(attribution);
  });

  test("citation: the annotations of a text are in the metadata of its end", async () => {
    const annotations = [{ url: "https://x", title: "X", start: 0, end: 2 }];
    const all = await turnOf((script) => {
      const id = script.start();
      script.delta(id, "Hi").complete(id, { content: [{ type: "text", text: "Hi", annotations }] });
    });
    expect(all.at(-1)).toMatchObject({ type: "TEXT_MESSAGE_END", metadata: { agentwire: { annotations } } });
  });

  test("prompt id: CUSTOM turn names the prompt, and what else the turn's start says", async () => {
    const script = new Script().session().turn("go", { prompt_id: "p1", unsolicited: true });
    const all = await mapped(script.turnEnded().events);
    expect(all[1]).toMatchObject({
      name: "agentwire.turn",
      value: { turnId: "ses_1:trn_1", promptId: "p1", unsolicited: true },
    });
  });
});
