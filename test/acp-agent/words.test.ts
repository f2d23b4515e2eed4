import { agentStep, type MockAgentStep } from "agentwire/testing";
import { expect, test } from "vitest";
import { FakeSource } from "../helpers/fake-source.ts";
import { Script } from "../universal/build.ts";
import { choose, type EditorWorld, play, type Setup, tell, until } from "./support.ts";

const { tool } = agentStep;

/** Says the steps in one turn. */
const said = (steps: readonly MockAgentStep[], body: (world: EditorWorld) => void, more: Setup = {}) =>
  play({ mock: { script: [steps] }, ...more }, async ({ world, id }) => {
    await world.prompt(id, "hi");
    body(world);
  });

test("branch: a client has no branches, and hears nothing of them", () =>
  play({ mock: { script: ["One.", "Two."] } }, async ({ world, id }) => {
    await world.prompt(id, "hi");
    await world.prompt(id, "again");
    expect(world.kinds.filter((kind) => kind !== "agent_message_chunk")).toEqual([]);
  }));

test("plan: each plan replaces the last one, with the priority `medium` where the agent says none", () =>
  said(
    [
      agentStep.plan([{ content: "Look", status: "in_progress" }]),
      agentStep.plan([
        { content: "Look", status: "completed", priority: "high" },
        { content: "Mend", status: "pending" },
      ]),
    ],
    (world) =>
      expect(world.of("plan").map(({ entries }) => entries)).toEqual([
        [{ content: "Look", status: "in_progress", priority: "medium" }],
        [
          { content: "Look", status: "completed", priority: "high" },
          { content: "Mend", status: "pending", priority: "medium" },
        ],
      ]),
  ));

test("context: `usage_update`, once the size of the window is known", () =>
  said([agentStep.context({ used: 5 }), agentStep.context({ used: 6, size: 100 })], (world) =>
    expect(world.of("usage_update")).toEqual([{ sessionUpdate: "usage_update", used: 6, size: 100 }]),
  ));

test("notice: `notice`, with its severity", () =>
  said([agentStep.notice("It is slow.", "warning")], (world) =>
    expect(world.of("notice")).toEqual([
      { sessionUpdate: "notice", severity: "warning", title: "It is slow." },
    ]),
  ));

test("compaction: two `compaction_update` with one id, for a client that offers it", () =>
  said([agentStep.compaction("started"), agentStep.compaction("completed", "They talked.")], (world) => {
    const [begun, done] = world.of("compaction_update");
    expect([begun, done]).toMatchObject([
      { status: "in_progress" },
      { status: "completed", summary: [{ type: "text", text: "They talked." }] },
    ]);
    expect(done?.compactionId).toBe(begun?.compactionId);
  }));

test("compaction: what the turn does not finish is `cancelled`", () =>
  said([agentStep.compaction("started")], (world) =>
    expect(world.of("compaction_update").map(({ status }) => status)).toEqual(["in_progress", "cancelled"]),
  ));

test("compaction: a client that does not offer it gets none", () =>
  said(
    [agentStep.compaction("started"), agentStep.compaction("completed")],
    (world) => expect(world.kinds).toEqual([]),
    {
      offers: {},
    },
  ));

test("mode: `current_mode_update`, and `modes` with this mode alone when the session is opened again", () =>
  play(
    {
      mock: {
        script: [
          [
            agentStep.mode({
              current: "ask",
              available: [
                { id: "auto", name: "Auto" },
                { id: "ask", name: "Ask" },
              ],
            }),
          ],
        ],
      },
    },
    async ({ world, id }) => {
      await world.prompt(id, "hi");
      expect(world.of("current_mode_update")).toMatchObject([{ currentModeId: "ask" }]);
      const again = { sessionId: id, cwd: "/project", mcpServers: [] };
      const modes = { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }] };
      expect(await world.agent.request("session/resume", again)).toEqual({ modes });
      expect(await world.agent.request("session/load", again)).toEqual({ modes });
    },
  ));

test("model: a notice, because the client cannot set it here", () =>
  said([agentStep.model({ current: "big", available: [{ id: "big", name: "Big" }] })], (world) =>
    expect(world.of("notice")).toMatchObject([{ title: "model", description: "big" }]),
  ));

