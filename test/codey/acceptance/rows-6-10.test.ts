import { codeyStep } from "agentwire/testing";
import { expect } from "vitest";
import {
  asked,
  collect,
  drain,
  eventsOf,
  failureOf,
  frame,
  link,
  once,
  reached,
  rejection,
  sent,
  shown,
  walkBackoff,
  works,
} from "../../helpers/codey.ts";
import { onBoth, type SceneOptions } from "./both.ts";
import { read } from "./calls.ts";

/** A script that never ends, but for a prompt that says something else than `go`. */
const endless: SceneOptions = {
  mock: { answer: ({ content }) => (content === "go" ? ["one", codeyStep.hang()] : ["yes"]) },
};

onBoth(
  "acceptance 6: an Error in the middle of the text ends the turn, and the next one works",
  async (scene) => {
    const { client, server } = scene;
    server.answer = ({ content }) =>
      content === "go" ? ["half a wor", codeyStep.streamEnded(), "never"] : ["yes"];
    const turn = client.prompt("go");
    const { values, thrown } = await drain(turn.textStream);
    expect(values).toEqual(["half a wor"]);
    expect(thrown).toMatchObject({ code: "turn-failed", kind: "truncated", partial: { text: "half a wor" } });
    expect(await works(client)).toBe("yes");
  },
);

onBoth(
  "acceptance 6: a server that goes on behind its Error leaks nothing into the next turn",
  { mock: { errorEndsTurn: false }, client: { onToolApproval: () => true } },
  async ({ client, server }) => {
    server.answer = ({ content }) =>
      content === "go" ? ["half", codeyStep.error("no"), "more", codeyStep.calls(read())] : ["yes"];
    expect(await failureOf(client.prompt("go"))).toMatchObject({ code: "turn-failed" });
    const next = client.prompt("next");
    const events = eventsOf(next);
    expect(await next.result).toMatchObject({ text: "yes", toolCalls: [] });
    expect(events.map(({ type }) => type)).toEqual(["TextDelta", "Finished"]);
  },
);

onBoth("acceptance 6: a fatal Error closes", { mock: { errorFatal: true } }, async ({ client, server }) => {
  server.answer = () => ["half", codeyStep.error("no")];
  expect(await failureOf(client.prompt("go"))).toMatchObject({ code: "turn-failed", fatal: true });
  expect(client.status).toBe("closed");
});

for (const cancelReply of ["none", "toolErrors", "finished", "both"] as const) {
  onBoth(
    `acceptance 7: cancelled while streaming, and the server answers ${cancelReply}`,
    { mock: { ...endless.mock, cancelReply } },
    async ({ client, server }) => {
      const turn = client.prompt("go");
      await shown(turn, "one");
      expect(await turn.cancel()).toMatchObject({ status: "cancelled", by: "user" });
      expect(await works(client)).toBe("yes");
      expect(sent(server).slice(1, 3)).toEqual(["Cancel", "Ping"]);
    },
  );

  onBoth(
    `acceptance 7: cancelled with an open approval, and the server answers ${cancelReply}`,
    { mock: { cancelReply }, client: { onToolApproval: "manual" } },
    async ({ client, server }) => {
      server.answer = ({ content }) => (content === "go" ? [codeyStep.calls(read())] : ["yes"]);
      const turn = client.prompt("go");
      await asked(turn);
      expect((await turn.cancel()).status).toBe("cancelled");
      expect(turn.toolCalls).toMatchObject([{ state: "abandoned" }]);
      expect(await works(client)).toBe("yes");
      expect(sent(server).slice(1, 4)).toEqual(["Cancel", "ToolDecision toolu_1 false", "Ping"]);
    },
  );

  onBoth(
    `acceptance 7: cancelled with a running call, and the server answers ${cancelReply}`,
    { mock: { cancelReply }, client: { onToolApproval: () => true } },
    async ({ client, server }) => {
      server.answer = ({ content }) =>
        content === "go" ? [codeyStep.calls(read({ result: { hangs: true } }))] : ["yes"];
      const turn = client.prompt("go");
      await reached(turn, "toolu_1", "running");
      expect((await turn.cancel()).status).toBe("cancelled");
      expect(turn.toolCalls).toMatchObject([{ state: "abandoned" }]);
      expect(await works(client)).toBe("yes");
      expect(sent(server).slice(2, 4)).toEqual(["Cancel", "Ping"]);
    },
  );
}

