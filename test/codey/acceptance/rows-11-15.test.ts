import { codeyStep } from "agentwire/testing";
import { expect } from "vitest";
import {
  asked,
  drain,
  eventsOf,
  failureOf,
  link,
  once,
  rejection,
  sent,
  shown,
  status,
} from "../../helpers/codey.ts";
import { browserLike, onBoth, type Scene } from "./both.ts";
import { lettersOf, read } from "./calls.ts";

onBoth(
  "acceptance 11 & 6.2 close & 6.3 closing & D15: close() resolves within its second, any number of times, and settles all that is pending",
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
    let done = false;
    const closed = [client.close(), client.close(), client.close({ force: true })];
    void closed[0]?.then(() => {
      done = true;
    });
    await server.waitFor(() => sent(server).includes("ToolDecision toolu_1 false"));
    await clock.advance(999);
    expect(done).toBe(false);
    await clock.advance(1);
    await Promise.all([...closed, client.close()]);
    for (const request of requests) expect(await request).toMatchObject({ code: "closed" });
    expect(await failureOf(turn)).toMatchObject({ code: "closed", delivery: "unknown" });
    expect(await failureOf(next)).toMatchObject({ code: "closed", delivery: "not-sent", input: "next" });
    expect((await reading).thrown).toBeUndefined();
    expect([client.status, clock.pending, turn.pending]).toEqual(["closed", 0, []]);
    expect(sent(server).filter((words) => words === "Cancel")).toHaveLength(1);
    if (!browserLike) await server.waitFor(() => link(server).closed);
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
}

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
