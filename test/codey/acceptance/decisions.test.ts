import type { CodeyClient } from "agentwire/codey";
import { codeyStep, type MockCodeyServer } from "agentwire/testing";
import { expect } from "vitest";
import { asked, type CodeyTurn, frame, gate, link, reached, sent, thrown } from "../../helpers/codey.ts";
import { onBoth, type Scene, type SceneOptions } from "./both.ts";
import { read } from "./calls.ts";

const manual: SceneOptions = { client: { onToolApproval: "manual" } };

/** The decisions that clients sent. */
const decisions = (server: MockCodeyServer): readonly string[] =>
  sent(server).filter((words) => words.startsWith("ToolDecision"));

/** Asks for what must not be sent, and waits until the server would have had it. */
async function refused(client: CodeyClient, server: MockCodeyServer, id: string): Promise<unknown> {
  await client.ping();
  const before = decisions(server);
  const answers = [true, false].map((decision) => client.decide(id, decision));
  await client.ping();
  expect(decisions(server)).toEqual(before);
  expect(answers[1]).toEqual(answers[0]);
  return answers[0];
}

/** A turn with one call that waits. */
async function waiting(client: CodeyClient, server: MockCodeyServer): Promise<CodeyTurn> {
  server.answer = () => [codeyStep.calls(read()), "after"];
  const turn = client.prompt("go");
  await asked(turn);
  return turn;
}

onBoth(
  "4.4 unknown id + decision: it is refused, and nothing is sent",
  manual,
  async ({ client, server }) => {
    await waiting(client, server);
    expect(thrown(() => client.decide("toolu_9", true))).toMatchObject({ code: "invalid-input" });
    await client.ping();
    expect(decisions(server)).toEqual([]);
  },
);

onBoth(
  "4.4 requested + decision: a call that was not asked about yet cannot be approved ahead",
  manual,
  async ({ client, server }) => {
    server.answer = () => [codeyStep.calls(read(), read())];
    const turn = client.prompt("go");
    await asked(turn);
    expect(turn.toolCalls.map(({ state }) => state)).toEqual(["awaiting", "requested"]);
    expect(thrown(() => client.decide("toolu_2", true))).toMatchObject({ code: "invalid-input" });
    await client.ping();
    expect(decisions(server)).toEqual([]);
  },
);

onBoth(
  "4.4 awaiting + decision: each is sent once, and the call is approved or denied",
  manual,
  async ({ client, server }) => {
    server.answer = () => [codeyStep.calls(read(), read())];
    const turn = client.prompt("go");
    const states: string[] = [];
    turn.on("toolCall", ({ id, state }) => states.push(`${id} ${state}`));
    expect(client.decide(await asked(turn), true)).toEqual({ decision: "once", by: "reply" });
    const second = await asked(turn, (id) => id === "toolu_2");
    expect(client.decide(second, false)).toEqual({ decision: "reject", by: "reply" });
    const { toolCalls } = await turn.result;
    expect(states).toEqual(expect.arrayContaining(["toolu_1 approved", "toolu_2 denied"]));
    expect(toolCalls.map(({ state }) => state)).toEqual(["done", "denied"]);
    expect(decisions(server)).toEqual(["ToolDecision toolu_1 true", "ToolDecision toolu_2 false"]);
  },
);

onBoth(
  "4.4 approved + decision: a second one, from the listener that hears of the first, is not sent",
  manual,
  async ({ client, server }) => {
    const turn = await waiting(client, server);
    const second: unknown[] = [];
    turn.on("toolCall", ({ id, state }) => {
      if (state === "approved") second.push(client.decide(id, false));
    });
    const first = client.decide("toolu_1", true);
    expect((await turn.result).toolCalls).toMatchObject([{ state: "done" }]);
    expect(second).toEqual([first]);
    expect(decisions(server)).toEqual(["ToolDecision toolu_1 true"]);
  },
);

