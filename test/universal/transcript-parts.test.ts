import { describe, expect, test } from "vitest";
import { MAX_DEPTH } from "../../src/universal/transcript/draft.ts";
import type { ChatPart } from "../../src/universal/transcript/message.ts";
import { last, partsOf, turn } from "./support/messages-of.ts";

describe("the parts of an answer", () => {
  test("are text and reasoning while their deltas arrive", () => {
    const script = turn();
    script.message(["hm", "m"], { type: "reasoning" });
    const text = script.start();
    expect(partsOf(script)).toHaveLength(1); // nothing is shown of an item that has no text yet
    script.delta(text, "He").delta(text, "llo");
    expect(partsOf(script)).toEqual([
      { type: "reasoning", id: "itm_2", text: "hmm", visibility: "public", open: false },
      { type: "text", id: text, text: "Hello", open: true },
    ]);
  });

  test("take the final text of the completed item, and ignore later deltas", () => {
    const script = turn();
    const id = script.start({ content: [{ type: "text", text: "a" }] });
    script.delta(id, "b").complete(id, { content: [{ type: "text", text: "final" }] });
    script.delta(id, "late").complete(id, { content: [] });
    expect(partsOf(script)).toEqual([{ type: "text", id, text: "final", open: false }]);
  });

  test("include everything in one item: text, data and files", () => {
    const script = turn();
    const id = script.start();
    script.delta(id, "Hi").complete(id, {
      content: [
        { type: "text", text: "Hi" },
        { type: "json", json: { animations: ["wave"] } },
        { type: "file_ref", path: "data:audio/mpeg;base64,AA==", action: "read", diff: null },
        { type: "image", path: "a.png", mime: "image/png" },
        { type: "file_ref", path: "b.ts", action: "patch", diff: "@@" },
      ],
    });
    expect(partsOf(script)).toEqual([
      { type: "text", id, text: "Hi", open: false },
      { type: "data", id: `${id}.2`, json: { animations: ["wave"] }, extra: true },
      {
        type: "file",
        id: `${id}.3`,
        path: "data:audio/mpeg;base64,AA==",
        mediaType: "audio/mpeg",
        action: "read",
      },
      { type: "file", id: `${id}.4`, path: "a.png", mediaType: "image/png" },
      { type: "file", id: `${id}.5`, path: "b.ts", mediaType: null, action: "patch", diff: "@@" },
    ]);
  });

  test("show a text without deltas, and leave out an empty one", () => {
    const script = turn();
    const whole = script.start();
    script.complete(whole, { content: [{ type: "text", text: "whole" }] });
    const empty = script.start();
    script.complete(empty, { content: [{ type: "text", text: "" }] });
    expect(partsOf(script)).toEqual([{ type: "text", id: whole, text: "whole", open: false }]);
  });

  test("include statuses, system texts and unknown items", () => {
    const script = turn();
    const thinking = script.status("thinking", "of cats", { memories: 2 });
    const download = script.item(
      { kind: "status", content: [{ type: "status", label: "download", detail: null }] },
      "failed",
    );
    const system = script.item({ kind: "system", content: [{ type: "text", text: "maintenance" }] });
    const unknown = script.item({ kind: "unknown", content: [{ type: "json", json: { type: "odd" } }] });
    expect(partsOf(script)).toEqual([
      { type: "status", id: thinking, label: "thinking", detail: "of cats", json: { memories: 2 } },
      { type: "status", id: download, label: "download", detail: null, failed: true },
      { type: "status", id: system, label: "system", detail: "maintenance" },
      { type: "data", id: unknown, json: { type: "odd" } },
    ]);
  });
});