test("commands: `available_commands_update`", () =>
  said(
    [
      agentStep.commands([
        { name: "plan", description: "Makes a plan" },
        { name: "web", description: "Searches", hint: "words" },
      ]),
    ],
    (world) =>
      expect(world.of("available_commands_update").map(({ availableCommands }) => availableCommands)).toEqual(
        [
          [
            { name: "plan", description: "Makes a plan" },
            { name: "web", description: "Searches", input: { hint: "words" } },
          ],
        ],
      ),
  ));

test("tool facts: title, kind and locations of the call", () =>
  said([tool({ name: "e", title: "Edit", kind: "edit", locations: [{ path: "/a", line: 2 }] })], (world) =>
    expect(world.of("tool_call")).toMatchObject([
      { title: "Edit", kind: "edit", locations: [{ path: "/a", line: 2 }] },
    ]),
  ));

test("call state: a denied call is `failed` and never `in_progress`; one without a result ends with its turn", () =>
  play(
    {
      mock: {
        script: [[tool({ name: "a", approval: true }), tool({ name: "b", during: [agentStep.hang()] })]],
      },
      permission: choose("reject"),
    },
    async ({ world, id }) => {
      const response = world.prompt(id, "hi");
      await world.until((all) => all.of("tool_call_update").some(({ status }) => status === "in_progress"));
      await world.cancel(id);
      await response;
      const [a, b] = world.of("tool_call");
      const states = (call = a) =>
        world
          .of("tool_call_update")
          .flatMap(({ toolCallId, status }) => (toolCallId === call?.toolCallId ? [status] : []));
      expect(states(a)).toEqual(["failed"]);
      expect(states(b)).toEqual(["in_progress", "failed"]);
    },
  ));

test("preview: `diff` with both texts, or the unified diff as text, in the permission request; the diff stays", () =>
  said(
    [
      tool({
        name: "edit",
        approval: true,
        output: "done",
        preview: [
          { path: "a", by: "tool", diff: "-1\n+2", old_text: "1", new_text: "2" },
          { path: "new", by: "tool", diff: "+3", new_text: "3" },
          { path: "gone", by: "tool", diff: "-4", old_text: "4" },
          { path: "huge", by: "agent", diff: "-```\n+5" },
        ],
      }),
    ],
    (world) => {
      const diffs = [
        { type: "diff", path: "a", oldText: "1", newText: "2" },
        { type: "diff", path: "new", oldText: null, newText: "3" },
      ];
      const text = (words: string) => ({ type: "content", content: { type: "text", text: words } });
      expect(world.permissions[0]?.toolCall.content).toEqual([
        ...diffs,
        text("gone\n```diff\n-4\n```"),
        text("huge\n````diff\n-```\n+5\n````"),
      ]);
      expect(world.of("tool_call_update").at(-1)?.content).toEqual([...diffs, text("done")]);
    },
    { permission: choose("once") },
  ));

test("scope: `always` holds for the session, and the next call of the same kind is not asked about", () =>
  said(
    [
      tool({ name: "shell", approval: true, grant: "`ls`" }),
      tool({ name: "shell", approval: true, grant: "`ls`" }),
      tool({ name: "shell", approval: true, grant: "`rm`" }),
    ],
    (world) => {
      expect(world.permissions.map(({ options }) => options[1]?.name)).toEqual([
        "Always allow: `ls`",
        "Always allow: `rm`",
      ]);
    },
    { permission: choose("always") },
  ));

