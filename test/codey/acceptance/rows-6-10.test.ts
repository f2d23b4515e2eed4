import { codeyStep } from "agentwire/testing";
import { expect } from "vitest";
import { drain, failureOf, frame, link, reached, sent, shown, works } from "../../helpers/codey.ts";
import { onBoth } from "./both.ts";
import { read } from "./calls.ts";

onBoth(
  "acceptance 6 & D1: an Error in the middle of the text ends the turn, and the next one works",
  async (scene) => {
    const { client, server } = scene;
    server.answer = ({ content }) =>
      content === "go" ? ["half a wor", codeyStep.streamEnded(), "never"] : ["yes"];
    const turn = client.prompt("go");
    const { values, thrown } = await drain(turn.textStream);
    expect(values).toEqual(["half a wor"]);
    expect(thrown).toMatchObject({
      code: "turn-failed",
      kind: "truncated",
      fatal: false,
      partial: { text: "half a wor" },
    });
    expect(await works(client)).toBe("yes");
  },
);

for (const cancelReply of ["none", "toolErrors", "finished", "both"] as const) {
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
