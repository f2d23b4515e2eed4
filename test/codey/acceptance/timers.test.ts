import { codeyStep } from "agentwire/testing";
import { expect } from "vitest";
import {
  asked,
  failureOf,
  frame,
  heard,
  link,
  once,
  rejection,
  sent,
  shown,
  works,
} from "../../helpers/codey.ts";
import { onFakeSocket } from "../../helpers/codey-sockets.ts";
import { forBoth, onBoth, type SceneOptions } from "./both.ts";
import { read } from "./calls.ts";

const endless: SceneOptions = {
  mock: { answer: ({ content }) => (content === "go" ? ["one", codeyStep.hang()] : ["yes"]) },
};
/** No pings, so that only the clock under test runs. */
const quiet = { keepalive: false } as const;

onBoth(
  "6.2 ping interval: a Ping every 20 s, idle, in a turn and while an approval waits",
  { client: { onToolApproval: "manual" } },
  async ({ client, server, clock }) => {
    server.answer = () => [codeyStep.calls(read())];
    const pings = (): number => sent(server).filter((type) => type === "Ping").length;
    const next = async (count: number): Promise<void> => {
      const ponged = heard(client, frame.pong);
      await clock.advance(20_000);
      await ponged;
      expect(pings()).toBe(count);
    };
    await next(1);
    const turn = client.prompt("go");
    await asked(turn);
    await next(2);
    await next(3);
    expect(client.status).toBe("ready");
    await turn.cancel();
  },
);

forBoth(
  "6.2 pong deadline: a Ping without its Pong for 10 s ends the link, whatever else comes in",
  async () => {
    const { client, socket, clock } = await onFakeSocket();
    const gone = once(client, "disconnected");
    const turn = client.prompt("go");
    await clock.advance(20_000);
    expect(socket.sent.at(-1)).toBe('{"type":"Ping"}');
    for (let second = 0; second < 9; second++) {
      await clock.advance(1_000);
      socket.receives(frame.text("."));
    }
    await clock.advance(999);
    expect(client.status).toBe("ready");
    await clock.advance(1);
    expect(await gone).toMatchObject({ code: "connection-lost" });
    expect(await failureOf(turn)).toMatchObject({ code: "connection-lost", partial: { text: "........." } });
    expect([client.status, socket.abandoned, clock.pending]).toEqual(["closed", true, 0]);
  },
);

onBoth("6.2 pong deadline: a link that answers is never cut", async ({ client, clock }) => {
  for (let ping = 0; ping < 4; ping++) {
    const ponged = heard(client, frame.pong);
    await clock.advance(20_000);
    await ponged;
  }
  expect(await works(client)).toBe("Hello! You said: are you there?");
});

onBoth(
  "6.2 cancel barrier: five seconds, or what `cancelTimeout` says, from the Cancel to its Pong",
  { ...endless, client: { ...quiet, cancelTimeout: 700 } },
  async ({ client, server, clock }) => {
    const turn = client.prompt("go");
    await shown(turn, "one");
    server.set({ frozen: "midSession" });
    const outcome = turn.cancel();
    await clock.advance(699);
    expect(client.status).toBe("ready");
    await clock.advance(1);
    expect((await outcome).status).toBe("cancelled");
    expect(client.status).toBe("closed");
  },
);

onBoth(
  "6.2 request: each is given 10 s of its own, and the session lives on without an answer",
  { client: quiet },
  async ({ client, server, clock }) => {
    server.set({ frozen: "midSession" });
    const state = rejection(client.getState());
    await server.waitFor(() => sent(server).includes("GetState"));
    await clock.advance(4_000);
    const history = rejection(client.getHistory());
    await server.waitFor(() => sent(server).includes("GetHistory"));
    await clock.advance(6_000);
    expect(await state).toMatchObject({ code: "request-timeout", timeout: 10_000, retryable: true });
    await clock.advance(4_000);
    expect(await history).toMatchObject({ code: "request-timeout" });
    server.set({ frozen: "off" });
    await works(client);
  },
);

