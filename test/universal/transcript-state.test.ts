import { describe, expect, test } from "vitest";
import { fold } from "../../src/universal/transcript/reduce.ts";
import { MAX_STATUS_ENTRIES } from "../../src/universal/transcript/statuses.ts";
import { emptyTranscript } from "../../src/universal/transcript/transcript.ts";
import { Script, START } from "./build.ts";

describe("a transcript", () => {
  test("has the session, its native id and how it ended", () => {
    const script = new Script().session({ protocol: "mock" });
    const facts = { id: "ses_1", nativeId: "native", metadata: { protocol: "mock" } };
    expect(fold(script.events).session).toEqual({ state: "open", ...facts });
    script.sessionEnded({ reason: "error", message: "gone" });
    expect(fold(script.events).session).toMatchObject({
      state: "ended",
      ...facts,
      ended: { reason: "error", message: "gone" },
    });
    expect(emptyTranscript.session).toEqual({ state: "none" });
  });

  test("follows a session that goes on behind the end of a shorter one", () => {
    const long = new Script("ses_1").session().turn("one").turnEnded();
    const short = new Script("ses_2").session().turn("two").turnEnded().sessionEnded();
    const before = [...long.events, ...short.events];
    expect(fold(before).session).toMatchObject({ id: "ses_2", state: "ended" });
    const more = new Script("ses_1").session().turn("one").turnEnded().turn("three").permission("requested");
    const transcript = fold([...before, ...more.events.slice(long.events.length)]);
    expect(transcript.session).toMatchObject({ id: "ses_1", state: "open" });
    expect(transcript.turn?.id).toBe("trn_2");
    expect(transcript.pending.toArray()).toHaveLength(1);
  });

  test("does not follow an earlier session while the newest one is open, or once both have ended", () => {
    const earlier = new Script("ses_1").session().turn("one");
    const later = new Script("ses_2").session();
    const end = new Script("ses_1").session().turn("one").turnEnded().sessionEnded();
    const rest = end.events.slice(earlier.events.length);
    expect(fold([...earlier.events, ...later.events, ...rest]).session).toMatchObject({ id: "ses_2" });
    later.sessionEnded();
    expect(fold([...end.events, ...later.events, ...rest]).session).toMatchObject({ id: "ses_2" });
  });

  test("has the open turn, and adds up the usage and cost of all turns", () => {
    const script = new Script().session().turn("one", { native_turn_id: "n" });
    const open = { id: "trn_1", metadata: { native_turn_id: "n" }, startedAt: START + 1 };
    expect(fold(script.events).turn).toEqual(open);
    const usage = { input_tokens: 1, output_tokens: 2, total_output_tokens: 2, context_tokens: 10 };
    script.turnEnded({ usage, cost: { total: 3, currency: "credits" } }).turn("two");
    script.turnEnded({
      usage: { output_tokens: 5, total_output_tokens: 7, context_tokens: 20, context_window: 99 },
      cost: { total: 4, currency: "credits" },
    });
    script.turn("three").turnEnded({ cost: { total: 0.5, currency: "USD" } });
    expect(fold(script.events)).toMatchObject({
      turn: null,
      usage: {
        input_tokens: 1,
        output_tokens: 7,
        total_output_tokens: 7,
        context_tokens: 20,
        context_window: 99,
      },
      cost: [
        { total: 7, currency: "credits" },
        { total: 0.5, currency: "USD" },
      ],
    });
  });

  test("has the pending requests, oldest first, until they are resolved", () => {
    const script = new Script().session().turn("go");
    script.permission("requested", { permission_id: "p1" }).question("requested", { question_id: "q1" });
    script.permission("requested", { permission_id: "p2" });
    const waiting = () => fold(script.events).pending.toArray();
    expect(waiting().map(({ type, id }) => `${type} ${id}`)).toEqual([
      "approval p1",
      "question q1",
      "approval p2",
    ]);
    script.permission("accept", { permission_id: "p1" });
    script.question("answered", { question_id: "q1" }).permission("reject", { permission_id: "unknown" });
    expect(waiting().map(({ id }) => id)).toEqual(["p2"]);
  });

  test.each(["turnEnded", "sessionEnded"] as const)(
    "drops requests that are still open at %s, because nobody can answer them, and sets `hasGap`",
    (end) => {
      const script = new Script().session().turn("go").permission("requested");
      expect(fold(script.events)).toMatchObject({ hasGap: false, pending: { size: 1 } });
      script.skip(1)[end]();
      expect(fold(script.events)).toMatchObject({ turn: null, hasGap: true, pending: { size: 0 } });
    },
  );

  test("assigns events of parallel sessions to their own session", () => {
    const one = new Script("ses_1").session().turn("one");
    const two = new Script("ses_2").session().turn("two").permission("requested", { permission_id: "p2" });
    const before = one.events.length;
    one.permission("requested", { permission_id: "p1" }).turnEnded();
    const transcript = fold([...one.events.slice(0, before), ...two.events, ...one.events.slice(before)]);
    expect(transcript).toMatchObject({ session: { id: "ses_2" }, turn: { id: "trn_1" }, hasGap: false });
    expect(transcript.sequence).toBe(two.events.length);
    expect(transcript.pending.toArray().map(({ id }) => id)).toEqual(["p2"]);
  });

  test("takes the id of a prompt from its turn's metadata", () => {
    const { events } = new Script().session().turn("go", { prompt_id: "msg-7" });
    expect(fold(events).messages.map(({ id, role }) => `${role} ${id}`)).toEqual([
      "user msg-7",
      "assistant ses_1/trn_1",
    ]);
  });
});