test("scope: a call that no grant can cover has no `always`, and an answer with `always` rejects it", () =>
  play(
    { mock: { script: [[tool({ name: "odd", approval: true, grant: "" })]] }, permission: choose("always") },
    async ({ world, id, mock }) => {
      await world.prompt(id, "hi");
      expect(world.permissions[0]?.options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
      expect(mock.decisions).toMatchObject([{ decision: "reject" }]);
    },
  ));

test("prompt id: the response belongs to the turn of its prompt, not to a turn of somebody else", () => {
  const source = new FakeSource();
  const theirs = new Script("other").session().turn("theirs");
  theirs.message(["Theirs. "]);
  theirs.turnEnded({ status: "failed" });
  return play({ source: () => source }, async ({ world, id }) => {
    const response = world.prompt(id, "hi");
    await until(source, ({ turns }) => turns.length === 1);
    tell(source, theirs.events);
    source.turn.says("Mine.");
    source.turn.completes();
    expect(await response).toEqual({ stopReason: "end_turn" });
    expect(world.text).toBe("Theirs. Mine.");
  });
});

/** Tells the events of another session in a turn. */
const told = (script: Script, body: (world: EditorWorld) => void) => {
  const source = new FakeSource();
  return play({ source: () => source }, async ({ world, id }) => {
    const response = world.prompt(id, "hi");
    await until(source, ({ turns }) => turns.length === 1);
    tell(source, script.events);
    source.turn.completes();
    await response;
    body(world);
  });
};

test("streamed arguments: the call begins without an input, and gets it once it is whole", () => {
  const script = new Script().session().turn();
  const part = { type: "tool_call", name: "write", call_id: "c1" } as const;
  const item = script.start({ kind: "tool_call", content: [{ ...part, arguments: "" }] });
  script.delta(item, '{"a"', "tool_arguments").delta(item, ":1}", "tool_arguments");
  script.complete(item, { content: [{ ...part, arguments: '{"a":1}', title: "Write a" }] }).turnEnded();
  return told(script, (world) => {
    expect(world.of("tool_call")[0]).not.toHaveProperty("rawInput");
    expect(world.of("tool_call_update")).toMatchObject([
      { title: "Write a", rawInput: { a: 1 } },
      { status: "failed" },
    ]);
    expect(world.text).toBe("");
  });
});

test("sub-agent: a transcript of an older version names it in the label", () => {
  const script = new Script().session().turn();
  script.complete(
    script.start({
      kind: "status",
      content: [{ type: "status", label: "subagent:picker", detail: "Picker" }],
    }),
  );
  return told(script.turnEnded(), (world) => {
    expect(world.of("tool_call")).toMatchObject([{ name: "picker", title: "Picker", kind: "other" }]);
    expect(world.of("tool_call_update").at(-1)?.status).toBe("completed");
  });
});

test("citation: each source of a text once, as a `resource_link` behind it", () => {
  const script = new Script().session().turn();
  const item = script.start();
  script.delta(item, "So it is.");
  const annotations = [
    { url: "https://a.example/b", title: "B" },
    { url: "https://a.example/b", title: "B" },
    { path: "/project/c.md" },
  ];
  script.complete(item, { content: [{ type: "text", text: "So it is.", annotations }] }).turnEnded();
  return told(script, (world) =>
    expect(world.of("agent_message_chunk").map(({ content }) => content)).toEqual([
      { type: "text", text: "So it is." },
      { type: "resource_link", name: "B", uri: "https://a.example/b" },
      { type: "resource_link", name: "c.md", uri: "file:///project/c.md" },
    ]),
  );
});

test("private reasoning is not sent", () => {
  const script = new Script().session().turn();
  const item = script.start();
  script.add("item.delta", {
    item_id: item,
    native_item_id: null,
    delta: "secret",
    part: { type: "reasoning", visibility: "private" },
  });
  script
    .complete(item, { content: [{ type: "reasoning", text: "secret", visibility: "private" }] })
    .turnEnded();
  return told(script, (world) => expect(world.kinds).toEqual([]));
});

test("a character that a backend cuts in two arrives whole", () => {
  const script = new Script().session().turn();
  const item = script.start();
  script
    .delta(item, "a\ud83d")
    .delta(item, "\ude00b")
    .complete(item, { content: [{ type: "text", text: "a😀b" }] })
    .turnEnded();
  return told(script, (world) => {
    expect(world.text).toBe("a😀b");
    for (const { content } of world.of("agent_message_chunk"))
      expect(JSON.stringify(content)).not.toContain("\\ud");
  });
});

test("other statuses: the chat's own are left out, a failed one is a warning, one without its words has defaults", () => {
  const script = new Script().session().turn();
  const failed = (label: string): void =>
    void script.item({ kind: "status", content: [{ type: "status", label, detail: null }] }, "failed");
  script.status("queue", null, { take: "m1" });
  script.status("branch", null, { of: "m1", selected: "m2" });
  script.status("title");
  script.status("model");
  script.status("notice");
  failed("download");
  failed("compaction");
  return told(script.turnEnded(), (world) => {
    expect(
      world.of("notice").map(({ severity, title, description }) => [severity, title, description]),
    ).toEqual([
      ["info", "model", undefined],
      ["info", "notice", undefined],
      ["warning", "download", undefined],
    ]);
    expect(world.of("session_info_update").map(({ title }) => title)).not.toContain(null);
    expect(world.of("compaction_update").map(({ status }) => status)).toEqual(["failed"]);
  });
});
