import { codeyStep } from "agentwire/testing";
import { expect } from "vitest";
import {
  asked,
  collect,
  eventsOf,
  failureOf,
  frame,
  heard,
  link,
  once,
  sent,
  shown,
  walkBackoff,
  works,
} from "../../helpers/codey.ts";
import { onBoth, type SceneOptions } from "./both.ts";
import { lettersOf, play, read } from "./calls.ts";

const approving: SceneOptions = { client: { onToolApproval: () => true } };
const manual: SceneOptions = { client: { onToolApproval: "manual" } };
const background = true;

onBoth(
  "D1: any Error ends the turn, also one that is not fatal and has no Finished behind it",
  async ({ client, server }) => {
    server.answer = ({ content }) => (content === "go" ? ["half", codeyStep.error("no")] : ["yes"]);
    expect(await failureOf(client.prompt("go"))).toMatchObject({ code: "turn-failed", fatal: false });
    expect(await works(client)).toBe("yes");
  },
);

onBoth(
  "D2: a cancel settles whether or not the server answers it, at the Pong of its own Ping",
  async ({ client, server, profile }) => {
    server.answer = () => ["one", codeyStep.hang()];
    const turn = client.prompt("go");
    await shown(turn, "one");
    const heardAll = collect(client, "message");
    const outcome = await turn.cancel();
    expect(outcome.status).toBe("cancelled");
    expect(heardAll).toEqual(
      profile === "real"
        ? [{ type: "Pong" }]
        : [expect.objectContaining({ type: "Finished" }), { type: "Pong" }],
    );
    expect(sent(server).slice(1)).toEqual(["Cancel", "Ping"]);
  },
);

onBoth(
  "D3: an approved call has its start at once, inferred, and the server's own is not told again",
  approving,
  async (scene) => {
    const { said, heard: told, calls } = await play(scene, read());
    expect(said.includes("S")).toBe(scene.profile === "documented");
    expect(told.replace(/D/g, "")).toBe("AsC");
    expect(calls).toMatchObject([{ state: "done", startInferred: true }]);
  },
);

onBoth("D4: two starts of one call are told as one", approving, async (scene) => {
  const { said, heard: told } = await play(scene, read({ background, filter: "allow" }));
  expect(said.startsWith(scene.profile === "real" ? "SS" : "S")).toBe(true);
  expect(told.replace(/D/g, "")).toBe("SC");
});

onBoth("D5: the output is whole at the end, whether or not it came in pieces", approving, async (scene) => {
  const { said, calls } = await play(scene, read({ deltas: ["al", "x"] }));
  expect(said.includes("D")).toBe(scene.profile === "documented");
  expect(calls).toMatchObject([{ state: "done", output: "alpha" }]);
});

onBoth(
  "D6: a State is handed out as it is, with empty names and null params, and decides nothing",
  manual,
  async ({ client, server, profile }) => {
    server.answer = () => [codeyStep.calls(read())];
    const turn = client.prompt("go");
    const id = await asked(turn);
    const { agents, pending_approvals: pending } = await client.getState();
    const call =
      profile === "real" ? { name: "", params: null } : { name: "mcp_read_file", params: { path: "a.txt" } };
    expect(pending).toEqual([{ agent_id: 0, call_id: "toolu_1", ...call }]);
    expect(agents).toEqual([{ id: 0, name: profile === "real" ? null : "main", is_streaming: false }]);
    expect(turn.toolCalls).toMatchObject([{ name: "mcp_read_file", state: "awaiting" }]);
    client.reply(id, true);
    expect((await turn.result).toolCalls).toMatchObject([{ state: "done" }]);
  },
);

onBoth(
  "D7: the transcript is kept here, since the server's history may be empty",
  async ({ client, profile }) => {
    const conversation = client.conversation();
    await conversation.prompt("hello").result;
    const { messages } = await client.getHistory();
    expect(messages.map(({ role }) => role)).toEqual(profile === "real" ? [] : ["user", "assistant"]);
    expect(conversation.messages).toEqual([
      { role: "user", content: "hello" },
      { role: "assistant", content: "Hello! You said: hello" },
    ]);
  },
);

onBoth(
  "D8: coming back means another session, and that is said",
  { client: { reconnect: {} } },
  async (scene) => {
    const { client, server } = scene;
    walkBackoff(scene);
    const before = client.sessionId;
    const session = once(client, "sessionStarted");
    const back = once(client, "reconnected");
    link(server).drop();
    expect(await session).toMatchObject({ contextLost: true, previousSessionId: before });
    await back;
    expect(client.sessionId).not.toBe(before);
  },
);

