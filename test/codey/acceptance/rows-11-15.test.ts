import { codeyStep } from "agentwire/testing";
import { expect } from "vitest";
import {
  asked,
  collect,
  drain,
  eventsOf,
  failureOf,
  link,
  once,
  rejection,
  sent,
  shown,
  status,
  walkBackoff,
  works,
} from "../../helpers/codey.ts";
import { onBoth, type Scene } from "./both.ts";
import { lettersOf, read } from "./calls.ts";

onBoth(
  "acceptance 11: close() resolves within its second, any number of times, and settles all that is pending",
  { mock: { closeReply: false }, client: { onToolApproval: "manual" } },
  async ({ client, server, clock }) => {
    server.answer = () => [codeyStep.calls(read())];
    const turn = client.prompt("go");
    const next = client.prompt("next");
    const reading = drain(turn);
    await asked(turn);
    server.set({ frozen: "midSession" });
    const requests = [client.ping(), client.getState(), client.getHistory()].map(rejection);
    await server.waitFor(() => sent(server).includes("GetHistory"));
    const closed = [client.close(), client.close(), client.close({ force: true })];
    await server.waitFor(() => sent(server).includes("ToolDecision toolu_1 false"));
    await clock.advance(1_000);
    await Promise.all([...closed, client.close()]);
    for (const request of requests) expect(await request).toMatchObject({ code: "closed" });
    expect(await failureOf(turn)).toMatchObject({ code: "closed", delivery: "unknown" });
    expect(await failureOf(next)).toMatchObject({ code: "closed", delivery: "not-sent", input: "next" });
    expect((await reading).thrown).toBeUndefined();
    expect([client.status, clock.pending, turn.pending]).toEqual(["closed", 0, []]);
    expect(sent(server).filter((words) => words === "Cancel")).toHaveLength(1);
  },
);

const CODES = [1000, 1001, 1006, 1011] as const;

/** Ends the connection with the code; 1006 is a cut. */
const end = ({ server }: Scene, code: number): void =>
  code === 1006 ? link(server).drop() : link(server).close(code);

for (const code of CODES) {
  const lost = { code: "connection-lost", closeCode: code };

  onBoth(
    `acceptance 12: dropped with ${code} while idle, the client says so and is closed`,
    { connected: false, mock: { dropAt: { after: 1, code } } },
    async ({ client }) => {
      const gone = once(client, "disconnected");
      await client.connect();
      expect(await gone).toMatchObject(lost);
      await status(client, "closed");
      expect(await rejection(client.ping())).toMatchObject({ code: "closed" });
    },
  );

  onBoth(
    `acceptance 12: dropped with ${code} while streaming, the turn fails`,
    { mock: { dropAt: { after: 2, code } } },
    async ({ client }) => {
      const { values, thrown } = await drain(client.prompt("go").textStream);
      expect(values).toEqual(["Hello! "]);
      expect(thrown).toMatchObject({ ...lost, delivery: "unknown" });
      expect(thrown).not.toHaveProperty("sideEffectsPossible"); // no call was announced
    },
  );

  onBoth(
    `acceptance 12: dropped with ${code} while an approval is open, it and the turn are over`,
    { mock: { dropAt: { after: 3, code } }, client: { onToolApproval: "manual" } },
    async ({ client, server }) => {
      server.answer = () => [codeyStep.calls(read())];
      const turn = client.prompt("go");
      expect(await failureOf(turn)).toMatchObject({ ...lost, sideEffectsPossible: true });
      expect([turn.pending, turn.toolCalls[0]?.state]).toEqual([[], "abandoned"]);
      expect(client.decide("toolu_1", true)).toMatchObject({ decision: "reject", by: "disconnected" });
    },
  );

  onBoth(
    `acceptance 12: dropped with ${code} while cancelling, the turn is cancelled`,
    { mock: { cancelReply: "none" } },
    async (scene) => {
      const { client, server } = scene;
      server.answer = () => ["one", codeyStep.hang()];
      const turn = client.prompt("go");
      await shown(turn, "one");
      server.set({ frozen: "midSession" });
      const gone = once(client, "disconnected");
      const outcome = turn.cancel();
      await server.waitFor(() => sent(server).includes("Ping"));
      end(scene, code);
      expect(await gone).toMatchObject(lost);
      expect((await outcome).status).toBe("cancelled");
    },
  );

  onBoth(`acceptance 12: dropped with ${code} while requests are open, they are rejected`, async (scene) => {
    const { client, server } = scene;
    server.set({ frozen: "midSession" });
    const requests = [client.ping(), client.getState(), client.getHistory()].map(rejection);
    await server.waitFor(() => sent(server).includes("GetHistory"));
    end(scene, code);
    for (const request of requests) expect(await request).toMatchObject(lost);
  });
}

