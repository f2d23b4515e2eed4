import { codeyStep } from "agentwire/testing";
import { expect } from "vitest";
import {
  asked,
  collect,
  eventsOf,
  failureOf,
  link,
  once,
  sent,
  shown,
  walkBackoff,
  works,
} from "../../helpers/codey.ts";
import { onBoth, type SceneOptions } from "./both.ts";
import { play, read } from "./calls.ts";

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
    client.decide(id, true);
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
    expect(() => client.prompt(bad as string)).toThrow(expect.objectContaining({ code: "invalid-input" }));
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
