import { codeyStep, codeyTool } from "agentwire/testing";
import { expect } from "vitest";
import { asked, collect, eventsOf, heard, link, once, sent, thrown } from "../../helpers/codey.ts";
import { onBoth, type SceneOptions } from "./both.ts";
import { lettersOf, play, read } from "./calls.ts";

const approving: SceneOptions = { client: { onToolApproval: () => true } };
const manual: SceneOptions = { client: { onToolApproval: "manual" } };
const background = true;

onBoth(
  "acceptance 1: every message of the client is on the wire as the description shows it",
  manual,
  async ({ client, server }) => {
    server.answer = () => [codeyStep.calls(read())];
    const turn = client.prompt("List the files");
    client.decide(await asked(turn), true);
    await turn.result;
    const second = client.prompt({ content: 'é\n"', agentId: 7 });
    await asked(second);
    await Promise.all([client.getHistory(), client.getState()]);
    await second.cancel();
    const raw = server.frames.filter(({ direction }) => direction === "c2s").map((said) => said.raw);
    expect(raw).toEqual([
      '{"type":"SendMessage","content":"List the files","agent_id":null}',
      '{"type":"ToolDecision","call_id":"toolu_1","approved":true}',
      '{"type":"SendMessage","content":"é\\n\\"","agent_id":7}',
      '{"type":"GetHistory"}',
      '{"type":"GetState"}',
      '{"type":"Cancel"}',
      '{"type":"ToolDecision","call_id":"toolu_2","approved":false}',
      '{"type":"Ping"}',
    ]);
  },
);

onBoth(
  "acceptance 1: every message of the server is handed out as it came",
  { ...manual, warns: ["stray-message"] },
  async ({ client, server }) => {
    server.answer = () => ["", codeyStep.hang()];
    const turn = client.prompt("go");
    const events = eventsOf(turn);
    await once(client, "event");
    const messages = collect(client, "message");
    const call = '{"call_id":"toolu_1","name":"mcp_read_file","params":{"path":"a.txt"},"background":false}';
    const ofTurn = [
      '{"type":"TextDelta","agent_id":0,"content":"Let me "}',
      '{"type":"ThinkingDelta","agent_id":0,"content":"The user wants"}',
      `{"type":"ToolRequest","agent_id":0,"calls":[${call}]}`,
      `{"type":"ToolAwaitingApproval","agent_id":0,${call.slice(1)}`,
      '{"type":"ToolStarted","agent_id":0,"call_id":"toolu_1","name":"mcp_read_file"}',
      '{"type":"ToolDelta","agent_id":0,"call_id":"toolu_1","content":"   1│al"}',
      '{"type":"ToolCompleted","agent_id":0,"call_id":"toolu_1","content":"   1│alpha\\n"}',
      '{"type":"ToolError","agent_id":0,"call_id":"toolu_2","error":"File not found: a.txt"}',
      '{"type":"Retrying","agent_id":0,"attempt":1,"error":"Rate limit exceeded"}',
      '{"type":"Finished","agent_id":0,"usage":{"output_tokens":150,"context_tokens":4500,"cache_creation_tokens":0,"cache_read_tokens":3200}}',
    ];
    const others = [
      '{"type":"History","messages":[{"role":"user","content":"Hello!","timestamp":"2024-01-15T10:30:00Z"},{"role":"assistant","content":"Hi","timestamp":null}]}',
      '{"type":"State","agents":[{"id":0,"name":null,"is_streaming":false}],"pending_approvals":[{"agent_id":0,"call_id":"toolu_1","name":"","params":null}]}',
      '{"type":"Pong"}',
      '{"type":"Connected","session_id":"550e8400-e29b-41d4-a716-446655440000"}',
    ];
    const last = heard(client, "Connected");
    for (const raw of [...ofTurn, ...others]) link(server).send(raw);
    expect((await turn.result).usage).toEqual({
      outputTokens: 150,
      totalOutputTokens: 150,
      contextTokens: 4_500,
      cacheCreationTokens: 0,
      cacheReadTokens: 3_200,
    });
    await last;
    await client.ping();
    expect(events.slice(1)).toEqual(ofTurn.map((raw) => JSON.parse(raw)));
    expect(messages.slice(0, -1).map((message) => JSON.stringify(message))).toEqual([...ofTurn, ...others]);
  },
);

