import { codeyStep } from "agentwire/testing";
import { expect } from "vitest";
import {
  asked,
  collect,
  FAREWELL,
  failureOf,
  link,
  once,
  reached,
  rejection,
  sent,
  status,
  walkBackoff,
  works,
} from "../../helpers/codey.ts";
import { onBoth, type Scene, type SceneOptions } from "./both.ts";
import { read } from "./calls.ts";

const endless: SceneOptions = {
  mock: { answer: ({ content }) => (content === "go" ? ["one", codeyStep.hang()] : ["yes"]) },
};
const reconnecting: SceneOptions = { ...endless, client: { reconnect: {} } };

/** Ends the connection, and waits until the client is back. */
async function lose({ client, server }: Scene): Promise<void> {
  const back = once(client, "reconnected");
  link(server).drop();
  await back;
}

onBoth(
  "6.4 loss: a turn on a lost link fails at once, and what was approved may have side effects",
  { client: { onToolApproval: () => true } },
  async ({ client, server }) => {
    server.answer = () => ["one", codeyStep.calls(read({ result: { hangs: true } }))];
    const turn = client.prompt("go");
    await reached(turn, "toolu_1", "running");
    link(server).drop();
    expect(await failureOf(turn)).toMatchObject({
      code: "connection-lost",
      delivery: "unknown",
      sideEffectsPossible: true,
      partial: { text: "one", toolCalls: [{ state: "abandoned" }] },
    });
  },
);

onBoth("6.4 reconnection: it is off unless asked for", endless, async ({ client, server }) => {
  const attempts = collect(client, "reconnecting");
  link(server).drop();
  await status(client, "closed");
  expect(attempts).toEqual([]);
  expect(await rejection(client.connect())).toMatchObject({ code: "closed" });
});

onBoth(
  "6.4 reconnection & acceptance 13 & D8 & switch freezeAfterSessions=off: a new session begins, and says that the context is lost",
  reconnecting,
  async (scene) => {
    const { client, server } = scene;
    walkBackoff(scene);
    const previousSessionId = client.sessionId;
    const session = once(client, "sessionStarted");
    await lose(scene);
    expect(await session).toEqual({ sessionId: client.sessionId, contextLost: true, previousSessionId });
    expect(client.sessionId).not.toBe(previousSessionId);
    expect(client.sessionId).toBe(server.connections[1]?.sessionId);
    expect(await works(client)).toBe("yes");
  },
);

onBoth(
  "6.4 reconnection: usage starts at nothing, and the ids of calls are new",
  { client: { reconnect: {}, onToolApproval: () => true }, mock: { callId: () => "same" } },
  async (scene) => {
    const { client, server } = scene;
    walkBackoff(scene);
    server.answer = () => [codeyStep.calls(read())];
    const first = await client.prompt("go").result;
    expect(first.usage).toMatchObject({ outputTokens: 20, totalOutputTokens: 20 });
    await lose(scene);
    const second = await client.prompt("go").result;
    expect(second.usage).toMatchObject({ outputTokens: 20, totalOutputTokens: 20 });
    expect(second.usage).not.toHaveProperty("inexact");
    expect(second.toolCalls).toMatchObject([{ state: "done" }]);
    expect(second.toolCalls[0]?.id).not.toBe(first.toolCalls[0]?.id);
    expect(server.decisions.map(({ callId, outcome }) => [callId, outcome])).toEqual([
      ["same", "taken"],
      ["same", "taken"],
    ]);
  },
);

onBoth(
  "6.4 reconnection: an `always` was said in the old session, and counts for nothing in the new one",
  { client: { reconnect: {}, onToolApproval: "manual" } },
  async (scene) => {
    const { client, server } = scene;
    walkBackoff(scene);
    server.answer = () => [codeyStep.calls(read(), read())];
    const first = client.prompt("go");
    client.decide(await asked(first), "always");
    expect((await first.result).toolCalls.map(({ state }) => state)).toEqual(["done", "done"]);
    await lose(scene);
    const second = client.prompt("go");
    await asked(second);
    expect(second.pending).toHaveLength(1);
    await second.cancel();
  },
);

onBoth(
  "6.4 reconnection: the waits double from half a second, each cut by chance, and the attempts are counted",
  reconnecting,
  async (scene) => {
    const { client, server } = scene;
    walkBackoff(scene);
    const waits = collect(client, "reconnecting");
    server.refuseUpgrades(503);
    const gone = once(client, "disconnected");
    link(server).drop();
    await gone;
    await status(client, "closed");
    expect(waits.map(({ attempt, delay }) => [attempt, delay])).toEqual([
      [1, 250],
      [2, 500],
      [3, 1_000],
      [4, 2_000],
      [5, 4_000],
    ]);
    expect(server.upgrades).toHaveLength(6);
  },
);

onBoth(
  "6.4 reconnection: no wait exceeds its limit, and a turn that was finished starts the count anew",
  { ...endless, client: { reconnect: { maxAttempts: 3, minDelay: 20_000, maxDelay: 30_000 } } },
  async (scene) => {
    const { client } = scene;
    walkBackoff(scene);
    const waits = collect(client, "reconnecting");
    await lose(scene);
    await lose(scene);
    await works(client);
    await lose(scene);
    expect(waits.map(({ attempt, delay }) => [attempt, delay])).toEqual([
      [1, 10_000],
      [2, 15_000],
      [1, 10_000],
    ]);
  },
);

