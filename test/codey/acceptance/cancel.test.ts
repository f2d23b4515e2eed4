import { codeyStep } from "agentwire/testing";
import { expect } from "vitest";
import {
  asked,
  collect,
  drain,
  eventsOf,
  failureOf,
  frame,
  gate,
  heard,
  link,
  once,
  sent,
  shown,
  works,
} from "../../helpers/codey.ts";
import { browserLike, onBoth, type SceneOptions } from "./both.ts";
import { read } from "./calls.ts";

const manual: SceneOptions = { client: { onToolApproval: "manual" } };
const background = true;

/** A script that never ends, but for a prompt that says something else than `go`. */
const endless: SceneOptions = {
  mock: { answer: ({ content }) => (content === "go" ? ["one", codeyStep.hang()] : ["yes"]) },
};

onBoth("5.2 step 1: the Cancel goes first", manual, async ({ client, server }) => {
  server.answer = () => [codeyStep.calls(read())];
  const turn = client.prompt("go");
  await asked(turn);
  await turn.cancel();
  expect(sent(server)[1]).toBe("Cancel");
});

onBoth(
  "5.2 step 2: every open approval is denied, behind the Cancel and before the Ping, and nothing else is",
  manual,
  async ({ client, server }) => {
    server.answer = () => [
      codeyStep.calls(read({ callId: "a" }), read({ callId: "b", background }), read({ callId: "later" })),
    ];
    const turn = client.prompt("go");
    await Promise.all([asked(turn, (id) => id === "a"), asked(turn, (id) => id === "b")]);
    await turn.cancel();
    const [message, cancel, ...rest] = sent(server);
    const ping = rest.pop();
    expect([message, cancel, ping]).toEqual(["SendMessage go", "Cancel", "Ping"]);
    expect([...rest].sort()).toEqual(["ToolDecision a false", "ToolDecision b false"]);
  },
);

onBoth("5.2 step 2: what was decided already is not denied again", manual, async ({ client, server }) => {
  server.answer = () => [codeyStep.calls(read({ result: { hangs: true } }))];
  const turn = client.prompt("go");
  client.decide(await asked(turn), true);
  await turn.cancel();
  expect(sent(server)).toEqual(["SendMessage go", "ToolDecision toolu_1 true", "Cancel", "Ping"]);
});

onBoth(
  "5.2 step 2: an approval that was asked for while the Cancel was on its way is denied too, once",
  { client: { onToolApproval: () => true } },
  async ({ client, server }) => {
    const hold = gate();
    server.answer = async function* ({ content }) {
      yield "one";
      if (content !== "go") return;
      await hold.passed;
      yield codeyStep.calls(read());
    };
    const turn = client.prompt("go");
    await shown(turn, "one");
    const asked = heard(client, "ToolAwaitingApproval");
    hold.open();
    turn.cancel();
    await asked;
    link(server).send(frame.awaiting("toolu_1"));
    await turn.outcome;
    expect((await client.getState()).pending_approvals).toEqual([]);
    expect(await works(client)).toBe("one");
    expect(sent(server)).toEqual([
      "SendMessage go",
      "Cancel",
      "Ping",
      "ToolDecision toolu_1 false",
      "GetState",
      "SendMessage are you there?",
    ]);
  },
);

onBoth("5.2 step 2: the denial takes the call out of the State", manual, async ({ client, server }) => {
  server.answer = () => [codeyStep.calls(read())];
  const turn = client.prompt("go");
  await asked(turn);
  expect((await client.getState()).pending_approvals).toHaveLength(1);
  await turn.cancel();
  expect((await client.getState()).pending_approvals).toEqual([]);
});

onBoth(
  "5.2 step 3: the Pong that counts is that of the Ping behind the Cancel, not of one before it",
  endless,
  async ({ client }) => {
    const turn = client.prompt("go");
    await shown(turn, "one");
    const log: string[] = [];
    client.on("frame", ({ direction, text }) => direction === "in" && log.push(text));
    turn.on("status", (status) => log.push(status));
    const pinged = once(client, "frame", ({ direction }) => direction === "out");
    void client.ping();
    await pinged;
    await turn.cancel();
    expect(log.filter((line) => line !== "streaming" && !line.includes("Finished"))).toEqual([
      "cancelling",
      frame.pong,
      frame.pong,
      "cancelled",
    ]);
  },
);

onBoth(
  "5.2 step 4 & 6.1 cancelling, messages: what comes before that Pong is neither in the old turn nor in the next, and a Finished tells the usage",
  { ...endless, mock: { ...endless.mock, cancelReply: "none" } },
  async ({ client, server }) => {
    const turn = client.prompt("go");
    await shown(turn, "one");
    const late = collect(client, "late");
    const next = client.prompt("next");
    const events = eventsOf(next);
    const outcome = turn.cancel();
    for (const raw of [
      frame.text("two"),
      frame.thinking("hm"),
      frame.started("x"),
      frame.delta("x", "al"),
      frame.completed("x", "alpha"),
      frame.finished(7),
    ])
      link(server).send(raw);
    expect(await outcome).toMatchObject({
      status: "cancelled",
      partial: {
        text: "one",
        usage: { outputTokens: 7, totalOutputTokens: 7 },
        endedBy: { type: "Finished" },
      },
    });
    expect((await next.result).text).toBe("yes");
    expect(late.map(({ type }) => type)).toEqual([
      "TextDelta",
      "ThinkingDelta",
      "ToolStarted",
      "ToolDelta",
      "ToolCompleted",
      "Finished",
    ]);
    expect(events.map(({ type }) => type)).toEqual(["TextDelta", "Finished"]);
  },
);