onBoth("acceptance 2: a turn may be text, thinking, both or nothing at all", async ({ client, server }) => {
  const scripts = [
    ["a", "b"],
    [codeyStep.thinking("hm"), codeyStep.thinking("!")],
    [codeyStep.thinking("hm"), "a"],
    [],
  ];
  const results = [];
  for (const script of scripts) {
    server.answer = () => script;
    const { text, thinking, rounds } = await client.prompt("go").result;
    results.push([text, thinking, rounds.length]);
  }
  expect(results).toEqual([
    ["ab", "", 1],
    ["", "hm!", 1],
    ["a", "hm", 1],
    ["", "", 0],
  ]);
});

onBoth(
  "acceptance 2: the text of several rounds is split by round",
  approving,
  async ({ client, server }) => {
    server.answer = () => [
      "one",
      " and",
      codeyStep.calls(read()),
      codeyStep.calls(read()),
      codeyStep.thinking("hm"),
      "two",
      codeyStep.calls(read({ background }), read()),
    ];
    const { rounds, text } = await client.prompt("go").result;
    expect(text).toBe("one andtwo");
    expect(rounds.map(({ text, thinking, calls }) => [text, thinking, calls.length])).toEqual([
      ["one and", "", 1],
      ["", "", 1],
      ["two", "hm", 2],
    ]);
  },
);

onBoth(
  "acceptance 3: calls of all kinds in one round end in their states, with exactly one start for each that ran",
  { client: { onToolApproval: ({ id }) => !id.startsWith("no") } },
  async (scene) => {
    const started: string[] = [];
    scene.client.on("event", (event) => {
      if (event.type === "ToolStarted") started.push(event.call_id);
    });
    const boom = { error: "boom" };
    const { calls } = await play(
      scene,
      read({ callId: "fg" }),
      read({ callId: "fg-boom", result: boom }),
      read({ callId: "no-fg" }),
      read({ callId: "fg-allowed", filter: "allow" }),
      read({ callId: "fg-refused", filter: "deny" }),
      read({ callId: "fg-invalid", result: { invalid: "bad" } }),
      read({ callId: "bg", background }),
      read({ callId: "bg-boom", background, result: boom }),
      read({ callId: "no-bg", background }),
      read({ callId: "bg-allowed", background, filter: "allow" }),
      read({ callId: "bg-refused", background, filter: "deny" }),
      read({ callId: "bg-invalid", background, result: { invalid: "bad" } }),
    );
    const inBackground = scene.profile === "real" ? "done" : "failed";
    expect(calls.map(({ id, state, deniedBy }) => [id, state, deniedBy])).toEqual([
      ["fg", "done", undefined],
      ["fg-boom", "failed", undefined],
      ["no-fg", "denied", "user"],
      ["fg-allowed", "done", undefined],
      ["fg-refused", "denied", "server"],
      ["fg-invalid", "failed", undefined],
      ["bg", "done", undefined],
      ["bg-boom", inBackground, undefined],
      ["no-bg", "denied", "user"],
      ["bg-allowed", "done", undefined],
      ["bg-refused", "denied", "server"],
      ["bg-invalid", inBackground, undefined],
    ]);
    expect(started.sort()).toEqual(["bg", "bg-allowed", "bg-boom", "fg", "fg-allowed", "fg-boom"]);
  },
);

