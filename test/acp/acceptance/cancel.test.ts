import type { AcpClient } from "agentwire/acp";
import {
  acpStep,
  acpTool,
  type MockAcpAgent,
  type MockAcpOptions,
  type MockAcpStep,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { chosenBy, play, repliesTo, settleBy, type World } from "./support.ts";

type Turn = ReturnType<AcpClient["prompt"]>;

const ASK = { requestedSchema: { type: "object", properties: { name: { type: "string" } } } };

interface Moment {
  /** What the agent does in the turn. */
  readonly script: () => readonly MockAcpStep[];
  readonly comes: (turn: Turn, agent: MockAcpAgent) => Promise<unknown>;
}

/** When a turn is cancelled. */
const MOMENTS: Readonly<Record<string, Moment>> = {
  "before the first token": { script: () => [acpStep.hang()], comes: (_, agent) => agent.nextPrompt() },
  "while it streams": { script: () => ["half", acpStep.hang()], comes: (turn) => event(turn, "event") },
  "with an open permission": {
    script: () => [acpStep.calls(acpTool.shell("rm x")), acpStep.hang()],
    comes: (turn) => event(turn, "approval"),
  },
  "with an open question": {
    script: () => [acpStep.ask("Who?", ASK), acpStep.hang()],
    comes: (turn) => event(turn, "question"),
  },
  "while a tool runs": {
    script: () => [acpStep.calls(acpTool.shell("sleep", "", { permission: false, hangs: true }))],
    comes: (turn) => event(turn, "event"),
  },
  "while the model hangs": {
    script: () => ["thinking", acpStep.fail()],
    comes: (turn) => event(turn, "event"),
  },
};

const event = (turn: Turn, name: "event" | "approval" | "question") =>
  new Promise<void>((resolve) => void turn.on(name, () => resolve()));

const MANUAL = { onToolApproval: "manual", onQuestion: "manual" } as const;

/** Prompts, cancels at a moment, and prompts again in the session. */
async function cancelled(name: string, { agent, client, clock }: World) {
  const moment = MOMENTS[name];
  agent.answer = ({ text }) => (text === "next" ? ["fine"] : (moment?.script() ?? []));
  const conversation = client.conversation();
  const turn = conversation.prompt("go");
  await moment?.comes(turn, agent);
  const outcome = await settleBy(clock, turn.cancel());
  expect(outcome).toMatchObject({ status: "cancelled", by: "user" });
  expect(
    turn.toolCalls.map(({ state }) => state).filter((state) => state !== "denied" && state !== "abandoned"),
  ).toEqual([]);
  expect((await settleBy(clock, conversation.prompt("next").result)).text).toBe("fine");
}

const HOW = ["ends", "needsAnswers", "slow", "completes"] as const;
describe.each(Object.keys(MOMENTS))("5 cancel: %s", (moment) => {
  test.each(HOW)("5 an agent whose cancel `%s` stops, and takes the next prompt", async (cancel) => {
    await play({ mock: { cancel, modelError: "hang" }, client: MANUAL, isTimed: true }, async (world) => {
      await cancelled(moment, world);
      const { agent } = world;
      expect(agent.cancels).toHaveLength(1);
      expect(agent.links).toHaveLength(1);
      for (const { cancelledFirst } of agent.requests) expect(cancelledFirst).toBe(true);
    });
  });

  test("5 an agent that ignores it is ended, and the next prompt continues the session in another", async () => {
    await play(
      { mock: { cancel: "ignored", modelError: "hang" }, client: MANUAL, isTimed: true },
      async (world) => {
        await cancelled(moment, world);
        expect(world.clock.now()).toBeGreaterThanOrEqual(10_000);
        expect(world.agent.links).toHaveLength(2);
        expect(world.agent.received.some(({ method }) => method === "session/resume")).toBe(true);
      },
    );
  });
});

describe("5 cancel", () => {
  test("5 idle: a cancel of a turn that has ended tells the agent nothing", async () => {
    await play({}, async ({ agent, client }) => {
      const turn = client.prompt("go");
      await turn.result;
      expect(await turn.cancel()).toMatchObject({ status: "completed" });
      expect(agent.cancels).toEqual([]);
    });
  });

  test("5 at the same moment as the end: the turn has one end, and the next prompt runs", async () => {
    await play({ mock: { answer: ["all of it"] } }, async ({ client }) => {
      const conversation = client.conversation();
      const turn = conversation.prompt("go");
      turn.on("event", () => void turn.cancel());
      expect(await turn.outcome).toMatchObject({
        status: "cancelled",
        partial: { endedBy: { stopReason: "end_turn" } },
      });
      expect((await conversation.prompt("next").result).text).toBe("all of it");
    });
  });

  test.each(["failed", "completed", "left"] as const)(
    "5 a call that the agent ends as `%s` is abandoned",
    async (openCallsAtCancel) => {
      await play({ mock: { openCallsAtCancel }, isTimed: true }, async (world) => {
        await cancelled("while a tool runs", world);
      });
    },
  );

  test.each(["honoured", "ignored", "sends"] as const)(
    "5 an agent with `$/cancel_request` %s hears one answer",
    async (cancelRequest) => {
      await play({ mock: { cancelRequest }, client: MANUAL, isTimed: true }, async (world) => {
        await cancelled("with an open permission", world);
        expect(world.agent.requests.flatMap(chosenBy)).toEqual(["cancelled"]);
        expect(world.agent.received.filter(({ type }) => type === "response")).toHaveLength(1);
      });
    },
  );
});

describe("6 `needsAnswers`", () => {
  const mock = { cancel: "needsAnswers" } as const;

  test("6 an open permission and an open question are answered behind the cancel, so the turn ends", async () => {
    for (const moment of ["with an open permission", "with an open question"])
      await play({ mock, client: MANUAL, isTimed: true }, async (world) => {
        await cancelled(moment, world);
        const { agent, clock } = world;
        expect(clock.now()).toBeLessThan(1_000);
        const permission = repliesTo(agent, "session/request_permission");
        const question = repliesTo(agent, "elicitation/create");
        expect([...permission, ...question]).toEqual([
          moment.endsWith("permission") ? { outcome: { outcome: "cancelled" } } : { action: "cancel" },
        ]);
      });
  });

  test("6 `close()` answers what is open", async () => {
    await play(
      {
        mock: { ...mock, answer: () => [acpStep.calls(acpTool.shell("rm x"))] },
        client: MANUAL,
        isTimed: true,
      },
      async ({ agent, client, clock }) => {
        const turn = client.prompt("go");
        await event(turn, "approval");
        await settleBy(clock, client.close());
        expect(repliesTo(agent, "session/request_permission")).toEqual([
          { outcome: { outcome: "cancelled" } },
        ]);
        expect(clock.now()).toBeLessThan(1_000);
      },
    );
  });
});

describe("7 two prompts of a session", () => {
  const SECOND = ["queue", "cancelFirst", "interleave", "error", "silence", "together", "failFirst"] as const;
  test.each(SECOND)("7 wait for each other where the agent would `%s`", async (secondPrompt) => {
    let running = 0;
    const answer: MockAcpOptions["answer"] = async function* ({ text }) {
      running++;
      yield `${text} `;
      await new Promise((resolve) => setImmediate(resolve));
      yield String(running--);
    };
    await play({ mock: { secondPrompt, answer } }, async ({ agent, client }) => {
      const conversation = client.conversation();
      const first = await conversation.prompt("zero").result;
      const same = client.conversation({ from: conversation.state });
      const turns = [
        conversation.prompt("one"),
        conversation.prompt("two"),
        same.prompt("three"),
        conversation.prompt("four"),
      ];
      const texts = await Promise.all(turns.map(({ result }) => result.then(({ text }) => text)));
      expect([first.text, ...texts]).toEqual(["zero 1", "one 1", "two 1", "three 1", "four 1"]);
      expect(new Set(agent.prompts.map(({ sessionId }) => sessionId)).size).toBe(1);
    });
  });
});
