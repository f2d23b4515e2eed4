import { readFileSync } from "node:fs";
import { acpStep, acpTool, MockAcpAgent, type MockAcpOptions } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { kindOf, kinds, RawAcp } from "./raw-client.ts";

const LONG = [acpStep.calls(acpTool.shell("sleep 60", "", { permission: false, hangs: true }))];

/** A process of the agent, with a session. */
async function started(options: MockAcpOptions) {
  const agent = new MockAcpAgent(options);
  const client = await RawAcp.start(agent);
  await client.initialize();
  await client.newSession();
  const link = await agent.nextLink();
  const { process: child } = link;
  if (!child) throw new Error("the link has no process");
  return { agent, client, link, child, [Symbol.asyncDispose]: () => agent.stop() };
}

/** Whether a process lives; a zombie does not. */
function lives(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z /s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

const groupOf = (pid: number): number =>
  Number(/^.*\) \S \d+ (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);

const onLinux = process.platform === "linux" ? describe : describe.skip;

describe("the agent as a program", () => {
  test("plays the scripts of the test, and records how it was started", async () => {
    await using run = await started({ answer: () => ["from the ", "test"] });
    const response = await run.client.prompt("hello");

    expect(run.client.updates).toEqual(['"from the "', '"test"']);
    expect(kindOf(response)).toBe("end_turn");
    expect(run.child).toMatchObject({ pid: run.client.child?.pid, cwd: process.cwd(), argv: [] });
    expect(run.child.env).not.toHaveProperty("PATH");
    expect(run.agent.violations).toEqual([]);
  });

  test("two processes of one agent share its sessions, not their links", async () => {
    await using run = await started({});
    await run.client.prompt("hello");
    const second = await RawAcp.start(run.agent);
    await second.initialize();
    await second.request("session/load", {
      sessionId: run.client.sessionId,
      cwd: "/project",
      mcpServers: [],
    });

    expect(second.updates).toEqual(['user "hello"', '"You said: "', '"hello"']);
    expect(run.agent.links.map(({ sessions }) => sessions)).toEqual([
      [run.client.sessionId],
      [run.client.sessionId],
    ]);
  });

  test("`stop()` kills what runs", async () => {
    const run = await started({ stdinEnd: "leavesChild" });
    const pid = await run.agent.waitFor(() => run.child.children[0]);
    await run.agent.stop();

    expect(await run.client.exit()).toEqual([null, "SIGKILL"]);
    await expect.poll(() => lives(pid)).toBe(false); // its files are closed a moment before it is gone
  });

  test.each([
    [{ exit: 3 }, [3, null]],
    [{ signal: "SIGKILL" }, [null, "SIGKILL"]],
    [{ signal: "SIGTERM" }, [null, "SIGTERM"]],
  ] as const)("dieAt %o: behind all output", async (end, exit) => {
    await using run = await started({ dieAt: { after: 4, ...end }, answer: ["a", "b", "c"] });
    void run.client.prompt("go");

    expect(await run.client.exit()).toEqual(exit);
    await run.client.waitFor(() => run.client.ended);
    expect(run.client.updates).toEqual(['"a"', '"b"']);
  });

  test("dieAt 0 behind a banner: the process says a line that is no message, and exits", async () => {
    await using agent = new MockAcpAgent({ stray: "beforeInit", dieAt: { after: 0, exit: 0 } });
    const client = await RawAcp.start(agent);

    expect(await client.exit()).toEqual([0, null]);
    await client.waitFor(() => client.ended);
    expect(client.lines).toEqual(["This agent is no longer maintained. Please upgrade."]);
  });

  test("dieAt `closeStdout`: the process lives on", async () => {
    await using run = await started({
      dieAt: { after: 3, closeStdout: true },
      answer: ["a", acpStep.hang()],
    });
    void run.client.prompt("go");
    await run.client.waitFor(() => run.client.ended);

    expect(run.client.child?.exitCode).toBeNull();
    run.client.endInput();
    expect(await run.client.exit()).toEqual([0, null]);
  });

  test("a client that kills the process ends the link", async () => {
    await using run = await started({});
    run.client.child?.kill("SIGKILL");
    await run.agent.waitFor(() => run.link.ended);

    expect(run.link.ended).toBe("killed");
  });

  test.each([{ chunking: 7 }, { stray: "splitUtf8" }] as const)("%o loses nothing", async (switches) => {
    await using run = await started({ ...switches, answer: ["ä".repeat(20)] });
    await run.client.prompt("go");

    expect(run.client.updates).toEqual([`"${"ä".repeat(20)}"`]);
  });

  test("huge lines pass", async () => {
    await using run = await started({ huge: true, answer: [] });
    await run.client.prompt("go");

    expect(run.client.updates[0]).toHaveLength(33 * 1_048_576 + 2);
  });

  test("without a test it plays MOCK_ACP_SCENARIO; a wrong one ends it", async () => {
    await using agent = new MockAcpAgent();
    const { command, args } = await agent.program();
    const answer = ["alone ", acpStep.calls(acpTool.shell("ls", "", { permission: false })), "done"];
    const env = { MOCK_ACP_SCENARIO: JSON.stringify({ profile: "gemini", answer }) };
    const client = RawAcp.spawn({ command, args, env });
    await client.initialize();
    await client.newSession();
    await client.prompt("go");
    client.endInput();
    const broken = RawAcp.spawn({
      command,
      args,
      env: { MOCK_ACP_SCENARIO: '{"profile":"gemini","cancle":1}' },
    });

    expect(await client.exit()).toEqual([0, null]);
    expect(client.updates.filter((kind) => !kind.startsWith("available"))).toMatchObject([
      '"alone "',
      expect.stringMatching(/^call run_shell_command__/),
      expect.stringMatching(/ completed$/),
      '"done"',
    ]);
    expect(await broken.exit()).toEqual([70, null]);
    expect(broken.stderr).toContain("Did you mean `cancel`?");
  });
});

describe("the end of stdin", () => {
  test("stdinEnd `exits`", async () => {
    await using run = await started({ answer: [acpStep.hang()] });
    void run.client.prompt("go");
    await run.agent.nextPrompt();
    run.client.endInput();

    expect(await run.client.exit()).toEqual([0, null]);
  });

  test("stdinEnd `ignores`: only a signal ends it", async () => {
    await using run = await started({ stdinEnd: "ignores" });
    run.client.endInput();
    await run.agent.waitFor(() => run.link.inputEnded);
    expect(run.client.child?.exitCode).toBeNull();
    run.client.child?.kill("SIGTERM");

    expect(await run.client.exit()).toEqual([143, null]);
    expect(run.child.signals).toEqual(["SIGTERM"]);
  });

  test("stdinEnd `finishesTurn`", async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    await using run = await started({
      stdinEnd: "finishesTurn",
      async *answer() {
        await gate;
        yield "late";
      },
    });
    void run.client.prompt("go");
    await run.agent.nextPrompt();
    run.client.endInput();
    await run.agent.waitFor(() => run.link.inputEnded);
    open();

    expect(await run.client.exit()).toEqual([0, null]);
    await run.client.waitFor(() => run.client.ended);
    expect(kinds(run.client.said).slice(-2)).toEqual(['"late"', "end_turn"]);
  });
});