onBoth(
  "acceptance 13: after a reconnect the id is new, the context lost and nothing resent; the attempts are limited",
  { client: { reconnect: { maxAttempts: 2 }, onToolApproval: "manual" } },
  async (scene) => {
    const { client, server } = scene;
    walkBackoff(scene);
    const waits = collect(client, "reconnecting");
    const sessions = collect(client, "sessionStarted");
    server.answer = () => [codeyStep.calls(read())];
    const first = client.sessionId;
    await asked(client.prompt("go"));
    const next = client.prompt("next");
    const back = once(client, "reconnected");
    link(server).drop();
    await back;
    expect(sessions).toEqual([{ sessionId: client.sessionId, contextLost: true, previousSessionId: first }]);
    expect(await failureOf(next)).toMatchObject({
      code: "context-lost",
      delivery: "not-sent",
      input: "next",
    });
    await client.ping();
    expect(sent(server)).toEqual(["SendMessage go", "Ping"]);
    server.refuseUpgrades("never-answered");
    const dialled = server.waitFor(({ upgrades }) => upgrades.length === 3);
    link(server).drop();
    await dialled;
    await scene.clock.advance(10_000);
    await status(client, "closed");
    expect(waits.map(({ attempt, delay }) => [attempt, delay])).toEqual([
      [1, 250],
      [2, 500],
    ]);
  },
);

onBoth(
  "acceptance 14: the flood stops at the guard, and the session can still be used",
  { mock: { retrying: "flood" } },
  async ({ client, server }) => {
    server.answer = ({ content }) => (content === "go" ? [codeyStep.retrying("no key")] : ["yes"]);
    const { values, thrown } = await drain(client.prompt("go"));
    expect(values.map(({ type }) => type)).toEqual(Array.from({ length: 5 }, () => "Retrying"));
    expect(thrown).toMatchObject({ code: "turn-failed", kind: "misconfigured" });
    expect(await works(client)).toBe("yes");
    expect(sent(server).slice(1, 3)).toEqual(["Cancel", "Ping"]);
  },
);

onBoth(
  "acceptance 14: counted retries pass through, however many, and text between them starts the count anew",
  { mock: { retrying: "counted" } },
  async ({ client, server }) => {
    server.answer = () => [codeyStep.retrying("busy", { times: 20 }), "fine"];
    expect((await client.prompt("go").result).text).toBe("fine");
    server.set({ retrying: "flood" });
    const three = codeyStep.retrying("busy", { times: 3 });
    server.answer = () => [three, "a", three, "b", three, "c"];
    expect((await client.prompt("go").result).text).toBe("abc");
  },
);

onBoth(
  "acceptance 15: all noise at once is at most warnings",
  {
    mock: {
      extraFields: "injected",
      unknownType: "injected",
      badJson: "injected",
      binaryJson: "injected",
      history: "mixedTimestamps",
      subAgent: true,
    },
    client: { onToolApproval: () => true },
    warns: ["unknown-message", "unreadable-frame", "invalid-message"],
  },
  async ({ client, server }) => {
    const inputs = [null, ["a"], "text", 7];
    server.answer = () => ["one", codeyStep.calls(...inputs.map((params) => read({ params }))), "two"];
    const turn = client.prompt("go");
    const events = eventsOf(turn);
    const { text, toolCalls } = await turn.result;
    expect(text).toBe("onetwo");
    expect(toolCalls.map(({ input, state }) => [input, state])).toEqual(
      inputs.map((input) => [input, "done"]),
    );
    expect(lettersOf(events).replace(/D/g, "")).toBe("AsCAsCAsCAsC");
    const { messages } = await client.getHistory();
    expect(messages.map(({ timestamp }) => typeof timestamp)).toEqual(["string", "object", "object"]);
    expect((await client.getState()).agents).toHaveLength(1);
  },
);

onBoth(
  "acceptance 15: an approval that cannot be read is denied, or the server would wait for ever",
  { warns: ["invalid-message"], mistakes: ["decision-unknown"] }, // the server of this test has not asked itself
  async ({ client, server }) => {
    server.answer = () => ["one", codeyStep.hang()];
    const turn = client.prompt("go");
    await shown(turn, "one");
    link(server).send('{"type":"ToolAwaitingApproval","agent_id":0,"call_id":"x","name":7}');
    const decision = await server.nextDecision();
    expect(decision).toMatchObject({ callId: "x", approved: false });
  },
);
