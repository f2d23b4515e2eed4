import { describe, expect, test } from "vitest";
import { RunClock } from "../../world.ts";
import { callTool, failureOf, isAlive, mcpWorld, program, textOf } from "./mcp-world.ts";

// A server as a process: how it starts, lives and ends.

const at = (mode?: string) => mcpWorld(program(mode));

describe("a server that cannot start", () => {
  test("exits: the reason has its last output", async () => {
    await using world = at("crashesAtStart");
    await expect(world.tools()).rejects.toMatchObject({
      code: "connect-failed",
      message: expect.stringMatching(/ended with code 3: the key is missing$/),
    });
  });

  test("does not exist: the reason names its command", async () => {
    await using world = mcpWorld({ command: "no-such-program" });
    await expect(world.tools()).rejects.toThrow("could not be started: no-such-program: ENOENT");
  });

  test("has a missing `cwd`", async () => {
    await using world = mcpWorld({ ...program(), cwd: "/no/such/folder" });
    await expect(world.tools()).rejects.toThrow("could not be started");
  });

  test("never answers: the start fails after 30 s, and the program is stopped", async () => {
    const clock = new RunClock();
    await using world = mcpWorld(program("neverAnswers"), { clock });
    const tools = world.tools();
    tools.catch(() => {});
    await clock.armed(30_000);
    await clock.advance(30_000);
    await expect(tools).rejects.toThrow("the handshake: no answer within 30000 ms");
    await world.close();
    expect(clock.pending).toBe(0);
  });

  test("fails three times in a row: it is not started again for a minute", async () => {
    const clock = new RunClock();
    await using world = mcpWorld({ command: "no-such-program" }, { clock });
    for (let i = 0; i < 3; i++) await expect(world.tools()).rejects.toThrow("ENOENT");
    await expect(world.tools()).rejects.toThrow("failed 3 times in a row");
    await clock.advance(60_000);
    await expect(world.tools()).rejects.toThrow("ENOENT");
  });
});

test("runs that begin at the same time share one start", async () => {
  await using world = at();
  const lists = await Promise.all([world.tools(), world.tools()]);
  const pids = await Promise.all(lists.map((tools) => callTool(tools, "pid")));
  expect(pids[0]).toEqual(pids[1]);
});

test("a run that is cancelled during the start leaves the server to the others", async () => {
  await using world = at();
  const controller = new AbortController();
  const cancelled = world.tools(controller.signal);
  const tools = world.tools();
  controller.abort(new Error("stop"));
  await expect(cancelled).rejects.toThrow();
  expect((await tools).length).toBeGreaterThan(0);
});

test("a list of many pages is read to its end", async () => {
  await using paged = at("paged");
  await using plain = at();
  const names = async (tools: ReturnType<typeof plain.tools>) => (await tools).map(({ name }) => name);
  expect(await names(paged.tools())).toEqual(await names(plain.tools()));
});

test("output that is no message is ignored, and error output does not fill the pipe", async () => {
  await using world = at("noisy");
  expect(textOf(await world.call("echo", { a: 1 }))).toBe('{"a":1}');
});

describe("a server that exits in a call", () => {
  test("fails the call with its last output, and the next run starts it again", async () => {
    await using world = at();
    const tools = await world.tools();
    const before = textOf(await callTool(tools, "pid"));
    expect(failureOf(await callTool(tools, "crashes"))).toMatch(
      /^The MCP server s has failed: it has ended with code 5: out of memory/,
    );
    expect(failureOf(await callTool(tools, "pid"))).toContain("has ended with code 5"); // in the same run
    const after = textOf(await world.call("pid"));
    expect(Number(after)).toBeGreaterThan(0);
    expect(after).not.toBe(before);
  });

  test("does not show a filled-in value of its environment in the error", async () => {
    process.env["AGENTWIRE_TEST_TOKEN"] = "abc-secret-xyz";
    try {
      await using world = mcpWorld(program("plain", { TOKEN: "$AGENTWIRE_TEST_TOKEN" }));
      expect(failureOf(await world.call("crashes"))).toContain("token [redacted]");
    } finally {
      delete process.env["AGENTWIRE_TEST_TOKEN"];
    }
  });

  test("is stopped if it prints an endless line", async () => {
    await using world = at();
    expect(failureOf(await world.call("endlessLine"))).toContain("longer than 16777216 bytes");
  });
});

describe("a call", () => {
  test("that is cancelled throws the reason, and the server is notified", async () => {
    await using world = at();
    const tools = await world.tools();
    const controller = new AbortController();
    const call = callTool(tools, "hangs", {}, controller.signal);
    controller.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    expect(textOf(await callTool(tools, "cancelled"))).toBe("hangs");
  });

  test("without an answer fails after 5 minutes, and the server is notified", async () => {
    const clock = new RunClock();
    await using world = mcpWorld(program(), { clock });
    const tools = await world.tools();
    const call = callTool(tools, "hangs");
    await clock.armed(300_000);
    await clock.advance(300_000);
    expect(failureOf(await call)).toContain("hangs: no answer within 300000 ms");
    expect(textOf(await callTool(tools, "cancelled"))).toBe("hangs");
  });
});

describe("`close()`", () => {
  test("ends the server, and the processes that it has started", async () => {
    const world = at();
    const tools = await world.tools();
    const pids = [await callTool(tools, "pid"), await callTool(tools, "grandchild")].map((output) =>
      Number(textOf(output)),
    );
    expect(pids.map(isAlive)).toEqual([true, true]);
    await world.close();
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  test("ends a server that ignores SIGTERM", async () => {
    const world = at("staysAlive");
    const pid = Number(textOf(await world.call("pid")));
    await world.close();
    expect(isAlive(pid)).toBe(false);
  });

  test("ends a server during its start", async () => {
    const world = at("neverAnswers");
    const tools = world.tools();
    tools.catch(() => {});
    await world.close();
    await expect(tools).rejects.toThrow("closed");
    await expect(world.tools()).rejects.toMatchObject({ code: "closed" });
  });

  test("fails the calls that wait for an answer", async () => {
    const world = at();
    const tools = await world.tools();
    const call = callTool(tools, "hangs");
    await world.close();
    expect(failureOf(await call)).toContain("closed");
  });

  test("starts nothing for a server that was never used", async () => {
    await at("crashesAtStart").close();
  });
});

test("a process left behind by a crashed server is dead when the next run restarts the server", async () => {
  await using world = at();
  const tools = await world.tools();
  const pid = Number(textOf(await callTool(tools, "grandchild")));
  await callTool(tools, "crashes");
  await world.tools();
  expect(isAlive(pid)).toBe(false);
});
