import { describe, expect, test } from "vitest";
import { fold } from "../../src/universal/reduce/reduce.ts";
import { childrenOf, emptyTranscript, itemOf } from "../../src/universal/reduce/transcript.ts";
import { Script } from "./build.ts";

describe("an item", () => {
  test("is its start and its deltas, and in the end what `item.completed` says", () => {
    const script = new Script().session().turn();
    const id = script.start({ content: [{ type: "text", text: "a" }] });
    script.delta(id, "b").delta(id, "c");
    expect(fold(script.events).items.at(-1)).toMatchObject({
      content: [{ type: "text", text: "abc" }],
      status: "in_progress",
      turn_id: "trn_1",
      session_id: "ses_1",
      started_at: "2026-02-10T09:00:00.002Z",
      ended_at: null,
    });
    script.complete(id, { content: [{ type: "text", text: "other" }], status: "failed" });
    expect(fold(script.events).items.at(-1)).toMatchObject({
      content: [{ type: "text", text: "other" }],
      status: "failed",
      ended_at: "2026-02-10T09:00:00.005Z",
    });
  });

  test.each([
    ["reasoning", "message", [{ type: "reasoning", text: "xy", visibility: "public" }]],
    ["text", "message", [{ type: "text", text: "xy" }]],
    ["tool_arguments", "tool_call", [{ type: "tool_call", name: "unknown", arguments: "xy", call_id: "n1" }]],
    ["tool_output", "tool_result", [{ type: "tool_result", call_id: "n1", output: "xy" }]],
  ] as const)("grows by deltas of %s", (type, kind, content) => {
    const script = new Script().session().turn();
    const id = script.start({ kind, native_item_id: "n1" });
    script.delta(id, "x", type).delta(id, "y", type);
    expect(itemOf(fold(script.events), id)?.content).toEqual(content);
  });

  test("takes a delta that names no stream by its kind", () => {
    const script = new Script().session().turn();
    const call = script.call("sh", {}, { callId: "c7" });
    const result = script.start({ kind: "tool_result", parent_id: call.item });
    const thought = script.start({ content: [{ type: "reasoning", text: "h", visibility: "private" }] });
    script.add("item.delta", { item_id: result, native_item_id: null, delta: "out" });
    script.add("item.delta", { item_id: thought, native_item_id: null, delta: "m" });
    const state = fold(script.events);
    expect(itemOf(state, result)?.content).toEqual([{ type: "tool_result", call_id: "c7", output: "out" }]);
    expect(itemOf(state, thought)?.content).toEqual([
      { type: "reasoning", text: "hm", visibility: "private" },
    ]);
  });

  test("keeps the parts of another stream when one grows", () => {
    const script = new Script().session().turn();
    const image = { type: "image", path: "a.png", mime: null } as const;
    const id = script.start({ content: [{ type: "text", text: "a" }, image] });
    script.delta(id, "b");
    const content = itemOf(fold(script.events), id)?.content;
    expect(content).toEqual([{ type: "text", text: "ab" }, image]);
    expect(content?.[1]).toBe(image);
  });

  test("that never started is added when it completes; its deltas are ignored", () => {
    const script = new Script().session().turn();
    script.add("item.delta", { item_id: "itm_9", native_item_id: null, delta: "lost" });
    expect(fold(script.events).items.length).toBe(0);
    const item = {
      item_id: "itm_9",
      native_item_id: null,
      parent_id: "itm_8",
      kind: "message",
      role: "assistant",
      content: [{ type: "text", text: "whole" }],
      status: "completed",
    } as const;
    script.add("item.completed", { item });
    const state = fold(script.events);
    expect(childrenOf(state, null)).toMatchObject([{ ...item, ended_at: expect.any(String) }]);
  });

  test("is not changed by a second start, a late delta or a second completion", () => {
    const script = new Script().session().turn();
    const id = script.message(["a"]);
    const item = itemOf(fold(script.events), id);
    if (!item) throw new Error("the item is missing");
    script.add("item.started", { item: { ...item, content: [] } });
    script.delta(id, "late");
    script.complete(id, { content: [] });
    expect(itemOf(fold(script.events), id)).toEqual(item);
  });

  test("is found under its parent, in the order of the starts", () => {
    const script = new Script().session().turn("go");
    const agent = script.subagent("picker");
    const inner = script.subagent("reader", null, agent);
    const root = script.message(["root"]);
    const deep = script.message(["deep"], { parent: inner });
    const next = script.message(["next"], { parent: agent });
    const state = fold(script.events);
    const ids = (parent: string | null) => childrenOf(state, parent).map(({ item_id }) => item_id);
    expect(ids(null)).toEqual(["itm_1", agent, root]);
    expect(ids(agent)).toEqual([inner, next]);
    expect(ids(inner)).toEqual([deep]);
    expect(ids("itm_77")).toEqual([]);
  });
});

