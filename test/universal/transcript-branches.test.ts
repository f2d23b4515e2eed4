import { describe, expect, test } from "vitest";
import type { UniversalEvent } from "../../src/universal/events.ts";
import { MAX_BRANCHES } from "../../src/universal/transcript/branches.ts";
import { fold } from "../../src/universal/transcript/reduce.ts";
import type { Transcript } from "../../src/universal/transcript/transcript.ts";

/** The events of one session: each with the next sequence. */
class Session {
  readonly events: UniversalEvent[] = [];
  readonly id: string;
  #items = 0;

  constructor(id: string) {
    this.id = id;
    this.say("session.started", { metadata: null });
  }

  say(type: string, data: unknown): void {
    const sequence = this.events.length + 1;
    this.events.push({
      event_id: `${this.id}-${sequence}`,
      sequence,
      time: "2026-02-10T08:00:00.000Z",
      session_id: this.id,
      native_session_id: null,
      synthetic: false,
      source: "agent",
      type,
      data,
      raw: null,
    } as unknown as UniversalEvent);
  }

  item(fields: object): void {
    const item = { item_id: `itm_${++this.#items}`, native_item_id: null, parent_id: null, ...fields };
    this.say("item.started", { item: { ...item, status: "in_progress" } });
    this.say("item.completed", { item: { ...item, status: "completed" } });
  }

  begin(turn_id: string, metadata: object): void {
    this.say("turn.started", { phase: "started", turn_id, metadata });
    this.item({ kind: "message", role: "user", content: [{ type: "text", text: `ask ${turn_id}` }] });
  }

  answer(text: string): void {
    this.item({ kind: "message", role: "assistant", content: [{ type: "text", text }] });
  }

  end(turn_id: string, status = "completed"): void {
    this.say("turn.ended", { phase: "ended", turn_id, metadata: { status } });
  }

  turn(turn_id: string, metadata: object): void {
    this.begin(turn_id, metadata);
    this.answer(`answer ${turn_id}`);
    this.end(turn_id);
  }

  select(selected: unknown): void {
    const content = [
      { type: "status", label: "branch", detail: null },
      { type: "json", json: { of: "x", selected } },
    ];
    this.item({ kind: "status", role: "system", content });
  }
}

const idsIn = ({ messages, branches }: Transcript): readonly string[] =>
  [...messages, ...branches.toArray().flatMap((branch) => branch.toArray())].map(({ id }) => id);

function expectUnique(transcript: Transcript): void {
  const ids = idsIn(transcript);
  expect(new Set(ids).size).toBe(ids.length);
}

describe("conflicting or invalid branches", () => {
  test("a turn that continues after another session selected a branch repeats no message id", () => {
    const agent = new Session("a");
    agent.turn("t1", { prompt_id: "p1" });
    agent.turn("t2", { prompt_id: "p2", branch_of: "p1" });
    agent.begin("t3", { prompt_id: "p3" });
    agent.answer("first half");
    const cut = agent.events.length;
    agent.answer("second half");
    agent.end("t3", "failed");
    const chat = new Session("c");
    chat.select("p1");
    const all = [...agent.events.slice(0, cut), ...chat.events, ...agent.events.slice(cut)];
    const transcript = fold(all);
    expectUnique(transcript);
    expect(transcript.messages.at(0)?.id).toBe("p1");
    expect(JSON.stringify([transcript.messages, transcript.branches])).toContain("first half");
    expect(JSON.stringify(transcript.messages)).toContain("second half");
  });

  test("a session that selects a branch during its own turn is ignored", () => {
    const agent = new Session("a");
    agent.turn("t1", { prompt_id: "p1" });
    agent.turn("t2", { prompt_id: "p2", branch_of: "p1" });
    agent.begin("t3", { prompt_id: "p3" });
    agent.select("p1");
    agent.end("t3");
    expect(fold(agent.events).messages.at(0)?.id).toBe("p2");
  });

  test("a prompt with the id of a hidden message gets another id, and no branch is lost", () => {
    const agent = new Session("a");
    agent.turn("t1", { prompt_id: "p1" });
    agent.turn("t2", { prompt_id: "p1", branch_of: "p1" });
    agent.turn("t3", { prompt_id: "p1" });
    agent.turn("t4", { prompt_id: "p4", branch_of: "p1" });
    const transcript = fold(agent.events);
    expectUnique(transcript);
    for (const text of ["answer t1", "answer t2", "answer t3", "answer t4"])
      expect(JSON.stringify([transcript.messages, transcript.branches])).toContain(text);
  });

  test.each(["p9", "", "a/t1", "c/none"])("a `branch_of` of %j loses no message", (branch_of) => {
    const agent = new Session("a");
    agent.turn("t1", { prompt_id: "p1" });
    agent.turn("t2", { prompt_id: "p2", branch_of });
    const transcript = fold(agent.events);
    expectUnique(transcript);
    expect(JSON.stringify([transcript.messages, transcript.branches])).toContain("answer t1");
  });

  test.each([7, null, "none", { at: 1 }, "p2"])(
    "a branch event that selects %j changes nothing",
    (selected) => {
      const agent = new Session("a");
      agent.turn("t1", { prompt_id: "p1" });
      agent.turn("t2", { prompt_id: "p2", branch_of: "p1" });
      const before = fold(agent.events);
      agent.select(selected);
      expect(idsIn(fold(agent.events))).toEqual(idsIn(before));
    },
  );
});

test("1,010 branches of one prompt are kept: those after the first 1,000 continue the one before", () => {
  const agent = new Session("a");
  agent.turn("t0", { prompt_id: "p0" });
  for (let n = 1; n < 1_010; n++) agent.turn(`t${n}`, { prompt_id: `p${n}`, branch_of: `p${n - 1}` });
  const transcript = fold(agent.events);
  expect(transcript.branches.size).toBeLessThan(1_010);
  expect(idsIn(transcript)).toHaveLength(2_020);
  expect(Math.max(...transcript.messages.map(({ branches }) => branches?.of ?? 1))).toBe(MAX_BRANCHES);
}, 60_000);

test("one selection shows a branch that is nested in 300 others", () => {
  const depth = 300;
  const agent = new Session("a");
  for (let n = 0; n < depth; n++) agent.turn(`p${n}`, { prompt_id: `p${n}` });
  for (let n = depth - 1; n >= 0; n--) agent.turn(`q${n}`, { prompt_id: `q${n}`, branch_of: `p${n}` });
  agent.select(`p${depth - 1}`);
  const transcript = fold(agent.events);
  expect(transcript.messages.at(-1)?.turnId).toBe(`p${depth - 1}`);
  expectUnique(transcript);
});
