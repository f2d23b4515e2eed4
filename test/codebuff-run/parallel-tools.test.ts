import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CodebuffRunOptions, CodebuffRunTool } from "agentwire/codebuff-run";
import { nodeTools } from "agentwire/codebuff-run/tools";
import { describe, expect, test } from "vitest";
import { failureOf } from "../helpers/turns.ts";
import { agentWith, json, read, runWorld, textIn } from "./world.ts";

// Read-only tools of one answer run at the same time.

const calls = (...tasks: readonly string[]) => ({
  toolCalls: tasks.map((task) => ({ name: task.startsWith("w") ? "write" : "look", arguments: { task } })),
});

/** Tools whose calls end when the test says so, and what happened in order. */
function heldTools(log: string[] = []) {
  const ends = new Map<string, () => void>();
  const begun = new Map<string, () => void>();
  const arrived = (task: string): Promise<void> =>
    new Promise((resolve) => {
      if (log.includes(`+${task}`)) resolve();
      else begun.set(task, resolve);
    });
  const tool = (readOnly: boolean): CodebuffRunTool => ({
    description: "Looks.",
    parameters: { type: "object", properties: { task: { type: "string" } } },
    readOnly,
    execute: ({ input }) => {
      const task = String((input as Record<string, unknown>)["task"]);
      log.push(`+${task}`);
      begun.get(task)?.();
      return new Promise((resolve) => {
        ends.set(task, () => {
          log.push(`-${task}`);
          resolve(json(task));
        });
      });
    },
  });
  const end = async (task: string): Promise<void> => {
    await arrived(task);
    ends.get(task)?.();
  };
  return { log, arrived, end, tools: { look: tool(true), write: tool(false) } };
}

/** The texts of the results in the last request of the model. */
const resultsIn = (at: Awaited<ReturnType<typeof runWorld>>): readonly string[] =>
  at
    .chats()
    .at(-1)
    ?.messages.filter(({ role }) => role === "tool")
    .map(textIn) ?? [];

describe("read-only tools of one answer", () => {
  test("run at the same time; events, history and requests have the results in the order of the calls", async () => {
    const held = heldTools();
    await using at = await runWorld({ answer: [calls("a", "b", "c"), "Done."] }, { tools: held.tools });
    const turn = at.client.prompt("hi");
    const events = read(turn);
    await Promise.all(["a", "b", "c"].map(held.arrived));
    for (const task of ["c", "b", "a"]) await held.end(task);
    expect(held.log).toEqual(["+a", "+b", "+c", "-c", "-b", "-a"]);
    const told = (await events).flatMap((event) => (event.type === "tool_result" ? event.output : []));
    expect(told).toEqual(["a", "b", "c"].map((value) => ({ type: "json", value })));
    expect(resultsIn(at)).toEqual(['"a"', '"b"', '"c"']);
    expect(turn.toolCalls.map(({ state }) => state)).toEqual(["done", "done", "done"]);
  });

  test("wait for a tool that writes, and it waits for them", async () => {
    const held = heldTools();
    await using at = await runWorld({ answer: [calls("a", "b", "w", "c"), "Done."] }, { tools: held.tools });
    const turn = at.client.prompt("hi");
    for (const task of ["b", "a", "w", "c"]) await held.end(task);
    await turn.result;
    expect(held.log).toEqual(["+a", "+b", "-b", "-a", "+w", "-w", "+c", "-c"]);
  });

  test("run ten at once, and the rest after them", async () => {
    const held = heldTools();
    const tasks = Array.from({ length: 12 }, (_, at) => `a${at}`);
    await using at = await runWorld({ answer: [calls(...tasks), "Done."] }, { tools: held.tools });
    const turn = at.client.prompt("hi");
    await held.arrived("a9");
    for (const task of tasks) await held.end(task);
    await turn.result;
    expect(held.log.indexOf("+a9")).toBeLessThan(held.log.indexOf("-a0"));
    expect(held.log.indexOf("+a10")).toBeGreaterThan(held.log.indexOf("-a9"));
  });

  test.each<[string, CodebuffRunOptions]>([["`parallelTools: false`", { parallelTools: false }]])(
    "run one by one with %s",
    async (_, options) => {
      const held = heldTools();
      await using at = await runWorld(
        { answer: [calls("a", "b"), "Done."] },
        { tools: held.tools, ...options },
      );
      const turn = at.client.prompt("hi");
      for (const task of ["a", "b"]) await held.end(task);
      await turn.result;
      expect(held.log).toEqual(["+a", "-a", "+b", "-b"]);
    },
  );

  test("are asked about one after the other, in the order of the calls; a denied one does not run", async () => {
    const held = heldTools();
    const asked: string[] = [];
    await using at = await runWorld(
      { answer: [calls("a", "b", "c"), "Done."] },
      {
        tools: held.tools,
        onToolApproval: async ({ input }) => {
          const { task } = input as { task: string };
          held.log.push(`?${task}`);
          asked.push(task);
          await Promise.resolve();
          held.log.push(`!${task}`);
          return task !== "b";
        },
      },
    );
    const turn = at.client.prompt("hi");
    await held.arrived("c"); // while `a` runs
    for (const task of ["a", "c"]) await held.end(task);
    await turn.result;
    expect(asked).toEqual(["a", "b", "c"]);
    expect(held.log.filter((each) => /[?!]/.test(each))).toEqual(["?a", "!a", "?b", "!b", "?c", "!c"]);
    expect(held.log).not.toContain("+b");
    expect(turn.toolCalls.map(({ state }) => state)).toEqual(["done", "denied", "done"]);
  });

  test("end with the cancel of their turn", async () => {
    const signals: AbortSignal[] = [];
    let both = (): void => {};
    const here = new Promise<void>((resolve) => {
      both = resolve;
    });
    const look: CodebuffRunTool = {
      description: "Looks.",
      parameters: { type: "object" },
      readOnly: true,
      execute: (_, { signal }) => {
        if (signals.push(signal) === 2) both();
        return new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason)),
        );
      },
    };
    await using at = await runWorld({ answer: [calls("a", "b")] }, { tools: { look } });
    const turn = at.client.prompt("hi");
    await here;
    expect((await turn.cancel()).status).toBe("cancelled");
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  test("have ended before a run fails, because `onState` refused a result", async () => {
    const held = heldTools();
    await using at = await runWorld(
      { answer: [calls("a", "b")] },
      {
        tools: held.tools,
        onState: ({ underWay }) => {
          if (underWay?.openCalls.length === 1) throw new Error("disk full");
        },
      },
    );
    const turn = at.client.prompt("hi");
    for (const task of ["a", "b"]) await held.end(task);
    expect(await failureOf(turn)).toMatchObject({ kind: "state_not_saved" });
    expect(held.log.at(-1)).toBe("-b");
  });
});

