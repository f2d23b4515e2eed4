import fc from "fast-check";
import type { ContentPart, UniversalEvent, UniversalItem } from "../../../src/universal/events.ts";
import { Script } from "../build.ts";

/** One thing that a backend does in a turn. `under` chooses a parent among the sub-agents that run. */
type Deed = { readonly under: number } & (
  | { readonly do: "text" | "reasoning"; readonly pieces: readonly string[] }
  | {
      readonly do: "tool";
      readonly decision: "none" | "accept" | "reject";
      readonly end: "completed" | "failed" | "none";
      readonly pieces: readonly string[];
    }
  | { readonly do: "ask"; readonly end: "answered" | "rejected" }
  | { readonly do: "subagent" | "finish" | "status" | "system" | "unknown" | "error" | "loss" }
);

interface TurnPlan {
  readonly prompt: boolean;
  readonly deeds: readonly Deed[];
  readonly end: "completed" | "failed" | "cancelled";
  /** What comes behind the turn. */
  readonly loose: readonly ("system" | "status" | "error" | "unknown" | "audio")[];
}

const pieces = fc.array(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 4 });
const under = fc.nat(3);

const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ under, do: fc.constantFrom("text" as const, "reasoning" as const), pieces }),
  fc.record({
    under,
    do: fc.constant("tool" as const),
    decision: fc.constantFrom("none" as const, "accept" as const, "reject" as const),
    end: fc.constantFrom("completed" as const, "failed" as const, "none" as const),
    pieces,
  }),
  fc.record({
    under,
    do: fc.constant("ask" as const),
    end: fc.constantFrom("answered" as const, "rejected" as const),
  }),
  fc.record({
    under,
    do: fc.constantFrom(
      "subagent" as const,
      "finish" as const,
      "status" as const,
      "system" as const,
      "unknown" as const,
      "error" as const,
      "loss" as const,
    ),
  }),
);

const turnPlan: fc.Arbitrary<TurnPlan> = fc.record({
  prompt: fc.boolean(),
  deeds: fc.array(deed, { maxLength: 8 }),
  end: fc.constantFrom("completed" as const, "failed" as const, "cancelled" as const),
  loose: fc.array(fc.constantFrom("system", "status", "error", "unknown", "audio"), { maxLength: 2 }),
});

/** Sessions as a backend makes them, one behind the other: they keep all the rules of the stream. */
export const transcripts: fc.Arbitrary<readonly UniversalEvent[]> = fc
  .array(fc.record({ turns: fc.array(turnPlan, { maxLength: 4 }), ends: fc.boolean() }), {
    minLength: 1,
    maxLength: 2,
  })
  .map((sessions) =>
    sessions.flatMap(({ turns, ends }, index) => {
      const script = new Script(`ses_${index + 1}`).session();
      for (const plan of turns) play(script, plan);
      if (ends) script.sessionEnded();
      return script.events;
    }),
  );

function play(script: Script, { prompt, deeds, end, loose }: TurnPlan): void {
  script.turn(prompt ? "go" : undefined);
  const agents: string[] = [];
  const calls: { readonly item: string; readonly call: string }[] = [];
  for (const deed of deeds) act(script, deed, agents, calls);
  while (agents.length > 0) script.complete(agents.pop() ?? "", { status: "failed" });
  if (end === "failed") script.error("it failed", { code: "mock.failed", turn_id: script.turnId });
  script.turnEnded({ status: end, usage: { output_tokens: 2 }, cost: { total: 1, currency: "credits" } });
  for (const kind of loose) {
    if (kind === "error") script.error("between turns");
    else if (kind === "status") script.status("connection.restored");
    else if (kind === "audio")
      script.item({ content: [{ type: "file_ref", path: "data:,", action: "read", diff: null }] });
    else script.item({ kind, content: loosePart(kind) });
  }
}

function loosePart(kind: "system" | "unknown"): readonly ContentPart[] {
  return kind === "system" ? [{ type: "text", text: "news" }] : [{ type: "json", json: { type: "odd" } }];
}

function act(
  script: Script,
  deed: Deed,
  agents: string[],
  calls: { readonly item: string; readonly call: string }[],
): void {
  const parent = agents[deed.under] ?? null;
  switch (deed.do) {
    case "text":
    case "reasoning":
      script.message(deed.pieces, { type: deed.do, parent });
      return;
    case "tool": {
      const ids = script.call("read_file", { path: "a" }, { parent });
      calls.push(ids);
      const link = { permission_id: ids.call, item_id: ids.item, call_id: ids.call };
      if (deed.decision !== "none") {
        script.permission("requested", link).permission(deed.decision, { ...link, reason: "user" });
      }
      if (deed.end !== "none") script.result(ids, "out", { pieces: deed.pieces, status: deed.end });
      return;
    }
    case "ask": {
      const ids = script.call("ask_user", {}, { parent });
      const link = { question_id: ids.call, call_id: ids.call };
      script.question("requested", link).question(deed.end, { ...link, reason: "user" });
      script.result(ids, "{}");
      return;
    }
    case "subagent":
      agents.push(script.subagent("helper", "Helper", parent));
      return;
    case "finish": {
      const agent = agents.pop();
      if (agent) script.complete(agent);
      return;
    }
    case "status":
      script.status("thinking", "hard", { memories: 1 });
      return;
    case "system":
    case "unknown":
      script.item({ kind: deed.do, content: loosePart(deed.do) });
      return;
    case "error":
      script.error("a small problem", { turn_id: script.turnId });
      return;
    case "loss":
      script.status("connection.lost", "1006");
      script.status("connection.restored");
      return;
  }
}

