import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  CodebuffRun,
  type CodebuffRunEvent,
  type CodebuffRunStep,
  type RunMessage,
  type RunState,
  toUniversal,
} from "agentwire/codebuff-run";
import { ManualClock } from "agentwire/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { errorSaying } from "../helpers/errors.ts";
import { fastStart } from "../helpers/sources.ts";
import { failureOf } from "../helpers/turns.ts";
import { END, type Script, scriptedModel, workTool } from "./scripted-work.ts";
import { collected } from "./universal/world.ts";
import { AGENT, agentWith, json, read, runWorld, textIn } from "./world.ts";

// The state of a run on the way: saved before a tool starts and after its result, and gone on with after a crash.

const SOURCES = new URL("../helpers/from-source.ts", import.meta.url).href;

const never = (): Promise<never> => new Promise(() => {});

const historyOf = (state: RunState) => state.sessionState?.mainAgentState.messageHistory ?? [];

/** The tasks with a known result in a saved state. */
const knownIn = (state: RunState): readonly string[] =>
  historyOf(state).flatMap((message) => {
    const [part] = message.role === "tool" ? message.content : [];
    return part?.type === "json" && typeof part.value === "string" ? [part.value.replace("done: ", "")] : [];
  });

/** One life of a process that works on a script, from the last saved state to its death at a moment, or to its end. */
async function live(script: Script, saved: string | undefined, dies: number, readOnly = false) {
  const ran: string[] = [];
  let last = saved;
  let moments = 0;
  let die = (): void => {};
  const dead = new Promise<undefined>((resolve) => {
    die = () => resolve(undefined);
  });
  const moment = async (): Promise<void> => {
    if (++moments !== dies) return;
    die();
    await never();
  };
  const client = new CodebuffRun({
    providers: [scriptedModel(script)],
    agent: AGENT,
    clock: new ManualClock(),
    tools: { work: workTool((task) => ran.push(task), moment, readOnly) },
    onState: async (state) => {
      await moment();
      last = JSON.stringify(state);
      await moment();
    },
  });
  const turn = client.prompt(saved === undefined ? "Do it." : "Go on.", {
    ...(saved === undefined ? {} : { previousRun: JSON.parse(saved) as RunState }),
  });
  const result = await Promise.race([turn.result, dead]);
  return { ran, saved: last, result };
}

const scripts = fc
  .array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 10 })
  .map((sizes): Script => sizes.map((size, at) => Array.from({ length: size }, (_, n) => `${at}.${n}`)));

