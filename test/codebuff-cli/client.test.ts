import { getEventListeners } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CodebuffCli } from "agentwire/codebuff-cli";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { cliWorld, HELD, NO_HOME } from "../helpers/codebuff-cli.ts";
import { eventsOf, failureOf, shown, thrown } from "../helpers/turns.ts";

const CALL = { type: "tool_call", toolCallId: "t1", toolName: "x", input: {} };
const ASK = {
  type: "tool_call",
  toolCallId: "q1",
  toolName: "ask_user",
  input: { questions: [{ question: "?" }] },
};
const FINISH = { type: "finish", totalCost: 1 };

describe("an ended turn", () => {
  test.each(["by itself", "cancelled", "with its client"] as const)(
    "has no running call and no pending question (ended %s)",
    async (how) => {
      const end = how === "by itself" ? FINISH : { hold: "for ever" };
      await using at = await cliWorld({ events: [CALL, ASK, { type: "text", text: "x" }, end] });
      const turn = at.client.prompt("hi");
      await shown(turn, "x");
      if (how === "cancelled") await turn.cancel();
      if (how === "with its client") await at.client.close({ force: true });
      await turn.outcome;
      expect(turn.toolCalls.map(({ state }) => state)).toEqual(["abandoned", "abandoned"]);
      expect(turn.pending).toEqual([]);
    },
  );

  test("that failed keeps the cost reported so far", async () => {
    await using at = await cliWorld({ events: [FINISH], exit: { code: 7 } });
    expect(await at.client.prompt("hi").outcome).toMatchObject({ partial: { cost: { amount: 1 } } });
  });

  test("keeps its text up to `maxTextBytes`, and is marked as truncated", async () => {
    await using at = await cliWorld(
      { events: [{ type: "text", text: "abcd" }, FINISH] },
      { maxTextBytes: 3 },
    );
    expect(await at.client.prompt("hi").result).toMatchObject({ text: "abc", truncated: true });
  });
});

test("an answered question is no longer pending, while the turn goes on", async () => {
  const answer = { type: "json", value: { answers: [{ questionIndex: 0, otherText: "yes" }] } };
  const events = [
    ASK,
    { type: "text", text: "a" },
    { hold: "go" },
    { type: "tool_result", toolCallId: "q1", toolName: "ask_user", output: [answer] },
    { type: "text", text: "b" },
    { hold: "for ever" },
  ];
  await using at = await cliWorld({ events }, { answerByContinue: true });
  const settled: unknown[] = [];
  at.client.on("settled", (request) => settled.push(request));
  const turn = at.client.conversation().prompt("hi");
  await shown(turn, "a");
  expect([turn.pending, at.client.pending].map((pending) => pending.map(({ id }) => id))).toEqual([
    ["q1"],
    ["q1"],
  ]);
  at.cli.release("go");
  await shown(turn, "ab");
  expect([turn.pending, at.client.pending]).toEqual([[], []]);
  expect(settled).toMatchObject([
    { type: "question", id: "q1", reply: { answers: undefined, by: "elsewhere" } },
  ]);
});

test("a block that repeats its chunks adds nothing, and a second equal block is new text", async () => {
  const block = { type: "text", text: "a" };
  await using at = await cliWorld({ events: ["a", block, block, FINISH] });
  expect((await at.client.prompt("hi").result).text).toBe("aa");
});

