import type { AnyTurn } from "agentwire";
import { type CodebuffCliOptions, toUniversal } from "agentwire/codebuff-cli";
import { fold, type UniversalEvent } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { cliWorld, HELD } from "../../helpers/codebuff-cli.ts";
import { thrown } from "../../helpers/turns.ts";
import { expectGolden } from "../../universal/golden.ts";
import { goldenOptions } from "../../universal/golden-options.ts";
import { expectInvariants } from "../../universal/invariants.ts";
import { collected } from "./collected.ts";
import { SCRIPTS } from "./scripts.ts";

const golden = (name: string) => `codebuff-cli/${name}`;

describe("a one-off prompt", () => {
  test.each(SCRIPTS)("$title", async ({ file, scenario, options }) => {
    await using at = await cliWorld(scenario, options);
    const turn = at.client.prompt("hi");
    const events = await collected(toUniversal(turn, goldenOptions()));
    expectGolden(golden(file), events, { [turn.id]: "turn_1" });
    expectInvariants(events);
  });

  test("has a plan from `write_todos` calls of the root agent, and the newest call counts", async () => {
    const write = (toolCallId: string, todos: unknown, of: object = {}) => ({
      type: "tool_call",
      toolCallId,
      toolName: "write_todos",
      input: { todos },
      ...of,
    });
    await using at = await cliWorld({
      events: [
        { type: "start" },
        write("t1", [{ task: "look", completed: false }]),
        write("t2", [
          { task: "look", completed: true },
          { task: "mend", completed: false },
          { task: "tell", completed: false },
        ]),
        write("t3", "no list"),
        write("t4", [{ task: "of another", completed: false }], {
          agentId: "a-2",
          parentAgentId: "main-agent",
        }),
        { type: "finish", totalCost: 1 },
      ],
    });
    const events = await collected(toUniversal(at.client.prompt("hi"), goldenOptions()));
    const plans = events.map((_, at) => fold(events.slice(0, at + 1)).plan);
    expect(plans).toContainEqual([
      { content: "look", status: "completed" },
      { content: "mend", status: "in_progress" },
      { content: "tell", status: "pending" },
    ]);
    expect(plans.at(-1)).toEqual([]);
    expectInvariants(events);
  });

  test("whose program cannot be started ends its session", async () => {
    await using at = await cliWorld();
    const client = at.another({ command: "/nowhere/codebuff", args: [] });
    const turn = client.prompt("hi");
    const stream = toUniversal(turn, goldenOptions());
    const outcome = await turn.outcome;
    const message = outcome.status === "failed" ? outcome.error.message : "";
    expectGolden(golden("spawn-failure"), await collected(stream), {
      [turn.id]: "turn_1",
      [message]: "SPAWN",
    });
  });

  test("that is cancelled before the first line ends a session without messages", async () => {
    await using at = await cliWorld({ stallAfter: 0 });
    const turn = at.client.prompt("hi");
    const stream = toUniversal(turn, goldenOptions());
    expect(stream.count).toBe(0);
    await turn.cancel();
    expectGolden(golden("cancel-before-the-first-line"), await collected(stream), { [turn.id]: "turn_1" });
  });

  test("with `eagerStart` starts its turn when it is sent, and `start` is a status", async () => {
    await using at = await cliWorld({
      events: [
        { type: "start", model: "m-1", messageHistoryLength: 0, session_id: "s-9" },
        { type: "text", text: "Hi" },
        { type: "finish", totalCost: 1 },
      ],
    });
    const turn = at.client.prompt("hi");
    const stream = toUniversal(turn, goldenOptions({ eagerStart: true }));
    expect(stream.count).toBe(4);
    expectGolden(golden("eager-start"), await collected(stream), { [turn.id]: "turn_1" });
  });

  test("that is cancelled ends its session at once", async () => {
    await using at = await cliWorld({ events: HELD.map(withoutHistory) });
    const turn = at.client.prompt("hi");
    const stream = toUniversal(turn, goldenOptions());
    await spoken(turn);
    const cancelled = turn.cancel();
    expect(stream.ended).toBe(true);
    await cancelled;
    expectGolden(golden("cancel"), await collected(stream), { [turn.id]: "turn_1" });
  });

  test("that reaches a time limit of the client ends like a cancelled one, with the reason", async () => {
    await using at = await cliWorld({ events: HELD.map(withoutHistory) }, { idleTimeout: 1_000 });
    const turn = at.client.prompt("hi");
    const stream = toUniversal(turn, goldenOptions());
    await spoken(turn);
    at.clock.advance(1_000);
    const outcome = await turn.outcome;
    const message = outcome.status === "failed" ? outcome.error.message : "";
    expectGolden(golden("timeout"), await collected(stream), { [turn.id]: "turn_1", [message]: "TIMEOUT" });
  });
});