onBoth(
  "acceptance 4: three foreground calls are asked about one after the other",
  manual,
  async ({ client, server }) => {
    server.answer = () => [codeyStep.calls(...["a", "b", "c"].map((callId) => read({ callId })))];
    const turn = client.prompt("go");
    const events = eventsOf(turn);
    for (const [callId, approved] of [
      ["a", true],
      ["b", false],
      ["c", true],
    ] as const) {
      await asked(turn, (id) => id === callId);
      expect(turn.pending.map(({ id }) => id)).toEqual([callId]);
      client.decide(callId, approved);
    }
    expect((await turn.result).toolCalls.map(({ state }) => state)).toEqual(["done", "denied", "done"]);
    expect(lettersOf(events).replace(/D/g, "")).toBe("AsCAEAsC");
  },
);

for (const order of ["a b c", "a c b", "b a c", "b c a", "c a b", "c b a"]) {
  onBoth(
    `acceptance 4: a foreground call and two background ones, open together, are answered in the order ${order}`,
    manual,
    async ({ client, server }) => {
      server.answer = () => [
        codeyStep.calls(
          read({ callId: "a" }),
          read({ callId: "b", background }),
          read({ callId: "c", background }),
        ),
      ];
      const turn = client.prompt("go");
      await Promise.all(["a", "b", "c"].map((callId) => asked(turn, (id) => id === callId)));
      for (const id of order.split(" ")) client.decide(id, true);
      expect((await turn.result).toolCalls.map(({ state }) => state)).toEqual(["done", "done", "done"]);
      expect(server.decisions.map(({ callId }) => callId).join(" ")).toBe(order);
    },
  );
}

onBoth(
  "acceptance 5: double, early and unknown decisions send nothing",
  manual,
  async ({ client, server }) => {
    server.answer = () => [codeyStep.calls(read(), read())];
    const turn = client.prompt("go");
    await asked(turn);
    for (const id of ["toolu_2", "toolu_3"])
      expect(thrown(() => client.decide(id, true))).toMatchObject({ code: "invalid-input" });
    client.decide("toolu_1", true);
    client.decide("toolu_1", false);
    await asked(turn, (id) => id === "toolu_2");
    client.decide("toolu_2", false);
    client.decide("toolu_2", true);
    await turn.result;
    expect(sent(server)).toEqual([
      "SendMessage go",
      "ToolDecision toolu_1 true",
      "ToolDecision toolu_2 false",
    ]);
  },
);

const HANDLERS = {
  "that throws": () => {
    throw new Error("oops");
  },
  "that rejects": () => Promise.reject(new Error("oops")),
  "that says nonsense": () => "perhaps" as "once",
  "that never answers": () => new Promise<boolean>(() => {}),
} as const;

for (const [what, onToolApproval] of Object.entries(HANDLERS)) {
  onBoth(
    `acceptance 5: a handler ${what} leads to one denial, and the turn goes on`,
    { client: { onToolApproval, approvalTimeout: 1_000, keepalive: false }, warns: ["approval-failed"] },
    async ({ client, server, clock }) => {
      server.answer = () => ["one", codeyStep.calls(codeyTool.shell("ls")), " two"];
      const wanted = heard(client, "ToolAwaitingApproval");
      const turn = client.prompt("go");
      await wanted;
      await clock.advance(1_000);
      const { text, toolCalls } = await turn.result;
      expect([text, toolCalls[0]?.state, toolCalls[0]?.deniedBy]).toEqual(["one two", "denied", "policy"]);
      expect(sent(server).filter((words) => words.startsWith("ToolDecision"))).toEqual([
        "ToolDecision toolu_1 false",
      ]);
    },
  );
}

onBoth(
  "acceptance 5: a handler that is aborted leaves its call abandoned, and the loop alive",
  {
    client: {
      onToolApproval: (_, { signal }) =>
        new Promise<boolean>((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    },
  },
  async ({ client, server }) => {
    server.answer = ({ content }) => (content === "go" ? [codeyStep.calls(read())] : ["yes"]);
    const turn = client.prompt("go");
    await asked(turn);
    await turn.cancel();
    expect(turn.toolCalls).toMatchObject([{ state: "abandoned" }]);
    expect((await client.prompt("next").result).text).toBe("yes");
  },
);