test("the reading tools of `nodeTools` are read-only, and those that write or run commands are not", async () => {
  const tools = nodeTools({ root: ".", terminal: true });
  const readOnly = tools.names.filter((name) => tools.handlers[name]?.readOnly === true);
  expect(readOnly).toEqual(["read_files", "list_directory", "glob", "code_search"]);
  await tools.close();
});

test("the reading tools of `nodeTools` find the same at the same time as one by one", async () => {
  const root = await mkdtemp(join(tmpdir(), "parallel-tools-"));
  for (let at = 0; at < 20; at++) await writeFile(join(root, `f${at}.txt`), `line ${at}\nneedle ${at % 3}\n`);
  const tools = nodeTools({ root });
  const asked = [0, 1, 2].flatMap((at) => [
    { name: "code_search", arguments: { pattern: `needle ${at}` } },
    { name: "read_files", arguments: { paths: [`f${at}.txt`] } },
    { name: "glob", arguments: { pattern: `*${at}.txt` } },
  ]);
  const told: (readonly string[])[] = [];
  for (const parallelTools of [false, true]) {
    await using at = await runWorld(
      { answer: [{ toolCalls: asked }, "Done."] },
      { agent: agentWith(...tools.names), overrideTools: tools.handlers, parallelTools },
    );
    await at.client.prompt("hi").result;
    told.push(resultsIn(at));
  }
  await tools.close();
  await rm(root, { recursive: true });
  expect(told[0]).toHaveLength(9);
  expect(told[0]?.[0]).toContain("needle 0");
  expect(told[1]).toEqual(told[0]);
});

test("a handler of `overrideTools` that says `readOnly` runs beside others", async () => {
  let running = 0;
  let bothRun = (): void => {};
  const both = new Promise<void>((resolve) => {
    bothRun = resolve;
  });
  const glob = async () => {
    if (++running === 2) bothRun();
    await both;
    return json([]);
  };
  const globs = { toolCalls: [1, 2].map(() => ({ name: "glob", arguments: { pattern: "*" } })) };
  await using at = await runWorld(
    { answer: [globs, "Done."] },
    { agent: agentWith("glob"), overrideTools: { glob: Object.assign(glob, { readOnly: true }) } },
  );
  expect((await at.client.prompt("hi").result).text).toBe("Done.");
});

test("a step limit names the call that the model repeated", async () => {
  await using at = await runWorld(
    { answer: () => calls("a") },
    { tools: { look: { description: "", parameters: { type: "object" }, execute: () => json("no") } } },
  );
  const events = await read(at.client.prompt("hi", { maxAgentSteps: 6 }));
  expect(events.filter(({ type }) => type === "error")).toEqual([
    {
      type: "error",
      message: 'Step limit of 6 reached. The last 6 answers made the same call: look {"task":"a"}',
    },
  ]);
});