describe("a status item that carries state", () => {
  const entries = [
    { content: "look", status: "completed", priority: "high" },
    { content: "mend", status: "pending" },
  ];

  test.each([
    ["plan", { entries }, { plan: entries }],
    ["context", { used: 900, size: 1_000 }, { context: { used: 900, size: 1_000 } }],
    ["context", { used: 900 }, { context: { used: 900 } }],
    [
      "mode",
      { current: "ask", available: [{ id: "ask", name: "Ask", description: "asks" }] },
      { modes: { current: "ask", available: [{ id: "ask", name: "Ask", description: "asks" }] } },
    ],
    ["model", { current: null, available: [] }, { models: { current: null, available: [] } }],
    [
      "commands",
      { available: [{ name: "init", description: "begins", hint: "a folder" }] },
      { commands: [{ name: "init", description: "begins", hint: "a folder" }] },
    ],
  ])("becomes a field of the transcript, and no part: %s %j", (label, json, fields) => {
    const within = new Script().session().turn("go");
    within.status(label, null, json);
    const between = new Script().session();
    between.status(label, null, json);
    for (const { events } of [within, between]) expect(fold(events)).toMatchObject(fields);
    expect(fold(within.events).messages.at(-1)?.parts.length).toBe(0);
    expect(fold(between.events).messages.length).toBe(0);
  });

  test("remains a part if it has no JSON", () => {
    const script = new Script().session().turn("go");
    script.status("plan", "look, then mend");
    const { messages, plan } = fold(script.events);
    expect(plan).toBeNull();
    expect(messages.at(-1)?.parts.toArray()).toMatchObject([{ type: "status", detail: "look, then mend" }]);
  });

  test("replaces the earlier one with the same label", () => {
    const script = new Script().session().turn("go");
    script.status("plan", null, { entries });
    script.status("plan", null, { entries: [] });
    expect(fold(script.events).plan).toEqual([]);
  });

  test("is read as far as it is valid, and a plan of 10,000 entries says how many are left out", () => {
    const script = new Script().session();
    script.status("plan", null, { entries: [null, { content: 5 }, { content: "odd", status: "done" }] });
    expect(fold(script.events).plan).toEqual([{ content: "odd", status: "pending" }]);
    script.status("plan", null, { entries: Array.from({ length: 10_000 }, () => ({ content: "x" })) });
    const { plan } = fold(script.events);
    expect([plan?.length, plan?.at(-2), plan?.at(-1)]).toEqual([
      MAX_STATUS_ENTRIES,
      { content: "x", status: "pending" },
      { content: "9001 more entries are left out", status: "pending" },
    ]);
    script.status("plan", null, {
      entries: Array.from({ length: MAX_STATUS_ENTRIES }, () => ({ content: "x" })),
    });
    expect(fold(script.events).plan?.at(-1)).toEqual({ content: "x", status: "pending" });
    script.status("context", null, { used: "much" });
    expect(fold(script.events).context).toBeNull();
  });
});

describe("a tool call with an explicit state or preview", () => {
  test("has that state, even if the events before suggest another", () => {
    const script = new Script().session().turn("go");
    const { item, call } = script.call("run", {});
    const states = [];
    const state = () => Reflect.get(fold(script.events).messages.at(-1)?.parts.at(0) ?? {}, "state");
    states.push(state());
    script.permission("requested", { item_id: item, call_id: call });
    states.push(state());
    const result = {
      item_id: "itm_9",
      native_item_id: null,
      parent_id: item,
      kind: "tool_result",
      role: "tool",
      content: [{ type: "tool_result", call_id: call, output: "denied by a rule" }],
      status: "failed",
    } as const;
    script.permission("reject", { item_id: item, call_id: call });
    states.push(state());
    script.add("item.started", { item: { ...result, content: [], status: "in_progress" }, state: "denied" });
    script.add("item.completed", { item: result, state: "abandoned" });
    states.push(state());
    expect(states).toEqual(["requested", "awaiting", "denied", "abandoned"]);
  });

  test("shows its preview in its part and in `pending`", () => {
    const preview = [{ path: "a.ts", diff: "@@", by: "tool" }] as const;
    const script = new Script().session().turn("go");
    const { item, call } = script.call("edit", {});
    script.permission("requested", { item_id: item, call_id: call, preview });
    const transcript = fold(script.events);
    expect(transcript.messages.at(-1)?.parts.at(0)).toMatchObject({ preview });
    expect(transcript.pending.toArray()).toMatchObject([{ preview }]);
  });
});