onBoth(
  "D9: names and params of tools are whatever the server says",
  { ...approving, mock: { tools: ["mcp_read_file", "Read"] } },
  async (scene) => {
    const { calls } = await play(scene, read(), {
      name: "Read",
      params: { file_path: "a.txt" },
      result: "alpha",
    });
    expect(calls.map(({ name, input, state }) => [name, input, state])).toEqual([
      ["mcp_read_file", { path: "a.txt" }, "done"],
      ["Read", { file_path: "a.txt" }, "done"],
    ]);
  },
);

onBoth(
  "D10: a shell call that the server's rules should have stopped reaches the client, which denies by default",
  { warns: ["tool-denied"] },
  async (scene) => {
    const { said, calls } = await play(scene, {
      name: "mcp_shell",
      params: { command: "rm -rf /" },
      filter: "deny",
      result: "gone",
    });
    expect(said).toBe(scene.profile === "real" ? "AE" : "E");
    expect(calls).toMatchObject([
      { state: "denied", deniedBy: scene.profile === "real" ? "policy" : "server" },
    ]);
  },
);

onBoth("D11: an agent can be addressed, and other agents than 0 are heard", async ({ client, server }) => {
  server.answer = () => ["root", codeyStep.subAgent(3, "helper")];
  const turn = client.prompt({ content: "go", agentId: 4_294_967_295 });
  const events = eventsOf(turn);
  expect((await turn.result).text).toBe("root");
  expect(server.sends).toMatchObject([{ agentId: 4_294_967_295 }]);
  expect(events).toContainEqual({ type: "TextDelta", agent_id: 3, content: "helper" });
});

onBoth("D12: what the server would drop without a word is refused here", async ({ client, server }) => {
  for (const bad of ["", 7, null, { content: "x", agentId: -1 }, { content: "x", agentId: "0" }])
    expect(() => client.prompt(bad as string)).toThrow(/^invalid-input: /);
  await client.ping();
  expect(sent(server)).toEqual(["Ping"]);
});

onBoth("D13: one turn at a time: the second is sent when the first is over", async ({ client, server }) => {
  server.answer = () => ["one", codeyStep.calls(read({ filter: "allow" })), "two"];
  const turns = ["a", "b", "c"].map((content) => client.prompt(content));
  for (const turn of turns) expect((await turn.result).text).toBe("onetwo");
  expect(server.sends.map(({ content, outcome }) => [content, outcome])).toEqual([
    ["a", "started"],
    ["b", "started"],
    ["c", "started"],
  ]);
});

onBoth(
  "D14: a flood of attempt 1 is stopped; attempts that count up are let be",
  async ({ client, server, profile }) => {
    server.answer = () => [codeyStep.retrying("no key"), "fine"];
    const turn = client.prompt("go");
    const events = eventsOf(turn);
    const outcome = await turn.outcome;
    const attempts = events.flatMap((event) => (event.type === "Retrying" ? [event.attempt] : []));
    expect([outcome.status, attempts]).toEqual(
      profile === "real" ? ["failed", [1, 1, 1, 1, 1]] : ["completed", [1, 2, 3]],
    );
  },
);

onBoth("D15: close() resolves by its own timer where nobody answers the Close", async (scene) => {
  const { client, server, clock, profile } = scene;
  const closed = client.close();
  await server.waitFor(() => link(server).state === "closed");
  if (profile === "real") await clock.advance(1_000);
  await closed;
  expect(client.status).toBe("closed");
});

// --- 1.2: where the document is silent ---

for (const cancelReply of ["none", "toolErrors", "finished", "both"] as const) {
  for (const cancelReplyTiming of ["beforePong", "afterPong"] as const) {
    onBoth(
      `1.2 reply to Cancel: ${cancelReply} ${cancelReplyTiming} ends the turn as cancelled, and leaves nothing for the next`,
      {
        ...manual,
        mock: { cancelReply, cancelReplyTiming },
        warns: cancelReplyTiming === "afterPong" ? ["stray-message"] : [],
      },
      async ({ client, server }) => {
        server.answer = ({ content }) => (content === "go" ? ["one", codeyStep.calls(read())] : ["yes"]);
        const turn = client.prompt("go");
        await asked(turn);
        const late = collect(client, "late");
        const stray = collect(client, "stray");
        const outcome = await turn.cancel();
        await client.ping();
        const replies = [
          ...(cancelReply === "both" || cancelReply === "toolErrors" ? ["ToolError"] : []),
          ...(cancelReply === "both" || cancelReply === "finished" ? ["Finished"] : []),
        ];
        const [where, nowhere] = cancelReplyTiming === "beforePong" ? [late, stray] : [stray, late];
        expect(where.map(({ type }) => type)).toEqual(replies);
        expect(nowhere).toEqual([]);
        expect(outcome).toMatchObject({ status: "cancelled", partial: { text: "one" } });
        expect(turn.toolCalls).toMatchObject([{ state: "abandoned" }]);
        expect(await works(client)).toBe("yes");
      },
    );
  }
}