const id = (prefix: string) => fc.nat(4).map((number) => `${prefix}_${number}`);
const word = fc.constantFrom(
  "",
  "a",
  "subagent:x",
  "connection.lost",
  "connection.restored",
  "ask_user",
  "{}",
  "[",
);

const content: fc.Arbitrary<ContentPart> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: word }),
  fc.record({
    type: fc.constant("reasoning" as const),
    text: word,
    visibility: fc.constantFrom("public" as const, "private" as const),
  }),
  fc.record({ type: fc.constant("tool_call" as const), name: word, arguments: word, call_id: id("call") }),
  fc.record({ type: fc.constant("tool_result" as const), call_id: id("call"), output: word }),
  fc.record({
    type: fc.constant("file_ref" as const),
    path: word,
    action: fc.constantFrom("read" as const, "write" as const, "patch" as const),
    diff: fc.constantFrom(null, "@@"),
  }),
  fc.record({ type: fc.constant("image" as const), path: word, mime: fc.constantFrom(null, "image/png") }),
  fc.record({ type: fc.constant("json" as const), json: fc.jsonValue({ maxDepth: 1 }) }),
  fc.record({ type: fc.constant("status" as const), label: word, detail: fc.constantFrom(null, "why") }),
);

const item: fc.Arbitrary<UniversalItem> = fc.record({
  item_id: id("itm"),
  native_item_id: fc.constantFrom(null, "call_1"),
  parent_id: fc.option(id("itm"), { nil: null }),
  kind: fc.constantFrom("message", "tool_call", "tool_result", "system", "status", "unknown"),
  role: fc.constantFrom("user", "assistant", "system", "tool", null),
  content: fc.array(content, { maxLength: 3 }),
  status: fc.constantFrom("in_progress", "completed", "failed"),
});

const metadata = fc.record({
  status: fc.constantFrom("completed" as const, "failed" as const, "cancelled" as const),
});
const linked = { item_id: id("itm"), call_id: id("call") };
const optional = <T>(fields: { [Key in keyof T]: fc.Arbitrary<T[Key]> }) =>
  fc.record(fields, { requiredKeys: [] });
const merged = <A extends object, B extends object>(one: fc.Arbitrary<A>, other: fc.Arbitrary<B>) =>
  fc.tuple(one, other).map(([first, second]) => ({ ...first, ...second }));

const said = fc.oneof(
  fc.record({ type: fc.constant("session.started"), data: fc.record({ metadata: fc.constant(null) }) }),
  fc.record({
    type: fc.constant("session.ended"),
    data: fc.record({
      reason: fc.constantFrom("completed", "error", "terminated"),
      terminated_by: fc.constantFrom("agent", "daemon"),
    }),
  }),
  fc.record({
    type: fc.constant("turn.started"),
    data: fc.record({ phase: fc.constant("started"), turn_id: id("trn") }),
  }),
  fc.record({
    type: fc.constant("turn.ended"),
    data: fc.record({ phase: fc.constant("ended"), turn_id: id("trn"), metadata }),
  }),
  { weight: 4, arbitrary: fc.record({ type: fc.constant("item.started"), data: fc.record({ item }) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("item.completed"), data: fc.record({ item }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("item.delta"),
      data: merged(
        fc.record({ item_id: id("itm"), native_item_id: fc.constant(null), delta: word }),
        optional({
          part: fc.record({ type: fc.constantFrom("text", "reasoning", "tool_arguments", "tool_output") }),
        }),
      ),
    }),
  },
  fc.record({
    type: fc.constantFrom("permission.requested", "permission.resolved"),
    data: merged(
      fc.record({
        permission_id: id("call"),
        action: word,
        status: fc.constantFrom("requested", "accept", "accept_for_session", "reject"),
        metadata: fc.constantFrom(null, { input: { a: 1 } }, "odd"),
      }),
      optional(linked),
    ),
  }),
  fc.record({
    type: fc.constantFrom("question.requested", "question.resolved"),
    data: merged(
      fc.record({
        question_id: id("call"),
        prompt: word,
        options: fc.constant(["Yes"]),
        response: fc.constantFrom(null, "Yes", "other"),
        status: fc.constantFrom("requested", "answered", "rejected"),
      }),
      optional({ call_id: id("call") }),
    ),
  }),
  fc.record({
    type: fc.constant("error"),
    data: merged(
      fc.record({ message: word, code: fc.constant(null), details: fc.constant(null) }),
      optional({ turn_id: id("trn") }),
    ),
  }),
  fc.record({
    type: fc.constant("agent.unparsed"),
    data: fc.record({ error: word, location: word, raw_hash: fc.constant(null) }),
  }),
);

/** Any events, each well-formed, in any order: the rules of the stream do not hold. Sequences repeat, go back and have gaps. */
export const wildEvents: fc.Arbitrary<readonly UniversalEvent[]> = fc
  .array(fc.tuple(said, id("ses"), fc.constantFrom(1, 1, 1, 1, 1, 1, 0, -1, 3)), { maxLength: 80 })
  .map((all) => {
    const sequences = new Map<string, number>();
    return all.map(([event, session, step], index) => {
      const sequence = Math.max(1, (sequences.get(session) ?? 0) + step);
      sequences.set(session, sequence);
      return {
        event_id: `evt_${sequence}`,
        sequence,
        time: new Date(index).toISOString(),
        session_id: session,
        native_session_id: null,
        synthetic: false,
        source: "agent",
        raw: null,
        ...event,
      } as UniversalEvent;
    });
  });
