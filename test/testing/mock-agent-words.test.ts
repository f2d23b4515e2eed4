import { type Chat, createChat } from "agentwire/chat";
import { agentStep, MockAgent, type MockAgentStep } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { thrown } from "../helpers/turns.ts";

/** Sends a prompt, and waits for the end of its answer. `each` sees all snapshots. */
function asked(chat: Chat, each: (snapshot: ReturnType<Chat["getSnapshot"]>) => void = () => {}) {
  return new Promise<ReturnType<Chat["getSnapshot"]>>((resolve) => {
    chat.subscribe(() => {
      const snapshot = chat.getSnapshot();
      each(snapshot);
      if (snapshot.messages.at(-1)?.endedAt !== undefined) resolve(snapshot);
    });
    chat.send("go");
  });
}

/** The snapshot of a chat behind one answer. */
async function answered(...steps: readonly MockAgentStep[]) {
  const agent = new MockAgent().script([steps]);
  await using chat = createChat(agent);
  const snapshot = await asked(chat);
  return { snapshot, parts: snapshot.messages.at(-1)?.parts.toArray() ?? [] };
}

describe("a script can report", () => {
  test("a plan, which replaces the previous plan", async () => {
    const entries = [{ content: "look", status: "completed" }] as const;
    const { snapshot, parts } = await answered(agentStep.plan([]), agentStep.plan(entries));
    expect([snapshot.plan, parts]).toEqual([entries, []]);
  });

  test("how full the model's context is", async () => {
    const { snapshot } = await answered(agentStep.context({ used: 900, size: 1_000 }));
    expect(snapshot.context).toEqual({ used: 900, size: 1_000 });
  });

  test("notices with their severity, and a compaction", async () => {
    const { parts } = await answered(
      agentStep.notice("Hello"),
      agentStep.notice("Slow today", "warning"),
      agentStep.compaction("started"),
      agentStep.compaction("completed", "We mended a.ts."),
    );
    expect(parts).toMatchObject([
      { label: "notice", detail: "Hello", severity: "info" },
      { label: "notice", detail: "Slow today", severity: "warning" },
      { label: "compaction", json: { state: "started" } },
      { label: "compaction", json: { state: "completed", summary: "We mended a.ts." } },
    ]);
  });

  test("a tool's kind and subject", async () => {
    const facts = { title: "Edit a.ts", kind: "edit", locations: [{ path: "a.ts", line: 3 }] } as const;
    const { parts } = await answered(agentStep.tool({ name: "patch", ...facts }));
    expect(parts).toMatchObject([{ type: "tool", name: "patch", ...facts }]);
  });

  test("modes, models and commands, which events contain", async () => {
    const agent = new MockAgent().script([
      [
        agentStep.mode({ current: "ask", available: [{ id: "ask", name: "Ask" }] }),
        agentStep.model({ current: null, available: [] }),
        agentStep.commands([{ name: "init", description: "begins" }]),
      ],
    ]);
    const turn = agent.client().prompt("go");
    const said: unknown[] = [];
    agent.toUniversal(turn).on("event", ({ type, data }) => {
      if (type === "item.completed" && data.item.kind === "status") said.push(data.item.content);
    });
    await turn.outcome;
    expect(said).toMatchObject([
      [{ label: "mode" }, { json: { current: "ask", available: [{ id: "ask", name: "Ask" }] } }],
      [{ label: "model" }, { json: { current: null, available: [] } }],
      [{ label: "commands" }, { json: { available: [{ name: "init", description: "begins" }] } }],
    ]);
  });
});

test("an approval shows its preview in the part and in `pending`; the part keeps it after the decision", async () => {
  const preview = [
    { path: "a.ts", diff: "@@ -1,1 +1,1 @@\n-a\n+b\n", by: "agent", new_text: "b\n" },
  ] as const;
  const agent = new MockAgent().script([[agentStep.tool({ name: "patch", approval: true, preview })]]);
  await using chat = createChat(agent);
  const seen: unknown[] = [];
  const { messages } = await asked(chat, ({ pending: [waits] }) => {
    if (waits?.type !== "approval") return;
    seen.push(waits.preview);
    chat.decide(waits.id, "once");
  });
  expect(seen).toEqual([preview]);
  expect(messages.at(-1)?.parts.at(0)).toMatchObject({ state: "done", preview });
});

test("a diff of 50 MB is cut in events and snapshots, and marked as cut", async () => {
  const line = `+${"x".repeat(99)}\n`;
  const preview = [{ path: "a.ts", diff: line.repeat(500_000), by: "agent" }] as const;
  const agent = new MockAgent().script([[agentStep.tool({ name: "patch", approval: true, preview })]]);
  const client = agent.client();
  const sizes: number[] = [];
  agent.toUniversal(client).on("event", (event) => sizes.push(JSON.stringify(event).length));
  client.on("approval", ({ id }) => client.decide(id, "reject"));
  await client.prompt("go").outcome;
  expect(sizes.filter((size) => size > 10_000)).toEqual([expect.closeTo(131_072, -4)]); // told once
  await using chat = createChat(agent);
  let diff = "";
  await asked(chat, ({ pending: [waits] }) => {
    if (waits?.type !== "approval") return;
    diff = waits.preview?.[0]?.diff ?? "";
    chat.decide(waits.id, "reject");
  });
  expect(diff).toMatch(/x\n\[the rest of the diff is left out: it is too long\]\n$/);
});

test.each<[string, () => unknown, string]>([
  ["a plan", () => agentStep.plan("look" as never), "agentStep.plan: `entries` is a string"],
  ["a context", () => agentStep.context({} as never), "agentStep.context: field `used` is missing"],
  ["a notice", () => agentStep.notice("x", "loud" as never), "agentStep.notice: `severity` is a string"],
  ["a compaction", () => agentStep.compaction("begun" as never), "agentStep.compaction: `state` is a string"],
  ["a mode", () => agentStep.mode({ current: "a" } as never), "agentStep.mode: field `available` is missing"],
  ["commands", () => agentStep.commands({} as never), "agentStep.commands: `available` is an object"],
  [
    "a preview",
    () => agentStep.tool({ name: "a", preview: [{ path: "a" }] as never }),
    "agentStep.tool: field `preview`",
  ],
])("a wrong step is refused with its name: %s", (_, make, words) => {
  expect(thrown(make)).toMatchObject({ message: expect.stringContaining(words) });
});