forBoth("6.2 request: an answer that comes too late is not the next one's", async () => {
  const { client, socket, clock } = await onFakeSocket(quiet);
  const late = rejection(client.getState());
  await clock.advance(10_000);
  expect(await late).toMatchObject({ code: "request-timeout" });
  const next = client.getState();
  await clock.advance(0);
  for (const id of [1, 2]) {
    const agents = [{ id, name: null, is_streaming: false }];
    socket.receives(JSON.stringify({ type: "State", agents, pending_approvals: [] }));
  }
  expect((await next).agents).toMatchObject([{ id: 2 }]);
  const closed = client.close();
  socket.ends(1000);
  await closed;
});

onBoth(
  "6.2 turn idle: off unless asked for, since a long command says nothing",
  { ...endless, client: quiet },
  async ({ client, clock }) => {
    const turn = client.prompt("go");
    await shown(turn, "one");
    await clock.advance(24 * 3_600_000);
    expect(turn.status).toBe("streaming");
    await turn.cancel();
  },
);

onBoth(
  "6.2 turn idle: messages of the turn start it anew, answers to requests do not",
  { ...endless, client: { ...quiet, idleTimeout: 1_000 } },
  async ({ client, server, clock }) => {
    const turn = client.prompt("go");
    await shown(turn, "one");
    await clock.advance(900);
    link(server).send(frame.text(" two"));
    await shown(turn, "one two");
    await clock.advance(900);
    await Promise.all([client.ping(), client.getState(), client.getHistory()]);
    expect(turn.status).toBe("streaming");
    await clock.advance(100);
    expect(await failureOf(turn)).toMatchObject({ code: "turn-timeout", kind: "idle", timeout: 1_000 });
  },
);

onBoth(
  "6.2 turn idle: it stands still while an approval is open",
  { client: { ...quiet, idleTimeout: 1_000, onToolApproval: "manual" } },
  async ({ client, server, clock }) => {
    server.answer = () => [codeyStep.calls(read({ result: { hangs: true } }))];
    const turn = client.prompt("go");
    const id = await asked(turn);
    await clock.advance(3_600_000);
    expect(turn.status).toBe("streaming");
    client.decide(id, true);
    await clock.advance(999);
    expect(turn.status).toBe("streaming");
    await clock.advance(1);
    expect(await failureOf(turn)).toMatchObject({ code: "turn-timeout" });
  },
);

onBoth(
  "6.2 approval: off unless asked for, since people go for lunch",
  { client: { ...quiet, onToolApproval: "manual" } },
  async ({ client, server, clock }) => {
    server.answer = () => [codeyStep.calls(read())];
    const turn = client.prompt("go");
    const id = await asked(turn);
    await clock.advance(24 * 3_600_000);
    expect(turn.pending).toHaveLength(1);
    client.decide(id, true);
    expect((await turn.result).toolCalls).toMatchObject([{ state: "done" }]);
  },
);

onBoth(
  "6.2 approval: after its time the call is denied, and the turn goes on",
  { client: { ...quiet, approvalTimeout: 60_000, onToolApproval: () => new Promise(() => {}) } },
  async ({ client, server, clock }) => {
    server.answer = () => [codeyStep.calls(read()), "after"];
    const turn = client.prompt("go");
    await asked(turn);
    await clock.advance(59_999);
    expect(turn.pending).toHaveLength(1);
    await clock.advance(1);
    const { text, toolCalls } = await turn.result;
    expect(text).toBe("after");
    expect(toolCalls).toMatchObject([{ state: "denied", deniedBy: "policy" }]);
    expect(sent(server)).toEqual(["SendMessage go", "ToolDecision toolu_1 false"]);
  },
);

onBoth(
  "6.2 retry guard: the fifth Retrying that does not count up stops the turn",
  async ({ client, server }) => {
    server.answer = () => [codeyStep.retrying("no key", { times: 4 }), "fine"];
    server.set({ retrying: "flood" });
    expect((await client.prompt("go").result).text).toBe("fine");
    server.answer = () => [codeyStep.retrying("no key", { times: 5 }), codeyStep.hang()];
    expect(await failureOf(client.prompt("go"))).toMatchObject({
      code: "turn-failed",
      kind: "misconfigured",
      serverMessage: expect.stringContaining("no key"),
    });
    expect(sent(server).slice(1)).toEqual(["SendMessage go", "Cancel", "Ping"]);
  },
);