onLinux("processes that an agent leaves", () => {
  test("stdinEnd `leavesChild`: a child of its group stays", async () => {
    await using run = await started({ stdinEnd: "leavesChild" });
    const pid = await run.agent.waitFor(() => run.child.children[0]);
    run.client.endInput();
    await run.client.exit();

    expect(lives(pid)).toBe(true);
    expect(groupOf(pid)).toBe(run.child.pid);
    process.kill(-run.child.pid, "SIGTERM");
    await run.agent.gone(pid);
  });

  /** A turn whose command runs in a group of its own. */
  async function commanding(options: MockAcpOptions = {}) {
    const run = await started({ stdinEnd: "commandInOwnGroup", answer: LONG, ...options });
    const response = run.client.prompt("go");
    const pid = await run.agent.waitFor(() => run.child.children[0]);
    return { ...run, response, pid };
  }

  test("stdinEnd `commandInOwnGroup`: SIGKILL of the agent's group leaves the command", async () => {
    await using run = await commanding();
    expect(groupOf(run.pid)).toBe(run.pid);
    process.kill(-run.child.pid, "SIGKILL");
    await run.client.exit();

    expect(lives(run.pid)).toBe(true);
  });

  test.each([
    ["a cancel", (client: RawAcp) => client.cancel()],
    ["the end of stdin", (client: RawAcp) => client.endInput()],
    ["SIGTERM", (client: RawAcp) => void client.child?.kill("SIGTERM")],
  ])("%s ends the command", async (_, act) => {
    await using run = await commanding();
    act(run.client);

    await run.agent.gone(run.pid);
  });

  test("sigterm `leavesCommand`: the agent ends, its command does not; `ignored`: neither", async () => {
    await using leaves = await commanding({ sigterm: "leavesCommand" });
    leaves.client.child?.kill("SIGTERM");
    expect(await leaves.client.exit()).toEqual([143, null]);
    expect(lives(leaves.pid)).toBe(true);
    await using ignores = await commanding({ sigterm: "ignored" });
    ignores.client.child?.kill("SIGTERM");
    await ignores.agent.waitFor(() => ignores.child.signals.length === 1);

    expect(ignores.client.child?.exitCode).toBeNull();
  });
});