describe("a tool call", () => {
  test("is one part from its request to its output, with its decision", () => {
    const script = turn();
    const seen: unknown[] = [];
    const see = () => {
      const [part] = partsOf(script);
      if (part?.type === "tool") seen.push([part.state, part.approval?.status, part.output]);
    };
    const ids = script.call("run", { command: "npm test" });
    see();
    const link = { permission_id: "p1", item_id: ids.item, call_id: ids.call };
    script.permission("requested", link);
    see();
    script.permission("accept", { ...link, reason: "user" });
    see();
    const result = script.start({ kind: "tool_result", parent_id: ids.item });
    see();
    script.delta(result, "o", "tool_output").delta(result, "k", "tool_output");
    see();
    const json = { type: "json", json: { exitCode: 0 } } as const;
    script.complete(result, { content: [{ type: "tool_result", call_id: ids.call, output: "ok!" }, json] });
    see();
    expect(seen).toEqual([
      ["requested", undefined, ""],
      ["awaiting", "requested", ""],
      ["approved", "accept", ""],
      ["running", "accept", ""],
      ["running", "accept", "ok"],
      ["done", "accept", "ok!"],
    ]);
    expect(partsOf(script)).toEqual([
      {
        type: "tool",
        id: ids.item,
        callId: ids.call,
        name: "run",
        input: { command: "npm test" },
        state: "done",
        approval: { id: "p1", status: "accept", reason: "user" },
        output: "ok!",
        content: [json],
      },
    ]);
  });

  test("is `denied` if its permission was rejected and its result failed", () => {
    const script = turn();
    const ids = script.call();
    const link = { permission_id: "p1", call_id: ids.call };
    script.permission("requested", link).permission("reject", { ...link, reason: "policy" });
    expect(partsOf(script)).toMatchObject([{ state: "denied" }]);
    script.result(ids, "it was denied", { status: "failed", pieces: ["it"] });
    expect(partsOf(script)).toMatchObject([
      { state: "denied", output: "it was denied", approval: { status: "reject", reason: "policy" } },
    ]);
  });

  test("is `failed` if its result failed without a rejection", () => {
    const script = turn();
    script.result(script.call(), "boom", { status: "failed" });
    expect(partsOf(script)).toMatchObject([{ state: "failed", output: "boom" }]);
  });

  test.each([
    ['{"a":1}', { a: 1 }],
    ["null", null],
    ["no JSON", "no JSON"],
    ["[".repeat(100_000), "[".repeat(100_000)],
  ])("shows its arguments parsed, or as text if they are no JSON: %.20s", (text, input) => {
    const script = turn();
    script.item({
      kind: "tool_call",
      content: [{ type: "tool_call", name: "run", arguments: text, call_id: "c1" }],
    });
    expect(last(script).parts.at(0)).toMatchObject({ input });
  });

  test("shows incomplete arguments as text, and parses them once they are complete", () => {
    const script = turn();
    const id = script.start({
      kind: "tool_call",
      content: [{ type: "tool_call", name: "run", arguments: "", call_id: "c1" }],
    });
    script.delta(id, '{"a"', "tool_arguments").delta(id, ":1", "tool_arguments");
    expect(partsOf(script)).toMatchObject([{ input: '{"a":1' }]);
    script.delta(id, "}", "tool_arguments").complete(id);
    expect(partsOf(script)).toMatchObject([{ input: { a: 1 } }]);
  });

  test("finds its result by the call id, if the result names no parent", () => {
    const script = turn();
    const ids = script.call();
    const id = script.start({
      kind: "tool_result",
      content: [{ type: "tool_result", call_id: ids.call, output: "" }],
    });
    script.complete(id, { content: [{ type: "tool_result", call_id: ids.call, output: "out" }] });
    expect(partsOf(script)).toMatchObject([{ id: ids.item, state: "done", output: "out" }]);
  });

  test("with a lost start is shown from its result or its permission", () => {
    const script = turn();
    script.result({ item: "itm_77", call: "c77" }, "out");
    script.permission("requested", { permission_id: "p1", action: "rm", metadata: { input: { path: "/" } } });
    expect(partsOf(script)).toMatchObject([
      { type: "tool", callId: "c77", name: "unknown", state: "done", output: "out" },
      { type: "tool", id: "p1", name: "rm", input: { path: "/" }, state: "awaiting" },
    ]);
    script.permission("reject", { permission_id: "p1" });
    expect(partsOf(script)).toMatchObject([{}, { state: "denied", approval: { status: "reject" } }]);
  });
});

describe("a question", () => {
  const questions = [{ question: "Commit?", options: [{ label: "Yes" }], multi_select: false }];

  test("of `ask_user` is one part in place of the call, and the call's result adds nothing", () => {
    const script = turn();
    const ids = script.call("ask_user", { questions: [] });
    const link = { question_id: "q1", call_id: ids.call, questions };
    script.question("requested", link);
    expect(partsOf(script)).toEqual([
      { type: "question", id: "q1", questions, status: "requested", answers: [] },
    ]);
    const answers = [{ question_index: 0, selected: ["Yes"] }];
    script.question("answered", { ...link, answers, reason: "user" });
    script.result(ids, '{"answers":[]}', { pieces: ["x"] });
    expect(partsOf(script)).toEqual([
      { type: "question", id: "q1", questions, status: "answered", answers, reason: "user" },
    ]);
  });

  test("without a call is a separate part, and takes its answer from `response`", () => {
    const script = turn();
    script.question("requested").question("answered", { response: "No" });
    script
      .question("requested", { question_id: "q2" })
      .question("answered", { question_id: "q2", response: "later" });
    const asked = [
      { question: "Commit?", options: [{ label: "Yes" }, { label: "No" }], multi_select: false },
    ];
    expect(partsOf(script)).toEqual([
      {
        type: "question",
        id: "qst_1",
        questions: asked,
        status: "answered",
        answers: [{ question_index: 0, selected: ["No"] }],
      },
      {
        type: "question",
        id: "q2",
        questions: asked,
        status: "answered",
        answers: [{ question_index: 0, other_text: "later" }],
      },
    ]);
  });
});

describe("a sub-agent", () => {
  test("is a part that contains its parts and those of its own sub-agents", () => {
    const script = turn();
    const outer = script.subagent("picker", "File Picker");
    script.message(["outer"], { parent: outer });
    const inner = script.subagent("reader", null, outer);
    script.tool("read", { path: "a" }, "text", inner);
    const ids = script.call("ask_user", {}, { parent: inner });
    script.question("requested", { question_id: "q1", call_id: ids.call });
    script.message(["root"]);
    script.complete(inner, { status: "failed" }).complete(outer);
    expect(partsOf(script)).toMatchObject([
      {
        type: "subagent",
        id: outer,
        agentType: "picker",
        name: "File Picker",
        state: "done",
        parts: [
          { type: "text", text: "outer" },
          {
            type: "subagent",
            id: inner,
            name: "reader",
            state: "failed",
            parts: [
              { type: "tool", name: "read", state: "done", output: "text" },
              { type: "question", id: "q1" },
            ],
          },
        ],
      },
      { type: "text", text: "root" },
    ]);
  });

  test(`deeper than ${MAX_DEPTH} levels is shown beside its parent, and loses no part`, () => {
    const script = turn();
    let parent: string | null = null;
    for (let depth = 0; depth < MAX_DEPTH + 5; depth++) parent = script.subagent(`a${depth}`, null, parent);
    script.message(["deepest"], { parent });
    let parts: readonly ChatPart[] = partsOf(script);
    let depth = 0;
    while (parts.length === 1 && parts[0]?.type === "subagent") {
      depth++;
      parts = [...parts[0].parts];
    }
    expect(depth).toBe(MAX_DEPTH);
    expect(parts.map(({ type }) => type)).toEqual([...Array(5).fill("subagent"), "text"]);
  });
});