onBoth("acceptance 7: cancelled when idle, nothing is sent", async ({ client, server }) => {
  const turn = client.prompt("hello");
  await turn.result;
  expect(await turn.cancel()).toMatchObject({ status: "completed" });
  await client.ping();
  expect(sent(server)).toEqual(["SendMessage hello", "Ping"]);
});

onBoth(
  "acceptance 7: cancelled at the same moment as Finished, whichever the client hears of first",
  async ({ client, server }) => {
    server.answer = () => ["one"];
    const before = client.prompt("go");
    // Said, and still on its way.
    await server.waitFor(({ frames }) => frames.some(({ raw }) => raw.includes('"Finished"')));
    expect(await before.cancel()).toMatchObject({
      status: "cancelled",
      partial: { endedBy: { type: "Finished" } },
    });
    for (const name of ["event", "status"] as const) {
      const after = client.prompt("go");
      after.on(name, (told) => {
        if (told === "completed" || (typeof told === "object" && told.type === "Finished"))
          void after.cancel();
      });
      expect((await after.outcome).status).toBe("completed");
    }
    expect(await works(client)).toBe("one");
    const [, cancel, ping] = sent(server);
    expect([cancel, ping]).toEqual(["Cancel", "Ping"]);
  },
);

onBoth("acceptance 8: aborted before it was sent, a prompt is not sent", async ({ client, server }) => {
  const controller = new AbortController();
  controller.abort("no");
  const turn = client.prompt("never", { signal: controller.signal });
  expect((await drain(turn)).thrown).toMatchObject({
    code: "turn-cancelled",
    by: "signal",
    cause: "no",
    delivery: "not-sent",
  });
  await client.ping();
  expect(sent(server)).toEqual(["Ping"]);
});

onBoth("acceptance 8: aborted in the middle, the next turn is clean", endless, async ({ client }) => {
  const controller = new AbortController();
  const turn = client.prompt("go", { signal: controller.signal });
  await shown(turn, "one");
  controller.abort();
  expect((await turn.outcome).status).toBe("cancelled");
  expect(await works(client)).toBe("yes");
});

onBoth("acceptance 8: a loop left early cancels, and the next turn is clean", endless, async ({ client }) => {
  const turn = client.prompt("go");
  for await (const event of turn) if (event.type === "TextDelta") break;
  const next = client.prompt("next");
  expect((await turn.outcome).status).toBe("cancelled");
  expect((await next.result).text).toBe("yes");
});

onBoth(
  "acceptance 8: a second turn while one runs waits, and is never sent beside it",
  endless,
  async (scene) => {
    const { client, server } = scene;
    const turn = client.prompt("go");
    const next = client.prompt("next");
    await shown(turn, "one");
    await client.ping();
    expect([next.status, sent(server)]).toEqual(["queued", ["SendMessage go", "Ping"]]);
    await turn.cancel();
    expect((await next.result).text).toBe("yes");
  },
);

/** A script whose request costs so many tokens, and what else it does. */
const costing = (output_tokens: number, ...more: readonly ReturnType<typeof codeyStep.hang>[]) => [
  codeyStep.usage({ output_tokens, context_tokens: 100 + output_tokens, cache_read_tokens: 3 }),
  "text",
  ...more,
];

onBoth(
  "acceptance 9: usage is the difference between the counts of the session",
  async ({ client, server }) => {
    const used = [];
    for (const tokens of [5, 7, 0]) {
      server.answer = () => costing(tokens);
      used.push((await client.prompt("go").result).usage);
    }
    expect(used).toEqual([
      {
        outputTokens: 5,
        totalOutputTokens: 5,
        contextTokens: 105,
        cacheCreationTokens: 0,
        cacheReadTokens: 3,
      },
      {
        outputTokens: 7,
        totalOutputTokens: 12,
        contextTokens: 107,
        cacheCreationTokens: 0,
        cacheReadTokens: 3,
      },
      {
        outputTokens: 0,
        totalOutputTokens: 12,
        contextTokens: 100,
        cacheCreationTokens: 0,
        cacheReadTokens: 3,
      },
    ]);
  },
);