onBoth(
  "1.2 Error that does not end the turn: what follows it, its Finished too, is in no turn",
  { mock: { errorEndsTurn: false } },
  async ({ client, server }) => {
    server.answer = ({ content }) => (content === "go" ? ["half", codeyStep.error("no"), "more"] : ["yes"]);
    const turn = client.prompt("go");
    const next = client.prompt("next");
    const events = eventsOf(next);
    expect(await failureOf(turn)).toMatchObject({ code: "turn-failed", partial: { text: "half" } });
    expect((await next.result).text).toBe("yes");
    expect(events.map(({ type }) => type)).toEqual(["TextDelta", "Finished"]);
  },
);

onBoth(
  "1.2 bad client message: an Error while idle is told, and no turn fails of it",
  { warns: ["server-error"] },
  async ({ client, server }) => {
    const told = once(client, "serverError");
    link(server).send(frame.error("Invalid message: not an object"));
    expect(await told).toMatchObject({ fatal: false });
    await works(client);
  },
);

onBoth(
  "1.2 mid-turn SendMessage: there is none, so neither a queue nor a restart is met",
  async ({ client, server }) => {
    for (const midTurnSend of ["restart", "queue"] as const) {
      server.set({ midTurnSend });
      const [one, two] = [client.prompt("one"), client.prompt("two")];
      expect((await one.result).text).toBe("Hello! You said: one");
      expect((await two.result).text).toBe("Hello! You said: two");
    }
    expect(server.sends.every(({ outcome }) => outcome === "started")).toBe(true);
  },
);

onBoth(
  "1.2 several approvals: any number open at once, answered in any order",
  manual,
  async ({ client, server }) => {
    const ids = ["a", "b", "c", "d"];
    server.answer = () => [
      codeyStep.calls(...ids.map((callId) => read({ callId, background: callId !== "a" }))),
    ];
    const turn = client.prompt("go");
    await Promise.all(ids.map((callId) => asked(turn, (id) => id === callId)));
    for (const id of ["c", "a", "d", "b"]) client.reply(id, id !== "d");
    const { toolCalls } = await turn.result;
    expect(toolCalls.map(({ id, state }) => [id, state])).toEqual([
      ["a", "done"],
      ["b", "done"],
      ["c", "done"],
      ["d", "denied"],
    ]);
    expect(sent(server).slice(1)).toEqual([
      "ToolDecision c true",
      "ToolDecision a true",
      "ToolDecision d false",
      "ToolDecision b true",
    ]);
  },
);

onBoth(
  "1.2 several approvals: also foreground ones that the server does not ask about one by one",
  manual,
  async ({ client, server }) => {
    server.answer = () => ["one", codeyStep.hang()];
    const turn = client.prompt("go");
    const events = eventsOf(turn);
    await shown(turn, "one");
    const connection = link(server);
    for (const raw of [frame.request("x", "y"), frame.awaiting("y"), frame.awaiting("x")])
      connection.send(raw);
    await asked(turn, (id) => id === "x");
    expect(turn.pending.map(({ id }) => id)).toEqual(["y", "x"]);
    connection.send(frame.completed("x", "1"));
    connection.send(frame.completed("y", "2"));
    connection.send(frame.finished());
    const { toolCalls } = await turn.result;
    expect(toolCalls).toMatchObject([
      { id: "x", state: "done" },
      { id: "y", state: "done" },
    ]);
    expect(lettersOf(events)).toBe("AACC");
  },
);

onBoth(
  "1.2 multi-agent, versions: another agent's Finished does not end the turn, and new fields change nothing",
  { mock: { subAgent: true, extraFields: "injected" } },
  async ({ client, server }) => {
    server.answer = () => ["one", " two"];
    const greeting = heard(client, "Pong");
    await client.ping();
    expect(JSON.parse(await greeting)).not.toEqual({ type: "Pong" });
    const { text, usage } = await client.prompt("go").result;
    expect(text).toBe("one two");
    expect(usage).toMatchObject({ outputTokens: 10 });
  },
);