describe("a run that is killed and gone on with", () => {
  test("runs no tool whose result is known a second time, and ends the same", async () => {
    await fc.assert(
      fc.asyncProperty(
        scripts,
        fc.array(fc.integer({ min: 1, max: 14 }), { maxLength: 12 }),
        fc.boolean(), // whether the tools of an answer run at the same time
        async (script, deaths, readOnly) => {
          let saved: string | undefined;
          const all = new Set<string>();
          for (const dies of [...deaths, 0]) {
            const known = saved === undefined ? [] : knownIn(JSON.parse(saved));
            const life = await live(script, saved, dies, readOnly);
            for (const task of life.ran) all.add(task);
            expect(life.ran.filter((task) => known.includes(task))).toEqual([]);
            saved = life.saved;
            if (!life.result) continue;
            expect(life.result.text).toBe(END);
            expect([...all].sort()).toEqual(script.flat().sort());
            expect([...knownIn(life.result.state)].sort()).toEqual(script.flat().sort());
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test("goes on after SIGKILL in each of ten steps", { timeout: 120_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "killed-run-"));
    const script = Array.from({ length: 10 }, (_, at) => [`t${at}`]);
    const program = fileURLToPath(new URL("programs/killed-run.ts", import.meta.url));
    const said: string[] = [];
    const ran = async () => (await readFile(join(folder, "ran"), "utf8").catch(() => "")).split("\n");
    let saved: RunState | undefined;
    try {
      for (let life = 0; life <= 10; life++) {
        // Six moments a step. Each life but the last ends in the step after the one that it completes.
        const dies = life === 0 ? 3 : life === 10 ? 0 : 6 + (life % 6);
        const child = spawn(
          process.execPath,
          ["--import", SOURCES, program, folder, JSON.stringify(script), String(dies)],
          {
            env: { PATH: process.env["PATH"], ...fastStart() },
            stdio: ["ignore", "pipe", "inherit"],
          },
        );
        const known = saved ? knownIn(saved) : [];
        const before = await ran();
        let output = "";
        child.stdout.on("data", (piece: Buffer) => {
          output += piece.toString();
          if (output.includes("here")) child.kill("SIGKILL");
        });
        await once(child, "close");
        said.push(output.trim());
        const since = (await ran()).slice(before.length - 1);
        expect(since.filter((task) => known.includes(task))).toEqual([]);
        saved = JSON.parse(await readFile(join(folder, "state.json"), "utf8")) as RunState;
      }
      expect(said).toEqual([...Array.from({ length: 10 }, () => "here"), `end: ${END}`]);
      expect([...new Set(await ran())]).toEqual([...script.flat(), ""]);
      expect(saved && [...new Set(knownIn(saved))]).toEqual(script.flat());
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

const LOOK = { toolCalls: [{ name: "glob", arguments: { pattern: "*" } }] };
const HANDLERS = { agent: agentWith("glob"), overrideTools: { glob: () => json([]) } };

describe("`onState`", () => {
  test("gets the answer before its first tool, and each result; no tool starts before it resolves", async () => {
    const order: string[] = [];
    await using at = await runWorld(
      { answer: [{ text: "I look.", toolCalls: [...LOOK.toolCalls, ...LOOK.toolCalls] }, "Done"] },
      {
        ...HANDLERS,
        overrideTools: {
          glob: () => {
            order.push("tool");
            return json([]);
          },
        },
        onState: async (state, { turnId }) => {
          expect(turnId).toBe(turn.id);
          const { openCalls = [] } = state.underWay ?? {};
          order.push(`${openCalls.length} open`);
          await Promise.resolve();
          order.push("saved");
        },
      },
    );
    const turn = at.client.prompt("hi");
    await turn.result;
    expect(order).toEqual([
      "2 open",
      "saved",
      "tool",
      "1 open",
      "saved",
      "tool",
      "0 open",
      "saved",
      "0 open",
      "saved",
    ]);
  });

  test("of a prompt replaces that of the client", async () => {
    const told: string[] = [];
    await using at = await runWorld({ answer: () => "Hi." }, { onState: () => void told.push("client") });
    await at.client.prompt("one").result;
    await at.client.prompt("two", { onState: () => void told.push("prompt") }).result;
    expect(told).toEqual(["client", "prompt"]);
  });

  test.each<[string, () => void | Promise<void>]>([
    ["rejects", () => Promise.reject(new Error("disk full"))],
    [
      "throws",
      () => {
        throw new Error("disk full");
      },
    ],
  ])("that %s fails the run before a tool starts", async (_, onState) => {
    let runs = 0;
    const glob = () => {
      runs++;
      return json([]);
    };
    await using at = await runWorld(
      { answer: [LOOK, "Done"] },
      { ...HANDLERS, overrideTools: { glob }, onState },
    );
    const turn = at.client.prompt("hi");
    expect(await failureOf(turn)).toMatchObject({
      kind: "state_not_saved",
      retryable: false,
      message: expect.stringMatching(/`onState` failed: disk full/),
      partial: { state: { stopReason: "error", failure: { kind: "state_not_saved" } } },
    });
    expect(turn.toolCalls).toMatchObject([{ state: "abandoned" }]);
    expect(runs).toBe(0);
  });

  test("that never resolves ends with the cancel of its turn", async () => {
    let reached = (): void => {};
    const here = new Promise<void>((resolve) => {
      reached = resolve;
    });
    let aborted: AbortSignal | undefined;
    await using at = await runWorld(
      { answer: [LOOK] },
      {
        ...HANDLERS,
        onState: (_, { signal }) => {
          aborted = signal;
          reached();
          return never();
        },
      },
    );
    const turn = at.client.prompt("hi");
    await here;
    expect(await turn.cancel()).toMatchObject({ status: "cancelled" });
    expect(aborted?.aborted).toBe(true);
  });

  test("`step` events carry the state; those of sub-agents do not", async () => {
    const steps: CodebuffRunStep[] = [];
    await using at = await runWorld(
      {
        answer: [
          {
            match: { agentId: "tester", call: 1 },
            toolCalls: [{ name: "child", arguments: { prompt: "go" } }],
          },
          { match: { agentId: "child" }, text: "Hi." },
          { text: "Done." },
        ],
      },
      {
        agent: { ...AGENT, spawnableAgents: ["child"] },
        agentDefinitions: [{ ...AGENT, id: "child" }],
      },
    );
    at.client.on("step", (step) => steps.push(step));
    await at.client.prompt("hi").result;
    expect(
      steps.map(({ agentId, state }) => [agentId === "main-agent", state && historyOf(state).length]),
    ).toEqual([
      [false, undefined],
      [true, 3],
      [true, 4],
    ]);
    expect(steps.at(-1)?.state?.underWay).toEqual({ version: 1, messages: 4, openCalls: [] });
  });
});

/** The state in which a run was killed, with one call of unknown fate. */
async function killed(): Promise<RunState> {
  const { saved } = await live([["a", "b"]], undefined, 6); // saved behind the result of `a`
  return JSON.parse(saved ?? "") as RunState;
}

describe("a call without a result", () => {
  test("is not run: the model is told, `turn.toolCalls`, the events and universal events show it", async () => {
    const previousRun = await killed();
    const [open] = previousRun.underWay?.openCalls ?? [];
    await using at = await runWorld({ answer: () => "I see." });
    const turn = at.client.prompt("Go on.", { previousRun });
    const universal = collected(toUniversal(turn));
    const events: readonly CodebuffRunEvent[] = await read(turn);
    const error = expect.stringContaining("not known whether this call ran");
    expect(turn.toolCalls).toMatchObject([{ id: open?.toolCallId, name: "work", state: "failed", error }]);
    expect(events.slice(1, 3)).toMatchObject([
      { type: "tool_call", toolCallId: open?.toolCallId, input: { task: "b" } },
      { type: "tool_result", toolCallId: open?.toolCallId },
    ]);
    expect(await universal).toContainEqual(
      expect.objectContaining({
        type: "item.completed",
        data: expect.objectContaining({
          state: "failed",
          item: expect.objectContaining({ kind: "tool_result", status: "failed" }),
        }),
      }),
    );
    const wire = at.chats()[0]?.messages ?? [];
    expect(wire.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "tool", "user"]);
    expect(textIn(wire[4] as never)).toMatch(/not known whether this call ran/);
    const { state } = await turn.result;
    expect(state.underWay).toBeUndefined();
  });

  test("whose result the caller knows is answered with that result, and not shown", async () => {
    const previousRun = await killed();
    const toolCallId = previousRun.underWay?.openCalls[0]?.toolCallId ?? "";
    await using at = await runWorld({ answer: () => "I see." });
    const result = { role: "tool", toolName: "work", toolCallId, content: json("done: b") } as const;
    const turn = at.client.prompt("Go on.", { previousRun, extraToolResults: [result] });
    await turn.result;
    expect(turn.toolCalls).toEqual([]);
    expect(at.chats()[0]?.messages.map(textIn).slice(2, 5)).toEqual(['"done: a"', "", '"done: b"']);
  });

  test("is gone on with in a conversation, too", async () => {
    await using at = await runWorld({ answer: () => "I see." });
    const talk = at.client.conversation({ from: await killed() });
    expect(talk.earlier(1)).toEqual({ protocol: "codebuff-run", version: 1 });
    expect((await talk.prompt("Go on.").result).toolCalls).toHaveLength(1);
    expect((await talk.prompt("And?").result).toolCalls).toHaveLength(0);
  });
});

test.each<[string, (state: RunState) => unknown, RegExp]>([
  ["of another version", (state) => ({ ...state, underWay: { version: 2 } }), /version 2, not 1/],
  [
    "cut in the middle of its history",
    (state) => {
      const copy = structuredClone(state);
      const history = historyOf(copy) as RunMessage[];
      history.pop();
      return copy;
    },
    /was cut: it has 2 of 3 messages/,
  ],
  [
    "with open calls that are none",
    (state) => ({ ...state, underWay: { ...state.underWay, openCalls: [{ type: "text", text: "x" }] } }),
    /`openCalls` are no tool calls/,
  ],
  ["that is still a text", (state) => JSON.stringify(state).slice(0, 99), /previousRun/],
])("a state %s is refused", async (_, spoil, words) => {
  const previousRun = spoil(await killed()) as never;
  await using at = await runWorld();
  expect(() => at.client.prompt("hi", { previousRun })).toThrow(errorSaying("invalid-input", words));
});