describe("the state", () => {
  test("knows the session, its native id, and how it ended", () => {
    const script = new Script().session({ protocol: "mock" });
    expect(fold(script.events).session).toEqual({
      state: "open",
      id: "ses_1",
      nativeId: "native",
      metadata: { protocol: "mock" },
      startedAt: "2026-02-10T09:00:00.000Z",
    });
    script.sessionEnded({ reason: "error", message: "gone" });
    expect(fold(script.events).session).toMatchObject({
      state: "ended",
      id: "ses_1",
      ended: { reason: "error", message: "gone" },
      endedAt: "2026-02-10T09:00:00.001Z",
    });
    expect(emptyTranscript.session).toEqual({ state: "none" });
  });

  test("has the open turn, then the ended ones with their usage and cost, and the sums", () => {
    const script = new Script().session().turn("one", { native_turn_id: "n" });
    expect(fold(script.events).turn).toEqual({
      id: "trn_1",
      metadata: { native_turn_id: "n" },
      startedAt: "2026-02-10T09:00:00.001Z",
    });
    const first = {
      usage: { input_tokens: 1, output_tokens: 2, total_output_tokens: 2, context_tokens: 10 },
      cost: { total: 3, currency: "credits" },
    };
    const second = {
      usage: { output_tokens: 5, total_output_tokens: 7, context_tokens: 20, cache_read_tokens: 4 },
      cost: { total: 4, currency: "credits" },
    };
    script.turnEnded(first).turn("two").turnEnded(second);
    script.turn("three").turnEnded({ cost: { total: 0.5, currency: "USD" } });
    const state = fold(script.events);
    expect(state.turn).toBeNull();
    expect(state.turns.map(({ id, metadata }) => [id, metadata.cost?.total])).toEqual([
      ["trn_1", 3],
      ["trn_2", 4],
      ["trn_3", 0.5],
    ]);
    expect(state.usage).toEqual({
      input_tokens: 1,
      output_tokens: 7,
      total_output_tokens: 7,
      context_tokens: 20,
      cache_read_tokens: 4,
    });
    expect(state.costs).toEqual([
      { total: 7, currency: "credits" },
      { total: 0.5, currency: "USD" },
    ]);
  });

  test("has what waits for the user, oldest first, until it is resolved", () => {
    const script = new Script().session().turn("go");
    script.permission("requested", { permission_id: "p1" }).question("requested", { question_id: "q1" });
    script.permission("requested", { permission_id: "p2" });
    const waiting = () =>
      fold(script.events)
        .pending.toArray()
        .map(({ type, id }) => `${type} ${id}`);
    expect(waiting()).toEqual(["permission p1", "question q1", "permission p2"]);
    script.permission("accept", { permission_id: "p1" });
    expect(waiting()).toEqual(["question q1", "permission p2"]);
    script.question("answered", { question_id: "q1" }).permission("reject", { permission_id: "unknown" });
    expect(waiting()).toEqual(["permission p2"]);
    expect(fold(script.events).pending.get("p2")?.data.status).toBe("requested");
  });

  test.each(["turnEnded", "sessionEnded"] as const)(
    "drops requests whose end is in a gap: nobody can answer them behind %s",
    (end) => {
      const script = new Script().session().turn("go").permission("requested").skip(1)[end]();
      expect(fold(script.events)).toMatchObject({ turn: null, gaps: { length: 1 } });
      expect(fold(script.events).pending.size).toBe(0);
    },
  );

  test("follows the connection by its status items", () => {
    const script = new Script();
    const connection = () => fold(script.events).connection;
    expect(connection().state).toBe("unknown");
    script.session();
    expect(connection().state).toBe("connected");
    script.status("connection.lost", "code 1006");
    expect(connection()).toMatchObject({ state: "lost", detail: "code 1006", json: null });
    script.status("connection.retrying", null, { attempt: 2, delay: 500 });
    expect(connection()).toMatchObject({ state: "retrying", json: { attempt: 2, delay: 500 } });
    script.status("thinking");
    expect(connection().state).toBe("retrying");
    script.status("connection.restored");
    expect(connection()).toEqual({
      state: "connected",
      detail: null,
      json: null,
      since: "2026-02-10T09:00:00.008Z",
    });
  });

  test("has the last error, and the number of unreadable messages", () => {
    const script = new Script().session().error("first").error("second", { code: "mock.x", retryable: true });
    script.add("agent.unparsed", { error: "odd", location: "mock/line", raw_hash: null });
    expect(fold(script.events)).toMatchObject({
      lastError: { message: "second", code: "mock.x", retryable: true, time: "2026-02-10T09:00:00.002Z" },
      unparsed: 1,
    });
  });

  test("goes on with a second session: ids and sequences begin again, and the items are appended", () => {
    const first = new Script("ses_1").session().turn("one");
    first.message(["a"]);
    const second = new Script("ses_2").session({ context_lost: true }).turn("two");
    const agent = second.subagent("x");
    second.message(["b"], { parent: agent });
    const state = fold([...first.events, ...second.events]);
    expect(state.items.map(({ item_id, session_id }) => `${session_id} ${item_id}`)).toEqual([
      "ses_1 itm_1",
      "ses_1 itm_2",
      "ses_2 itm_1",
      "ses_2 itm_2",
      "ses_2 itm_3",
    ]);
    expect(state.session).toMatchObject({ id: "ses_2", metadata: { context_lost: true } });
    expect(state.gaps.length).toBe(0);
    expect(itemOf(state, "itm_2")?.session_id).toBe("ses_2");
    expect(itemOf(state, "itm_2", "ses_1")?.content).toEqual([{ type: "text", text: "a" }]);
    expect(itemOf(state, "itm_2", "ses_3")).toBeUndefined();
    expect(childrenOf(state, agent)).toHaveLength(1);
    expect(childrenOf(state, null)).toHaveLength(4);
  });

  test("gives events of sessions that run side by side to their own session", () => {
    const one = new Script("ses_1").session().turn("one");
    const two = new Script("ses_2").session().turn("two").permission("requested", { permission_id: "p2" });
    const before = one.events.length;
    one.permission("requested", { permission_id: "p1" }).turnEnded();
    const state = fold([...one.events.slice(0, before), ...two.events, ...one.events.slice(before)]);
    expect(state.session).toMatchObject({ id: "ses_2" });
    expect(state.turn?.id).toBe("trn_1");
    expect(state.pending.toArray().map(({ id }) => id)).toEqual(["p2"]);
    expect(state.turns.toArray().map(({ sessionId }) => sessionId)).toEqual(["ses_1"]);
    expect(state.gaps.length).toBe(0);
  });
});