onBoth(
  "6.4 nothing is resent: neither the prompt, nor what waits behind it, nor a decision",
  { client: { reconnect: {}, onToolApproval: "manual" } },
  async (scene) => {
    const { client, server } = scene;
    walkBackoff(scene);
    server.answer = ({ content }) => (content === "go" ? [codeyStep.calls(read())] : ["yes"]);
    const turn = client.prompt("go");
    const next = client.prompt("next");
    const id = await asked(turn);
    await lose(scene);
    expect(await failureOf(turn)).toMatchObject({ code: "connection-lost", delivery: "unknown" });
    expect(await failureOf(next)).toMatchObject({
      code: "context-lost",
      delivery: "not-sent",
      input: "next",
    });
    expect(client.decide(id, true)).toMatchObject({ decision: "reject", by: "disconnected" });
    await works(client);
    expect(sent(server)).toEqual(["SendMessage go", "SendMessage are you there?"]);
  },
);

onBoth(
  "6.4 nothing is resent: the transcript stays with the application, and another conversation begins",
  reconnecting,
  async (scene) => {
    const { client } = scene;
    walkBackoff(scene);
    const old = client.conversation();
    await old.prompt("hello").result;
    await lose(scene);
    expect(old.messages).toEqual([
      { role: "user", content: "hello" },
      { role: "assistant", content: "yes" },
    ]);
    expect(await rejection(Promise.resolve().then(() => old.prompt("again").result))).toMatchObject({
      code: "context-lost",
      delivery: "not-sent",
    });
    expect(client.conversation().messages).toEqual([]);
  },
);

onBoth(
  "6.4 leaks & switch sessionAfterDisconnect=leaks & switch sessionAfterDisconnect=ends: a link lost with an open approval leaves a session behind, a client that closes leaves none",
  { client: { reconnect: {}, onToolApproval: "manual" } },
  async (scene) => {
    const { client, server, profile } = scene;
    walkBackoff(scene);
    server.answer = () => [codeyStep.calls(read())];
    await asked(client.prompt("go"));
    await lose(scene);
    const leaked = profile === "real" ? 1 : 0;
    expect(server.sessions).toEqual({ live: 1, leaked });
    await asked(client.prompt("go"));
    await client.close();
    await server.waitFor(() => link(server).closed);
    expect(sent(server).slice(-5)).toEqual(["Cancel", "ToolDecision toolu_2 false", ...FAREWELL]);
    expect(server.sessions).toEqual({ live: 0, leaked });
  },
);

onBoth(
  "6.4 frozen server & switch freezeAfterSessions=2: with as many sessions as threads nothing answers, and the attempts come to an end",
  {
    client: { reconnect: { maxAttempts: 3 } },
    mock: { ...endless.mock, sessionAfterDisconnect: "leaks", freezeAfterSessions: 2 },
  },
  async (scene) => {
    const { client, server, clock } = scene;
    walkBackoff(scene);
    await lose(scene); // the old session leaks, and with the new one the server is full
    const turn = client.prompt("go");
    await server.waitFor(() => sent(server).includes("SendMessage go"));
    const gone = once(client, "disconnected");
    const retried = server.waitFor(() => server.upgrades.length === 3);
    await clock.advance(30_000);
    expect(await gone).toMatchObject({ code: "connection-lost" });
    expect(await failureOf(turn)).toMatchObject({ code: "connection-lost" });
    await retried;
    const again = server.waitFor(() => server.upgrades.length === 4);
    await clock.advance(10_000);
    await again;
    await clock.advance(10_000);
    await status(client, "closed");
    expect(server.upgrades).toHaveLength(4);
  },
);

onBoth(
  "6.5 debug build & 6.3 health & acceptance 17: behind an unknown tool there is silence, and the next Ping brings the link down",
  { mock: { unknownTool: "silence" }, client: { reconnect: {} } },
  async (scene) => {
    const { client, server, clock } = scene;
    server.answer = ({ content }) =>
      content === "go" ? [codeyStep.calls({ name: "mcp_no_such_tool", params: {} })] : ["yes"];
    const turn = client.prompt("go");
    await reached(turn, "toolu_1", "requested");
    const back = once(client, "reconnected");
    walkBackoff(scene);
    await clock.advance(20_000);
    expect(await failureOf(turn)).toMatchObject({ code: "connection-lost" });
    await back;
    expect(await works(client)).toBe("yes");
  },
);

onBoth(
  "6.5 release build: the process dies, and the client learns it from the socket",
  { mock: { unknownTool: "processDeath" } },
  async ({ client, server }) => {
    server.answer = () => [codeyStep.calls({ name: "mcp_no_such_tool", params: {} })];
    const gone = once(client, "disconnected");
    const turn = client.prompt("go");
    expect(await gone).toMatchObject({ code: "connection-lost", closeCode: 1006 });
    expect(await failureOf(turn)).toMatchObject({ code: "connection-lost", sideEffectsPossible: true });
    expect(client.status).toBe("closed");
  },
);