onBoth(
  "5.2 step 5: the turn settles at the Pong, and only then the next one is sent",
  endless,
  async ({ client, server }) => {
    const turn = client.prompt("go");
    const next = client.prompt("next");
    await shown(turn, "one");
    const outcome = turn.cancel();
    expect(turn.status).toBe("cancelling");
    expect((await outcome).status).toBe("cancelled");
    expect((await next.result).text).toBe("yes");
    expect(sent(server)).toEqual(["SendMessage go", "Cancel", "Ping", "SendMessage next"]);
  },
);

onBoth(
  "5.2 step 5: without its Pong the connection is cut after the barrier time, and the turn is cancelled all the same",
  endless,
  async ({ client, server, clock }) => {
    const turn = client.prompt("go");
    const next = client.prompt("next");
    await shown(turn, "one");
    server.set({ frozen: "midSession" });
    const outcome = turn.cancel();
    await clock.advance(4_999);
    expect([turn.status, client.status]).toEqual(["cancelling", "ready"]);
    await clock.advance(1);
    expect(await outcome).toMatchObject({ status: "cancelled", by: "user" });
    expect(await failureOf(next)).toMatchObject({
      code: "context-lost",
      delivery: "not-sent",
      input: "next",
    });
    expect(client.status).toBe("closed");
    if (!browserLike) await server.waitFor(() => server.connections[0]?.closed);
  },
);

onBoth(
  "5.2 result: a turn whose Finished was on its way is cancelled, with what ended it",
  { ...endless, mock: { ...endless.mock, cancelReply: "none" } },
  async ({ client, server }) => {
    const turn = client.prompt("go");
    await shown(turn, "one");
    const outcome = turn.cancel();
    link(server).send(frame.finished());
    expect(await outcome).toMatchObject({ status: "cancelled", partial: { endedBy: { type: "Finished" } } });
  },
);

onBoth(
  "5.2 result: a turn whose Error was on its way is cancelled, with what ended it",
  { ...endless, mock: { ...endless.mock, cancelReply: "none" } },
  async ({ client, server }) => {
    const turn = client.prompt("go");
    await shown(turn, "one");
    const outcome = turn.cancel();
    link(server).send(frame.error("too late"));
    expect(await outcome).toMatchObject({
      status: "cancelled",
      partial: { endedBy: { type: "Error", message: "too late" } },
    });
    expect(await works(client)).toBe("yes");
  },
);

onBoth(
  "5.2 result: an idle time-out goes the same way, and fails the turn with its name",
  endless,
  async ({ client, server, clock }) => {
    const turn = client.prompt("go", { idleTimeout: 300 });
    await shown(turn, "one");
    await clock.advance(300);
    expect(await failureOf(turn)).toMatchObject({ code: "turn-timeout", kind: "idle" });
    expect(sent(server)).toEqual(["SendMessage go", "Cancel", "Ping"]);
  },
);

onBoth(
  "5.2 result: an aborted signal goes the same way, and its reason is the cause",
  endless,
  async ({ client, server }) => {
    const controller = new AbortController();
    const turn = client.prompt("go", { signal: controller.signal });
    await shown(turn, "one");
    controller.abort("enough");
    const { values, thrown } = await drain(turn.textStream);
    expect(values).toEqual(["one"]);
    expect(thrown).toMatchObject({ code: "turn-cancelled", by: "signal", cause: "enough" });
    expect(await turn.outcome).toMatchObject({ status: "cancelled", by: "signal" });
    expect(sent(server)).toEqual(["SendMessage go", "Cancel", "Ping"]);
  },
);

onBoth("5.2 result: leaving the loop early goes the same way", endless, async ({ client, server }) => {
  const turn = client.prompt("go");
  for await (const text of turn.textStream) if (text === "one") break;
  expect(await turn.outcome).toMatchObject({ status: "cancelled", by: "user" });
  expect(sent(server)).toEqual(["SendMessage go", "Cancel", "Ping"]);
});

onBoth(
  "5.2 result: a turn that was not sent yet is cancelled without a word",
  endless,
  async ({ client, server }) => {
    const turn = client.prompt("go");
    const next = client.prompt("next");
    expect(await next.cancel()).toMatchObject({ status: "cancelled" });
    const aborted = client.prompt("never", { signal: AbortSignal.abort() });
    expect(await aborted.outcome).toMatchObject({ status: "cancelled", by: "signal" });
    await client.ping();
    expect(sent(server)).toEqual(["SendMessage go", "Ping"]);
    await turn.cancel();
  },
);