onBoth("4.4 denied + decision: a denial is not taken back", manual, async ({ client, server }) => {
  const turn = await waiting(client, server);
  const first = client.decide("toolu_1", false);
  expect(await refused(client, server, "toolu_1")).toEqual(first);
  expect((await turn.result).toolCalls).toMatchObject([{ state: "denied" }]);
});

onBoth("4.4 running + decision: what runs is not decided again", manual, async ({ client, server }) => {
  const hold = gate();
  const result = async (): Promise<string> => {
    await hold.passed;
    return "late";
  };
  server.answer = () => [codeyStep.calls(read({ result }))];
  const turn = client.prompt("go");
  client.decide(await asked(turn), true);
  expect(turn.toolCalls).toMatchObject([{ state: "running" }]);
  await refused(client, server, "toolu_1");
  hold.open();
  expect((await turn.result).toolCalls).toMatchObject([{ state: "done", output: "late" }]);
});

onBoth(
  "4.4 running + decision: what the server has started without waiting is not decided here any more",
  manual,
  async ({ client, server }) => {
    const turn = await waiting(client, server);
    link(server).send(frame.started("toolu_1", "mcp_read_file"));
    await reached(turn, "toolu_1", "running");
    expect(turn.pending).toEqual([]);
    expect(await refused(client, server, "toolu_1")).toMatchObject({ decision: "reject", by: "elsewhere" });
    await turn.cancel();
  },
);

for (const [state, result] of [
  ["done", "alpha"],
  ["failed", { error: "boom" }],
] as const) {
  onBoth(`4.4 ${state} + decision: what is over is not decided again`, manual, async ({ client, server }) => {
    server.answer = () => [codeyStep.calls(read({ result })), "after"];
    const turn = client.prompt("go");
    client.decide(await asked(turn), true);
    expect((await turn.result).toolCalls).toMatchObject([{ state }]);
    await refused(client, server, "toolu_1");
  });
}

onBoth(
  "4.4 abandoned + decision: a call whose turn was cancelled is not decided again",
  manual,
  async ({ client, server }) => {
    const turn = await waiting(client, server);
    await turn.cancel();
    expect(await refused(client, server, "toolu_1")).toMatchObject({ decision: "reject", by: "cancelled" });
    expect(turn.toolCalls).toMatchObject([{ state: "abandoned" }]);
  },
);

/** How a turn with an open approval can end. */
const ENDINGS: readonly (readonly [string, (scene: Scene, turn: CodeyTurn) => unknown])[] = [
  ["a cancel", (_, turn) => turn.cancel()],
  ["a call that was decided elsewhere", ({ server }) => link(server).send(frame.completed("toolu_1", "x"))],
  ["an Error", ({ server }) => link(server).send(frame.error("no"))],
  ["the end of its turn", ({ server }) => link(server).send(frame.finished())],
  ["a lost link", ({ server }) => link(server).drop()],
  ["close()", ({ client }) => void client.close()],
];

for (const [ending, end] of ENDINGS) {
  const handled: { readonly signal: AbortSignal; readonly answer: (approved: boolean) => void }[] = [];
  onBoth(
    `4.4 awaiting + turn end: ${ending} aborts the handler, whose answer comes too late to be sent`,
    {
      client: {
        onToolApproval: (_, { signal }) =>
          new Promise<boolean>((answer) => void handled.push({ signal, answer })),
      },
    },
    async (scene) => {
      const { client, server } = scene;
      const turn = await waiting(client, server);
      const call = handled.at(-1);
      const aborted = new Promise((resolve) => call?.signal.addEventListener("abort", resolve));
      end(scene, turn);
      await aborted;
      expect(turn.pending).toEqual([]);
      call?.answer(true);
      await client.ping().catch(() => {}); // there is no link any more, or everything has arrived
      expect(decisions(server)).not.toContain("ToolDecision toolu_1 true");
    },
  );
}