describe("the outcome of a run", () => {
  test("is `completed` with garbage beside an event and without `finish`", async () => {
    await using at = await cliWorld({
      events: [{ raw: "junk\n" }, { type: "text", text: "x" }],
      noFinish: true,
    });
    expect(await at.client.prompt("hi").result).toMatchObject({ text: "x", missingFinish: true });
  });

  test("is `protocol_error` if the only line is too long", async () => {
    await using at = await cliWorld({ events: [{ raw: `${"x".repeat(100)}\n` }] }, { maxLineBytes: 10 });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "protocol_error" });
  });

  test("is read from error output without a newline", async () => {
    await using at = await cliWorld({
      events: [{ stderr: "Error: Authentication failed" }],
      exit: { code: 1 },
    });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "auth" });
  });

  test("is a text of up to `maxOutputBytes`, and `protocol_error` above", async () => {
    await using at = await cliWorld({ profile: "fork" }, { profile: "text", maxOutputBytes: 13 });
    expect((await at.client.prompt("hi").result).text).toBe("You said: hi");
    const other = at.another({ profile: "text", maxOutputBytes: 12 });
    expect(await failureOf(other.prompt("hi"))).toMatchObject({ kind: "protocol_error" });
  });

  test("is an empty text without events if the output is a blank line", async () => {
    await using at = await cliWorld({ profile: "fork", events: [{ raw: "\n" }] }, { profile: "text" });
    const turn = at.client.prompt("hi");
    const events = eventsOf(turn);
    expect((await turn.result).text).toBe("");
    expect(events).toEqual([]);
  });
});

test("a quoted error message of the program hides the key", async () => {
  const events = [{ type: "error", message: "Unauthorized: hush-4f9b" }];
  await using at = await cliWorld({ events, exit: { code: 1 } }, { apiKey: "hush-4f9b" });
  const message = expect.stringContaining("Unauthorized: [redacted]");
  expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "auth", message });
});

test.skipIf(process.platform === "win32")(
  "a program that fails to start fails its turn, unless the caller cancels first",
  async () => {
    await using folder = await tempFolder();
    const command = join(folder.path, "tool");
    await writeFile(command, "#!/nowhere/at/all\n", { mode: 0o755 });
    await using at = await cliWorld({}, { command, args: [], maxProcesses: 1 });
    const cancelled = at.client.prompt("a");
    const failed = at.client.prompt("b");
    expect(await cancelled.cancel()).toMatchObject({ status: "cancelled" });
    expect(await failureOf(failed)).toMatchObject({ code: "connect-failed", delivery: "not-sent" });
  },
);

describe("time limits", () => {
  test("`idleTimeout` of one prompt also counts before the first line", async () => {
    await using at = await cliWorld({ events: [{ hold: "for ever" }] });
    const turn = at.client.prompt("hi", { idleTimeout: 1_000 });
    await at.clock.advance(1_000);
    expect(await failureOf(turn)).toMatchObject({ kind: "idle", timeout: 1_000 });
  });

  test("`idleTimeout` does not count after `finish`", async () => {
    await using at = await cliWorld({ events: [FINISH], exit: { never: true } }, { idleTimeout: 1_000 });
    const turn = at.client.prompt("hi");
    await at.clock.armed(5_000);
    await at.clock.advance(5_000);
    expect(await turn.outcome).toMatchObject({ status: "completed" });
  });

  test("`exitGrace: 0` waits for the program after `finish`", async () => {
    await using at = await cliWorld(
      { events: [FINISH, { type: "text", text: "x" }], exit: { never: true } },
      { exitGrace: 0, idleTimeout: 0, startupTimeout: 0 },
    );
    const turn = at.client.prompt("hi");
    await shown(turn, "x");
    expect(at.clock.pending).toBe(0);
  });

  test("`idleTimeout` of one prompt restarts with any line, and overrides the client's", async () => {
    const events = [{ type: "text", text: "a" }, { hold: "go" }, { raw: "junk\n" }, { hold: "for ever" }];
    await using at = await cliWorld({ events }, { idleTimeout: 1_000 });
    const turn = at.client.prompt("hi", { idleTimeout: 5_000 });
    await shown(turn, "a");
    await at.clock.advance(4_999);
    const warned = new Promise((resolve) => at.client.on("protocolWarning", resolve));
    at.cli.release("go");
    await warned;
    await at.clock.advance(4_999);
    expect(turn.status).toBe("streaming");
    await at.clock.advance(1);
    expect(await failureOf(turn)).toMatchObject({ kind: "idle", timeout: 5_000 });
  });
});