onBoth(
  "acceptance 9: behind a failed or cancelled turn the difference is an upper bound, once",
  { client: { onToolApproval: () => true }, mock: { cancelReply: "none" } },
  async ({ client, server }) => {
    const next = async (): Promise<unknown> => {
      server.answer = () => costing(1);
      return (await client.prompt("next").result).usage;
    };
    server.answer = () => [...costing(4), codeyStep.calls(read()), codeyStep.error("no")];
    expect(await failureOf(client.prompt("go"))).toMatchObject({ code: "turn-failed" });
    expect(await next()).toMatchObject({ outputTokens: 5, totalOutputTokens: 5, inexact: true });
    expect(await next()).not.toHaveProperty("inexact");
    server.answer = () => [...costing(8), codeyStep.calls(read()), "on", codeyStep.hang()];
    const turn = client.prompt("go");
    await shown(turn, "texton");
    await turn.cancel();
    expect(await next()).toMatchObject({ outputTokens: 9, totalOutputTokens: 15, inexact: true });
    expect(await next()).toMatchObject({ outputTokens: 1, totalOutputTokens: 16 });
  },
);

onBoth(
  "acceptance 9: a count that goes backwards is told as it is, with a warning",
  { warns: ["odd-usage"] },
  async ({ client, server }) => {
    server.answer = () => ["one"];
    await client.prompt("go").result;
    server.answer = () => ["one", codeyStep.hang()];
    const turn = client.prompt("go");
    await shown(turn, "one");
    link(server).send(frame.finished(3));
    expect((await turn.result).usage).toMatchObject({ outputTokens: 3, totalOutputTokens: 3 });
  },
);

onBoth(
  "acceptance 9: after a reconnect the count starts at nothing",
  { client: { reconnect: {} } },
  async (scene) => {
    const { client, server } = scene;
    walkBackoff(scene);
    server.answer = () => costing(5);
    await client.prompt("go").result;
    const back = once(client, "reconnected");
    link(server).drop();
    await back;
    expect((await client.prompt("go").result).usage).toEqual({
      outputTokens: 5,
      totalOutputTokens: 5,
      contextTokens: 105,
      cacheCreationTokens: 0,
      cacheReadTokens: 3,
    });
  },
);

for (const frozen of ["noUpgrade", "noConnected"] as const) {
  onBoth(
    `acceptance 10: a server frozen as ${frozen} is given up by the connect timer`,
    { connected: false, mock: { frozen } },
    async ({ client, server, clock }) => {
      const connecting = rejection(client.connect());
      await server.waitFor(({ upgrades }) => upgrades.length === 1);
      await clock.advance(10_000);
      expect(await connecting).toMatchObject({ code: "connect-timeout" });
      server.set({ frozen: "off" });
      await works(client);
    },
  );
}

onBoth(
  "acceptance 10: a session that freezes is given up by the pong deadline",
  async ({ client, server, clock }) => {
    const gone = once(client, "disconnected");
    server.set({ frozen: "midSession" });
    const request = rejection(client.getState());
    await clock.advance(30_000);
    expect(await gone).toMatchObject({ code: "connection-lost" });
    expect(await request).toMatchObject({ code: "request-timeout" });
  },
);

onBoth(
  "acceptance 10: a cancel without its Pong cuts the link",
  endless,
  async ({ client, server, clock }) => {
    const turn = client.prompt("go");
    await shown(turn, "one");
    const gone = once(client, "disconnected");
    const late = collect(client, "late");
    server.set({ frozen: "midSession" });
    const outcome = turn.cancel();
    await clock.advance(5_000);
    expect(await gone).toMatchObject({ code: "connection-lost" });
    expect([(await outcome).status, client.status, late]).toEqual(["cancelled", "closed", []]);
  },
);