describe("a conversation", () => {
  const talk = async (
    world: Parameters<typeof cliWorld>,
    prompts: readonly string[],
    state?: object,
  ): Promise<Talk> => {
    await using at = await cliWorld(...world);
    const from = state && { protocol: "codebuff-cli", version: 1, ...state };
    const chat = at.client.conversation(from ? { from } : {});
    const stream = toUniversal(chat, goldenOptions());
    const ids: Record<string, string> = {};
    for (const prompt of prompts) {
      const turn = chat.prompt(prompt);
      ids[turn.id] = `turn_${Object.keys(ids).length + 1}`;
      await turn.outcome;
    }
    await at.client.close();
    return { events: await collected(stream), ids };
  };

  test("has one session until the client closes", async () => {
    const { events, ids } = await talk(
      [
        {
          events: {
            byPrompt: {
              one: [{ type: "start", session_id: "s-1" }, { type: "text", text: "1" }, finish(1)],
              two: [{ type: "text", text: "2" }, finish(2)],
            },
          },
        },
      ],
      ["one", "two"],
    );
    expectGolden(golden("conversation"), events, ids);
  });

  test("has the continued session's id until the program names another", async () => {
    const { events, ids } = await talk(
      [
        {
          events: {
            byPrompt: {
              hi: [{ type: "start", agentId: "base" }, { type: "text", text: "one" }, finish(1)],
              more: [{ type: "start", agentId: "base" }, { type: "text", text: "two" }, finish(2)],
            },
          },
        },
      ],
      ["hi", "more"],
      { sessionId: "s-0" },
    );
    expectGolden(golden("continue-value"), events, ids);
  });

  test("with a failing exit code fails only that turn", async () => {
    const { events, ids } = await talk(
      [{ events: [{ type: "start" }, { stderr: "oh\n" }], exit: { code: 1 } }],
      ["hi"],
    );
    expectGolden(golden("exit-failed-in-conversation"), events, ids);
  });

  test("whose program cannot be started fails only that turn", async () => {
    const command: CodebuffCliOptions = { command: "/nowhere/codebuff", args: [] };
    const { events, ids } = await talk([{}, command], ["hi"]);
    const error = events.find((event) => event.type === "error");
    expectGolden(golden("spawn-failure-in-conversation"), events, {
      ...ids,
      [error?.data.message ?? ""]: "SPAWN",
    });
  });

  test("with a cancelled turn ends only that turn", async () => {
    await using at = await cliWorld({ events: HELD.map(withoutHistory) });
    const chat = at.client.conversation();
    const stream = toUniversal(chat, goldenOptions());
    const turn = chat.prompt("hi");
    await spoken(turn);
    await turn.cancel();
    expect(stream.ended).toBe(false);
    await at.client.close();
    expectGolden(golden("cancel-in-conversation"), await collected(stream), { [turn.id]: "turn_1" });
  });

  test("does not end its session in a stream of one turn", async () => {
    await using at = await cliWorld();
    const turn = at.client.conversation().prompt("hi");
    const events = await collected(toUniversal(turn, goldenOptions()));
    expect(events.at(-1)?.type).toBe("turn.ended");
  });
});

describe("several one-off prompts of a client", () => {
  test("are separate sessions, and an unparsed line appears in its own session", async () => {
    await using at = await cliWorld({
      events: {
        byPrompt: { bad: [{ raw: "Welcome!\n" }, finish(1)] },
        default: [{ type: "start" }, finish(1)],
      },
    });
    const stream = toUniversal(at.client, goldenOptions());
    const turns = ["good", "bad"].map((prompt) => at.client.prompt(prompt));
    await Promise.all(turns.map(({ outcome }) => outcome));
    await at.client.close();
    const events = await collected(stream);
    expectInvariants(events);
    const unparsed = events.filter(({ type }) => type === "agent.unparsed");
    expect(unparsed.map(({ session_id }) => session_id)).toEqual(["ses_2"]);
    expect(events.filter(({ type }) => type === "session.ended").length).toBe(2);
  });
});

describe("what the command line cannot do", () => {
  test("an answer to a running program throws, and adds no event", async () => {
    await using at = await cliWorld({ askUser: { result: null }, exit: { never: true } });
    const turn = at.client.prompt("hi");
    const stream = toUniversal(turn, goldenOptions());
    const { id } = await new Promise<{ readonly id: string }>((resolve) => turn.on("question", resolve));
    const { count } = stream;
    expect(thrown(() => at.client.answer(id, "Red"))).toMatchObject({ code: "unsupported" });
    expect(stream.count).toBe(count);
    await turn.cancel();
  });

  test.each(["stream-json", "json", "text"] as const)(
    "the start of a session lists the capabilities of the profile %s",
    async (profile) => {
      await using at = await cliWorld(profile === "stream-json" ? {} : { profile: "fork" }, { profile });
      const [started] = await collected(toUniversal(at.client.prompt("hi"), goldenOptions()));
      expect(started?.type === "session.started" && started.data.metadata).toMatchObject({
        capabilities: at.client.capabilities,
      });
    },
  );
});

interface Talk {
  readonly events: readonly UniversalEvent[];
  /** The turns' ids, with their names in the golden file. */
  readonly ids: Readonly<Record<string, string>>;
}

/** Resolves with the turn's first text. */
function spoken(turn: Pick<AnyTurn, "on">): Promise<void> {
  return new Promise((resolve) => {
    turn.on("event", ({ type }) => {
      if (type === "text") resolve();
    });
  });
}

const finish = (totalCost: number) => ({ type: "finish", totalCost }) as const;

const withoutHistory = (step: (typeof HELD)[number]) =>
  "messageHistoryLength" in step ? { type: "start" } : step;