describe("many prompts", () => {
  test("run four at a time by default, with one `exit` listener", async () => {
    await using at = await cliWorld({ events: HELD });
    const before = process.listenerCount("exit");
    const turns = Array.from({ length: 5 }, () => at.client.prompt("hi"));
    expect(turns.map(({ status }) => status)).toEqual(["sent", "sent", "sent", "sent", "queued"]);
    expect(process.listenerCount("exit")).toBe(before + 1);
  });

  test("free a place in the queue when a queued prompt is cancelled", async () => {
    await using at = await cliWorld({ events: HELD }, { maxProcesses: 1, maxQueuedTurns: 1 });
    at.client.prompt("runs");
    const waits = at.client.prompt("waits");
    expect(thrown(() => at.client.prompt("more"))).toMatchObject({ code: "queue-full" });
    await waits.cancel();
    expect(at.client.prompt("more").status).toBe("queued");
  });

  test("fail with a message about `cwd` if their folder is deleted while they wait", async () => {
    await using folder = await tempFolder();
    const cwd = join(folder.path, "work");
    await mkdir(cwd);
    await using at = await cliWorld({ events: HELD }, { maxProcesses: 1 });
    const first = at.client.prompt("runs");
    const second = at.client.prompt("waits", { cwd });
    await rm(cwd, { recursive: true });
    void first.cancel();
    expect(await failureOf(second)).toMatchObject({
      code: "connect-failed",
      delivery: "not-sent",
      message: expect.stringContaining("`cwd`"),
    });
  });
});

describe("a client", () => {
  test("reports each status once", async () => {
    await using at = await cliWorld();
    const told: string[] = [];
    at.client.on("status", (status) => told.push(status));
    await at.client.prompt("a").result;
    await at.client.prompt("b").result;
    await Promise.all([at.client.close(), at.client.close()]);
    expect(told).toEqual(["ready", "draining", "closed"]);
  });

  test("listens to its signal until it closes, and starts closed if the signal is already aborted", async () => {
    const stop = new AbortController();
    const client = new CodebuffCli({ homeDir: NO_HOME, signal: stop.signal });
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(1);
    await client.close();
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
    expect(new CodebuffCli({ homeDir: NO_HOME, signal: AbortSignal.abort() }).status).toBe("closed");
  });

  test("connects to a program in the PATH of its option `env`, unless the call is aborted", async () => {
    await using folder = await tempFolder();
    await symlink(process.execPath, join(folder.path, "only-there"));
    const client = new CodebuffCli({ command: "only-there", env: { PATH: folder.path }, homeDir: NO_HOME });
    await expect(client.connect({ signal: AbortSignal.abort("no") })).rejects.toMatchObject({ cause: "no" });
    expect(client.status).toBe("idle");
    await client.connect();
    expect(client.status).toBe("ready");
    await client.close();
  });

  test("closes with `force` without waiting for running turns, even with `drainTimeout`", async () => {
    await using at = await cliWorld({ events: HELD });
    const turn = at.client.prompt("hi");
    await shown(turn, "part");
    await at.client.close({ force: true, drainTimeout: 1_000 });
    expect(await failureOf(turn)).toMatchObject({ code: "closed" });
  });

  test("deletes the temporary homes of a probe", async () => {
    await using at = await cliWorld({}, { isolateHome: true });
    await at.client.probe();
    const homes = at.cli.runs().map(({ env }) => env["HOME"] ?? "");
    expect(homes.map((home) => [home.includes("codebuff-home-"), existsSync(home)])).toEqual([
      [true, false],
      [true, false],
    ]);
  });

  test("names the path of a missing program, with `~` for the user's folder", async () => {
    for (const [homeDir, words] of [
      ["/folder/of/me", "`~/tool` is not to be found"],
      ["/", "`/folder/of/me/tool`"],
    ] as const) {
      const client = new CodebuffCli({ command: "/folder/of/me/tool", homeDir });
      expect(await failureOf(client.prompt("hi"))).toMatchObject({ message: expect.stringContaining(words) });
      await client.close();
    }
  });

  test("refuses a prompt that the program would run as a command", async () => {
    await using at = await cliWorld();
    expect(thrown(() => at.client.prompt(" /ralph now"))).toMatchObject({ code: "invalid-input" });
  });
});
